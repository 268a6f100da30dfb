/**
 * Counts the decisions of policies, under the names of kube-apiserver, and those of shadows.
 *
 * @module
 */
import { BoundedCache } from "../../util/bounded-cache.ts";
import { type Collector, Histogram, type Labels, type Metric } from "../../util/exposition.ts";

/** Seconds of one evaluation. */
const SECONDS = [0.0000005, 0.001, 0.01, 0.1, 1];

/** The labels of all sorts of policies. */
interface PolicyLabels extends Labels {
  readonly policy: string;
  readonly policy_binding: string;
}

/** The most series that are kept, and their bytes: names of deleted policies are dropped eventually. */
const MAX_SERIES = 5000;
const MAX_SERIES_BYTES = 8 << 20;
const SERIES_BYTES = 1024;

/** Evaluations with the same labels. */
class Series {
  readonly labels: Labels;
  readonly seconds: Histogram = new Histogram(SECONDS);
  count = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }
}

class SeriesByLabels {
  readonly #series = new BoundedCache<Series>({
    entries: MAX_SERIES,
    bytes: MAX_SERIES_BYTES,
    weigh: () => SERIES_BYTES,
  });

  observe(labels: Labels, millis: number): void {
    const key = Object.values(labels).join("\n");
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = new Series(labels)));
    series.count++;
    series.seconds.observe(millis / 1000);
  }

  get all(): readonly Series[] {
    return [...this.#series.values()];
  }
}

/** The type of the error of an evaluation, which kube-apiserver derives from the message of the decision. */
export function errorTypeOf(message: string): string {
  if (message.startsWith("compilation")) return "compile_error";
  return message.startsWith("validation failed due to running out of cost budget") ? "out_of_budget" : "invalid_error";
}

/** The type of an evaluation without an error. */
export const NO_ERROR = "no_error";

/** The effect of a decision of a validating policy. */
export type Enforcement = "allow" | "deny" | "audit" | "warn";

/** The metrics of policies. */
export class PolicyMetrics {
  readonly #validating = new SeriesByLabels();
  readonly #mutating = new SeriesByLabels();
  readonly #shadows = new SeriesByLabels();

  /** Counts a decision of a validating policy. */
  validated(names: PolicyLabels, errorType: string, action: Enforcement, millis: number): void {
    this.#validating.observe({ ...names, error_type: errorType, enforcement_action: action }, millis);
  }

  /** Counts a mutation. */
  mutated(names: PolicyLabels, errorType: string, millis: number): void {
    this.#mutating.observe({ ...names, error_type: errorType }, millis);
  }

  /** Counts what a shadow would have done. */
  shadowed(names: PolicyLabels, would: string): void {
    this.#shadows.observe({ ...names, would }, 0);
  }

  /** Returns all metrics of policies. */
  readonly collect: Collector = () => [
    ...metricsOf("apiserver_validating_admission_policy", VALIDATING, this.#validating),
    ...metricsOf("apiserver_mutating_admission_policy", MUTATING, this.#mutating),
    {
      name: "keelson_admission_policy_shadow_total",
      type: "counter",
      help: "Requests that a shadow would have refused or changed, or could not judge, by policy and binding.",
      samples: this.#shadows.all.map(({ labels, count }) => ({ labels, value: count })),
    },
  ];
}

interface Help {
  readonly total: string;
  readonly seconds: string;
}

const VALIDATING: Help = {
  total:
    "Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.",
  seconds:
    "Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.",
};

const MUTATING: Help = {
  total: "Mutation admission policy check total, labeled by policy and further identified by binding.",
  seconds: "Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding.",
};

function metricsOf(name: string, { total, seconds }: Help, { all }: SeriesByLabels): readonly Metric[] {
  return [
    {
      name: `${name}_check_total`,
      type: "counter",
      help: total,
      samples: all.map(({ labels, count }) => ({ labels, value: count })),
    },
    {
      name: `${name}_check_duration_seconds`,
      type: "histogram",
      help: seconds,
      samples: all.flatMap(({ labels, seconds: histogram }) => histogram.samples(labels)),
    },
  ];
}
