import type { ApiObject } from "../client/index.ts";
import { Pod } from "../client/kinds/index.ts";
import { type SelectorValue, selectorOf } from "../meta/label-selector.ts";
import { isFinished } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { explainConditions } from "./conditions.ts";
import { type Facts, First, prefixed, refOf, textOf } from "./facts.ts";

/** The tasks of controllers that are not built in, by kind. */
const CONTROLLER_TASKS: Readonly<Record<string, string>> = {
  Deployment: "creates its ReplicaSets and Pods",
  ReplicaSet: "creates its Pods",
  StatefulSet: "creates its Pods and claims",
  DaemonSet: "creates its Pods",
  ReplicationController: "creates its Pods",
  Job: "creates its Pods",
  CronJob: "creates its Jobs",
  HorizontalPodAutoscaler: "scales its target",
  PodDisruptionBudget: "counts its Pods",
};

/** The groups of these kinds. */
const GROUPS: ReadonlySet<string> = new Set(["", "apps", "batch", "autoscaling", "policy"]);

/** Whether an object is a workload, or controls one. */
export const isWorkload = ({ apiVersion, kind }: ApiObject): boolean =>
  Object.hasOwn(CONTROLLER_TASKS, kind) && GROUPS.has(apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "");

/** The maximum number of explained Pods. */
const MAX_PODS = 3;

interface Workload extends ApiObject {
  readonly spec?: { readonly selector?: unknown };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Explains why a workload does not have its Pods: no controller has observed it, or its Pods are not ready. */
export async function explainWorkload(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const general = await explainConditions(facts, object);
  if (isObserved(object)) return [...general, ...(await ofPods(facts, object))];
  const says = `no controller has looked at it, and none that ${CONTROLLER_TASKS[object.kind]} is built in`;
  const who = `whoever runs a controller for ${object.kind} objects, as kube-controller-manager does, beside this server`;
  return [{ says, who, about: refOf(object) }, ...general];
}

/** Status fields that a controller writes first. */
const STATUS_FIELDS = [
  "observedGeneration",
  "startTime",
  "lastScheduleTime",
  "active",
  "conditions",
  "currentReplicas",
];

const isObserved = ({ status = {} }: Workload): boolean =>
  STATUS_FIELDS.some((member) => {
    const value = status[member];
    return Array.isArray(value) ? value.length > 0 : !!value;
  });

/** Its Pods that are not ready. */
async function ofPods(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const selects = selectorIn(object);
  if (!selects) return [];
  const unready = new First<Pod>(MAX_PODS);
  await facts.tryRead(async () => {
    for await (const pod of facts.each(Pod, { namespace: object.metadata.namespace })) {
      if (selects(pod.metadata.labels ?? {}) && !isFinished(pod) && !isReady(pod)) unready.add(pod);
    }
  });
  const reasons: ReportedReason[] = [];
  for (const pod of unready.items) {
    // oxlint-disable-next-line no-await-in-loop -- one Pod after the other
    const those = await facts.reasonsOf(pod);
    reasons.push(...(those.length > 0 ? prefixed(`its ${textOf(pod)}`, those) : [notReady(pod)]));
  }
  return unready.more > 0 ? [...reasons, { says: `and ${unready.more} more of its Pods are not ready` }] : reasons;
}

const notReady = (pod: Pod): ReportedReason => ({
  says: `its ${textOf(pod)} is not ready`,
  who: "whoever changes its containers",
  about: refOf(pod),
});

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: said }) => type === "Ready" && said === "True") === true;

/** Returns a test for the labels of its Pods; undefined without a selector. */
function selectorIn({ spec, kind }: Workload): ((labels: Readonly<Record<string, string>>) => boolean) | undefined {
  const { selector } = spec ?? {};
  if (typeof selector !== "object" || selector === null) return undefined;
  const value = kind === "ReplicationController" ? { matchLabels: selector } : selector;
  const made = selectorOf(value as SelectorValue);
  return (labels) => made.matches(labels);
}
