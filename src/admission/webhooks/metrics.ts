/**
 * Metrics of webhooks and of their match conditions, under the names of kube-apiserver.
 *
 * @module
 */
import { type Collector, Histogram, type Labels, type Metric } from "../../util/exposition.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { Webhook } from "./configuration.ts";

/** Why a request was rejected. */
export type RejectionType = "calling_webhook_error" | "apiserver_internal_error" | "no_error";

/** How a call has ended. */
export interface CallObservation {
  readonly webhook: Webhook;
  readonly operation: AdmissionRequest["operation"];
  readonly millis: number;
  readonly code: number;
  /** Undefined for a call after which the request continues. */
  readonly rejection: RejectionType | undefined;
}

const CALL_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const CONDITION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
/** Codes above count as this one, as in kube-apiserver. */
const MAX_CODE = 600;

/** Names of webhooks come from objects, so their number is bounded; further ones are not counted. */
const MAX_SERIES = 10_000;

/** Values by their labels. */
class Series<T> {
  readonly #make: () => T;
  readonly #values = new Map<string, { readonly labels: Labels; value: T }>();

  constructor(make: () => T) {
    this.#make = make;
  }

  update(labels: Labels, change: (value: T) => T): void {
    const key = Object.values(labels).join("\0");
    let found = this.#values.get(key);
    if (!found) {
      if (this.#values.size >= MAX_SERIES) return;
      this.#values.set(key, (found = { labels, value: this.#make() }));
    }
    found.value = change(found.value);
  }

  get values(): Iterable<{ readonly labels: Labels; readonly value: T }> {
    return this.#values.values();
  }
}

const counters = (): Series<number> => new Series(() => 0);
const histograms = (bounds: readonly number[]): Series<Histogram> => new Series(() => new Histogram(bounds));

const increment = (series: Series<number>, labels: Labels): void => series.update(labels, (value) => value + 1);

const observe = (series: Series<Histogram>, labels: Labels, millis: number): void =>
  series.update(labels, (histogram) => {
    histogram.observe(millis / 1000);
    return histogram;
  });

const counter = (name: string, help: string, series: Series<number>): Metric => ({
  name: `apiserver_admission_${name}`,
  type: "counter",
  help,
  samples: [...series.values],
});

const histogram = (name: string, help: string, series: Series<Histogram>): Metric => ({
  name: `apiserver_admission_${name}`,
  type: "histogram",
  help,
  samples: [...series.values].flatMap(({ labels, value }) => value.samples(labels)),
});

/** Counts calls of webhooks. */
export class WebhookMetrics {
  readonly #durations = histograms(CALL_SECONDS);
  readonly #requests = counters();
  readonly #rejections = counters();
  readonly #failOpen = counters();
  readonly #conditionErrors = counters();
  readonly #exclusions = counters();
  readonly #conditionSeconds = histograms(CONDITION_SECONDS);

  /** A call has ended. */
  called({ webhook, operation, millis, code, rejection }: CallObservation): void {
    const about = { name: webhook.name, type: webhook.type.label, operation };
    const shownCode = String(Math.min(code, MAX_CODE));
    const rejected = String(rejection !== undefined);
    increment(this.#requests, { ...about, code: shownCode, rejected });
    observe(this.#durations, { ...about, rejected }, millis);
    if (rejection) increment(this.#rejections, { ...about, error_type: rejection, rejection_code: shownCode });
  }

  /** A request continues without the webhook, which could not be called. */
  failedOpen({ name, type }: Webhook): void {
    increment(this.#failOpen, { name, type: type.label });
  }

  /** Match conditions were evaluated. */
  evaluated(
    webhook: Webhook,
    operation: string,
    result: { readonly failures: number; readonly isExcluded: boolean },
    millis: number,
  ): void {
    const labels = { name: webhook.name, kind: "webhook", type: webhook.type.label, operation };
    observe(this.#conditionSeconds, labels, millis);
    if (result.failures > 0) this.#conditionErrors.update(labels, (value) => value + result.failures);
    if (result.isExcluded) increment(this.#exclusions, labels);
  }

  /** The metrics. */
  readonly collect: Collector = () => [
    histogram("webhook_admission_duration_seconds", "Seconds of calls of admission webhooks.", this.#durations),
    counter("webhook_request_total", "Calls of admission webhooks.", this.#requests),
    counter("webhook_rejection_count", "Requests that admission webhooks have rejected.", this.#rejections),
    counter("webhook_fail_open_count", "Failed calls after which the request continues.", this.#failOpen),
    counter("match_condition_evaluation_errors_total", "Match conditions that failed.", this.#conditionErrors),
    counter("match_condition_exclusions_total", "Requests that match conditions exclude.", this.#exclusions),
    histogram("match_condition_evaluation_seconds", "Seconds of match conditions.", this.#conditionSeconds),
  ];
}
