/**
 * Counts the decisions of Pod Security, by the metric names of kube-apiserver.
 *
 * @module
 */
import type { Collector, Labels, Metric, Sample } from "../../util/exposition.ts";
import type { AdmissionRequest } from "../contract.ts";
import type { LevelVersion, Mode } from "./levels.ts";

/** The minor number of the Kubernetes version that the server follows. */
const SERVED_MINOR = 35;

/** The counted properties of a request. */
type Counted = Pick<AdmissionRequest, "operation" | "subresource"> & {
  readonly ref: Pick<AdmissionRequest["ref"], "group" | "plural">;
};

/** A sample of a counter. */
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

/** The metrics of Pod Security. */
export class PodSecurityMetrics {
  readonly #evaluations = new Counts();
  readonly #exemptions = new Counts();
  readonly #errors = new Counts();
  /** Pods in a namespace without labels: the most frequent case, by operation. */
  readonly #usual: ReadonlyMap<string, Count>;

  /** The series that kube-apiserver has from the start exist from the start. */
  constructor() {
    const allowed = evaluationLabels("allow", PRIVILEGED, "enforce");
    this.#usual = new Map(
      OPERATIONS.map((one) => [one.operation, this.#evaluations.of({ ...allowed, ...labelsOf({ ref: POD, ...one }) })]),
    );
    for (const ref of [POD, WORKLOAD]) {
      for (const operation of OPERATIONS) this.#exemptions.of(labelsOf({ ref, ...operation }));
    }
  }

  /** Counts a Pod that a namespace allows without an evaluation. */
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

/** A version that does not exist yet is `future`, so that labels of namespaces make no series. */
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
