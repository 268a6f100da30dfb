import type { ApiObject } from "../client/index.ts";
import {
  type CronJob,
  type DaemonSet,
  type Deployment,
  type HorizontalPodAutoscaler,
  type Job,
  Pod,
  type PodDisruptionBudget,
  type Service,
  type StatefulSet,
} from "../client/kinds/index.ts";
import { type SelectorValue, selectorOf } from "../meta/label-selector.ts";
import { isFinished } from "../claims/usage.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { explainConditions } from "./conditions.ts";
import { explainAutoscaler, explainBudget, explainService } from "./disruption.ts";
import { type Facts, First, prefixed, refOf, textOf } from "./facts.ts";
import { explainCronJob, explainJob } from "./jobs.ts";
import { explainDaemonSet, explainDeployment, explainStatefulSet } from "./rollouts.ts";
import { isReady } from "../workloads/common/pods.ts";

/** The controllers of workloads, by kind: their names in `--controllers`. */
const CONTROLLERS: Readonly<Record<string, string>> = {
  Deployment: "deployment",
  ReplicaSet: "replicaset",
  StatefulSet: "statefulset",
  DaemonSet: "daemonset",
  ReplicationController: "replicationcontroller",
  Job: "job",
  CronJob: "cronjob",
  HorizontalPodAutoscaler: "horizontal-pod-autoscaling",
  PodDisruptionBudget: "disruption",
  Service: "endpointslice",
};

/** The groups of these kinds. */
const GROUPS: ReadonlySet<string> = new Set(["", "apps", "batch", "autoscaling", "policy"]);

/** Whether an object is a workload, or controls one. */
export const isWorkload = ({ apiVersion, kind }: ApiObject): boolean =>
  Object.hasOwn(CONTROLLERS, kind) && GROUPS.has(apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/"))));

/** The maximum number of explained Pods. */
const MAX_PODS = 3;

interface Workload extends ApiObject {
  readonly spec?: { readonly selector?: unknown };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Explains what a workload waits for: its controller, its rollout, its conditions, its Pods that are not ready. */
export async function explainWorkload(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> {
  const off = ofSwitchedOff(facts, object);
  const own = await facts.reasonsOrRefusal(async () => ofKind(facts, object));
  const general = await explainConditions(facts, object);
  if (object.kind === "Service") return [...off, ...own];
  if (!isObserved(object)) {
    const who = `the controller ${CONTROLLERS[object.kind]}`;
    const waits = off.length > 0 ? off : [{ says: "its controller has not handled it yet", who, about: refOf(object) }];
    return [...waits, ...(object.kind === "CronJob" && off.length === 0 ? own : []), ...general];
  }
  return [...off, ...own, ...general, ...(await ofPods(facts, object))];
}

/** Its controller does not run on this server. */
function ofSwitchedOff({ controllers }: Facts, object: ApiObject): readonly ReportedReason[] {
  const name = CONTROLLERS[object.kind]!;
  if (!controllers || controllers.has(name)) return [];
  const says = `the controller ${name} is disabled on this server, so it does not act on this object`;
  const who = `an operator who adds ${name} to --controllers, or runs kube-controller-manager`;
  return [{ says, who, about: refOf(object) }];
}

function ofKind(facts: Facts, object: ApiObject): Promise<readonly ReportedReason[]> | readonly ReportedReason[] {
  // The kind has been checked by isWorkload.
  switch (object.kind) {
    case "Deployment":
      return explainDeployment(facts, object as Deployment);
    case "StatefulSet":
      return explainStatefulSet(facts, object as StatefulSet);
    case "DaemonSet":
      return explainDaemonSet(facts, object as DaemonSet);
    case "Job":
      return explainJob(facts, object as Job);
    case "CronJob":
      return explainCronJob(facts, object as CronJob);
    case "HorizontalPodAutoscaler":
      return explainAutoscaler(object as HorizontalPodAutoscaler);
    case "PodDisruptionBudget":
      return explainBudget(facts, object as PodDisruptionBudget);
    case "Service":
      return explainService(facts, object as Service);
    default:
      return [];
  }
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
  who: "a user who changes its containers",
  about: refOf(pod),
});

/** Returns a test for the labels of its Pods; undefined without a selector. */
function selectorIn({ spec, kind }: Workload): ((labels: Readonly<Record<string, string>>) => boolean) | undefined {
  const { selector } = spec ?? {};
  if (typeof selector !== "object" || selector === null) return undefined;
  const value = kind === "ReplicationController" ? { matchLabels: selector } : selector;
  const compiled = selectorOf(value as SelectorValue);
  return (labels) => compiled.matches(labels);
}
