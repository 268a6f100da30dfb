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
type Counted = Pick<AdmissionRequest, "ref" | "operation" | "subresource">;

/** A counter by labels. */
class Counts {
  readonly #samples = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels): void {
    const key = Object.values(labels).join(" ");
    const known = this.#samples.get(key);
    if (known) known.value++;
    else this.#samples.set(key, { labels, value: 1 });
  }

  samples(): readonly Sample[] {
    return [...this.#samples.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

/** See the head of this file. */
export class PodSecurityMetrics {
  readonly #evaluations = new Counts();
  readonly #errors = new Counts();

  /** Counts a decision of one mode. */
  evaluated(decision: "allow" | "deny", by: LevelVersion, mode: Mode, request: Counted): void {
    this.#evaluations.add({
      decision,
      policy_level: by.level,
      policy_version: versionLabel(by),
      mode,
      ...labelsOf(request),
    });
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
      name: "pod_security_errors_total",
      type: "counter",
      help: "Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.",
      samples: this.#errors.samples(),
    },
  ];
}

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
