/**
 * Counts the decisions of Pod Security, by the metric names of kube-apiserver.
 *
 * @module
 */
import type { Collector, Labels, Metric, Sample } from "../../util/exposition.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { LevelVersion, Mode } from "./levels.ts";

/** The minor number of the version of Kubernetes that the server is like. */
const SERVED_MINOR = 35;

/** What is counted of a request. */
type Counted = Pick<AdmissionRequest, "operation" | "subresource"> & {
  readonly ref: Pick<AdmissionRequest["ref"], "group" | "plural">;
};

/** A counter by labels. */
class Counts {
  readonly #samples = new Map<string, { readonly labels: Labels; value: number }>();

  /** Counts one, or shows a series from the start with `count` 0. */
  add(labels: Labels, count = 1): void {
    const key = Object.values(labels).join(" ");
    const known = this.#samples.get(key);
    if (known) known.value += count;
    else this.#samples.set(key, { labels, value: count });
  }

  samples(): readonly Sample[] {
    return [...this.#samples.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

/** See the head of this file. */
export class PodSecurityMetrics {
  readonly #evaluations = new Counts();
  readonly #exemptions = new Counts();
  readonly #errors = new Counts();

  /** The series that kube-apiserver shows from the start are there from the start. */
  constructor() {
    for (const operation of OPERATIONS) {
      this.#evaluations.add(
        { ...evaluationLabels("allow", PRIVILEGED, "enforce"), ...labelsOf({ ref: POD, ...operation }) },
        0,
      );
    }
    for (const ref of [POD, WORKLOAD]) {
      for (const operation of OPERATIONS) this.#exemptions.add(labelsOf({ ref, ...operation }), 0);
    }
  }

  /** Counts a decision of one mode. */
  evaluated(decision: "allow" | "deny", by: LevelVersion, mode: Mode, request: Counted): void {
    this.#evaluations.add({ ...evaluationLabels(decision, by, mode), ...labelsOf(request) });
  }

  /** Counts a request that was evaluated against invalid labels. */
  failed(request: Counted): void {
    this.#errors.add({ fatal: "false", ...labelsOf(request) });
  }

  /** The counts as metrics. */
  readonly collector: Collector = (): readonly Metric[] => [
    {
      name: "pod_security_evaluations_total",
      type: "counter",
      help: "Number of policy evaluations that occurred, not counting ignored or exempt requests.",
      samples: this.#evaluations.samples(),
    },
    {
      name: "pod_security_exemptions_total",
      type: "counter",
      help: "Number of exempt requests, not counting ignored or out of scope requests.",
      samples: this.#exemptions.samples(),
    },
    {
      name: "pod_security_errors_total",
      type: "counter",
      help: "Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.",
      samples: this.#errors.samples(),
    },
  ];
}

const POD = { group: "", plural: "pods" };
const WORKLOAD = { group: "apps", plural: "deployments" };
const PRIVILEGED: LevelVersion = { level: "privileged", version: "latest", minor: Infinity };
const OPERATIONS = [
  { operation: "CREATE", subresource: "" },
  { operation: "UPDATE", subresource: "" },
] as const;

const evaluationLabels = (decision: "allow" | "deny", by: LevelVersion, mode: Mode): Labels => ({
  decision,
  policy_level: by.level,
  policy_version: versionLabel(by),
  mode,
});

/** A version that is not there yet is `future`, so that labels of namespaces make no series. */
const versionLabel = ({ level, version, minor }: LevelVersion): string => {
  if (level === "privileged" || version === "latest") return "latest";
  return minor <= SERVED_MINOR ? version : "future";
};

const RESOURCES: Readonly<Record<string, string>> = { pods: "pod", namespaces: "namespace" };

const labelsOf = ({ ref, operation, subresource }: Counted): Labels => ({
  request_operation: operation.toLowerCase(),
  resource: (ref.group === "" && RESOURCES[ref.plural]) || "controller",
  subresource,
});
