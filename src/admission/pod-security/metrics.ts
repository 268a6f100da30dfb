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

/** A sample that is counted up. */
interface Count {
  readonly labels: Labels;
  value: number;
}

/** A counter by labels. */
class Counts {
  readonly #samples = new Map<string, Count>();

  /** The count of some labels, 0 at first. */
  of(labels: Labels): Count {
    const key = Object.values(labels).join(" ");
    let known = this.#samples.get(key);
    if (!known) this.#samples.set(key, (known = { labels, value: 0 }));
    return known;
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
  /** Pods that a namespace without labels allows: most of all, by operation. */
  readonly #usual: ReadonlyMap<string, Count>;

  /** The series that kube-apiserver shows from the start are there from the start. */
  constructor() {
    const allowed = evaluationLabels("allow", PRIVILEGED, "enforce");
    this.#usual = new Map(
      OPERATIONS.map((one) => [one.operation, this.#evaluations.of({ ...allowed, ...labelsOf({ ref: POD, ...one }) })]),
    );
    for (const ref of [POD, WORKLOAD]) {
      for (const operation of OPERATIONS) this.#exemptions.of(labelsOf({ ref, ...operation }));
    }
  }

  /** Counts a Pod that a namespace allows without looking at it. */
  allowed(by: LevelVersion, request: Counted): void {
    const usual = request.subresource === "" ? this.#usual.get(request.operation) : undefined;
    if (usual) usual.value++;
    else this.evaluated("allow", by, "enforce", request);
  }

  /** Counts a decision of one mode. */
  evaluated(decision: "allow" | "deny", by: LevelVersion, mode: Mode, request: Counted): void {
    this.#evaluations.of({ ...evaluationLabels(decision, by, mode), ...labelsOf(request) }).value++;
  }

  /** Counts a request that was evaluated against invalid labels. */
  failed(request: Counted): void {
    this.#errors.of({ fatal: "false", ...labelsOf(request) }).value++;
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
