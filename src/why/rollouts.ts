/**
 * The conditions that rollouts of Deployments, StatefulSets and DaemonSets wait for, by the functions by which their controllers decide.
 */
import type { ApiObject } from "../client/index.ts";
import {
  ControllerRevision,
  type DaemonSet,
  type Deployment,
  Pod,
  ReplicaSet,
  type StatefulSet,
} from "../client/kinds/index.ts";
import { isFinished } from "../claims/usage.ts";
import { selectorOf } from "../meta/label-selector.ts";
import type { ReportedReason } from "../meta/why-report.ts";
import { controllerOf } from "../workloads/common/ownership.ts";
import { availableSince, isAvailable, isReady, isTerminating } from "../workloads/common/pods.ts";
import { isUpdated, HASH } from "../workloads/daemonset/pod.ts";
import { wantedBy, isRolling } from "../workloads/deployment/shares.ts";
import { deadlineMillis, isComplete } from "../workloads/deployment/status.ts";
import { hasTemplateOf } from "../workloads/deployment/template-set.ts";
import { byNumber, isRevisionOf } from "../workloads/revisions/revision.ts";
import { isWanted, firstOrdinal, ordinalOf, podName, replicasOf } from "../workloads/statefulset/names.ts";
import { planStatefulSet } from "../workloads/statefulset/plan.ts";
import { revisionOf } from "../workloads/statefulset/pod.ts";
import { isRunningAndReady } from "../workloads/statefulset/status.ts";
import { type Facts, named } from "./facts.ts";
import { whenText } from "./waits.ts";

const nameOf = ({ metadata }: ApiObject): string => metadata.name;

const pods = (count: number): string => (count === 1 ? "1 Pod" : `${count} Pods`);

/** Says which Pod that is ready becomes available next (`minReadySeconds`). */
export function ofMinReady(all: readonly Pod[], minReadySeconds: number, now: number): readonly ReportedReason[] {
  const waiting = all.flatMap((pod) => {
    const at = isTerminating(pod) ? undefined : availableSince(pod, minReadySeconds);
    return at !== undefined && at > now ? [{ pod, at }] : [];
  });
  if (waiting.length === 0) return [];
  const next = waiting.reduce((a, b) => (b.at < a.at ? b : a));
  const others = waiting.length > 1 ? `, as do ${waiting.length - 1} more` : "";
  const says = `its Pod ${nameOf(next.pod)} is ready, and waits until ${whenText(now, next.at - now)} for minReadySeconds (${minReadySeconds})${others}`;
  return [{ says }];
}

/** Explains a rollout of a Deployment. */
export async function explainDeployment(facts: Facts, deployment: Deployment): Promise<readonly ReportedReason[]> {
  const { spec, status, metadata } = deployment;
  const now = facts.client.clock.now();
  const reasons: ReportedReason[] = [];
  if (spec.paused) {
    const says = "it is paused: a new template is not rolled out before it is resumed";
    reasons.push({ says, who: `a user who runs kubectl rollout resume deployment/${metadata.name}` });
  }
  if (isComplete(deployment, status)) return reasons;
  const { namespace = "" } = metadata;
  const sets = new Map<string, ReplicaSet>();
  for await (const set of facts.each(ReplicaSet, { namespace }))
    if (controllerOf(set)?.uid === metadata.uid) sets.set(set.metadata.uid, set);
  const own: Pod[] = [];
  for await (const pod of facts.each(Pod, { namespace })) if (sets.has(controllerOf(pod)?.uid ?? "")) own.push(pod);
  const setOf = (pod: Pod): ReplicaSet => sets.get(controllerOf(pod)!.uid)!;
  const isNew = (pod: Pod): boolean => hasTemplateOf(setOf(pod), deployment);
  const live = own.filter((pod) => !isFinished(pod) && !isTerminating(pod));
  const { minReadySeconds = 0 } = spec;
  const updated = live.filter(isNew);
  const available = updated.filter((pod) => isAvailable(pod, minReadySeconds, now));
  const old = live.length - updated.length;
  const oldText = old > 0 ? `; ${pods(old)} of older templates still ${old === 1 ? "exists" : "exist"}` : "";
  const has = `${updated.length} of ${wantedBy(deployment)} Pods of the current template exist, ${available.length} are available`;
  reasons.push({ says: `its rollout continues: ${has}${oldText}` });
  const leaving = own.filter((pod) => !isNew(pod) && !isFinished(pod));
  if (!isRolling(deployment) && leaving.length > 0)
    reasons.push({
      says: `it creates no new Pods before its old ones are deleted (Recreate): ${named(leaving.map(nameOf))}`,
    });
  reasons.push(...ofMinReady(live, minReadySeconds, now), ...ofDeadline(deployment, now));
  return reasons;
}

function ofDeadline(deployment: Deployment, now: number): readonly ReportedReason[] {
  const { spec, status } = deployment;
  const progress = status.conditions?.find(({ type }) => type === "Progressing");
  if (progress?.reason === "ProgressDeadlineExceeded")
    return [
      {
        says: `its progress deadline of ${spec.progressDeadlineSeconds ?? 600}s has passed; the rollout still continues`,
      },
    ];
  const left = spec.paused ? undefined : deadlineMillis(deployment, status, now);
  return left === undefined
    ? []
    : [{ says: `the progress deadline passes at ${whenText(now, left)} unless there is progress` }];
}

/** Explains a StatefulSet: which Pod the others wait for, and how far an update is. */
export async function explainStatefulSet(facts: Facts, set: StatefulSet): Promise<readonly ReportedReason[]> {
  const { namespace = "", uid } = set.metadata;
  const now = facts.client.clock.now();
  const own = await ownedPods(facts, set);
  const revisions: ControllerRevision[] = [];
  const present: ControllerRevision[] = [];
  for await (const one of facts.each(ControllerRevision, { namespace })) {
    if (controllerOf(one)?.uid !== uid) continue;
    revisions.push(one);
    if (isRevisionOf(one, set.spec.template)) present.push(one);
  }
  const reasons: ReportedReason[] = [];
  const view = {
    set,
    pods: own,
    revisions,
    revisionNamed: (name: string) => revisions.find(({ metadata }) => metadata.name === name),
    // Claims are read where a Pod waits for them.
    claimNamed: () => undefined,
    now,
  };
  const { obstacle } = planStatefulSet(view);
  if (obstacle !== undefined) reasons.push({ says: obstacle });
  reasons.push(...ofOrder(set, own, now), ...ofMinReady(own, set.spec.minReadySeconds ?? 0, now));
  const update = present.toSorted(byNumber).at(-1)?.metadata.name;
  reasons.push(...ofUpdate(set, own, update ?? set.status.updateRevision));
  return reasons;
}

/** The Pod that holds up those after it. */
function ofOrder(set: StatefulSet, own: readonly Pod[], now: number): readonly ReportedReason[] {
  if (set.spec.podManagementPolicy === "Parallel") return [];
  const { minReadySeconds = 0 } = set.spec;
  const known = new Map(own.map((pod) => [ordinalOf(set, pod), pod]));
  const first = firstOrdinal(set);
  const last = first + replicasOf(set) - 1;
  for (let ordinal = first; ordinal <= Math.min(last, first + own.length); ordinal++) {
    const pod = known.get(ordinal);
    if (pod && isRunningAndReady(pod) && !isTerminating(pod) && isAvailable(pod, minReadySeconds, now)) continue;
    if (!pod || ordinal === last) return [];
    const why = isTerminating(pod) ? "is being deleted" : isReady(pod) ? "is not available yet" : "is not ready";
    const says = `${podName(set, ordinal)} ${why}, and the Pods after it, up to ${podName(set, last)}, wait for it (OrderedReady)`;
    return [{ says }];
  }
  return [];
}

/** The progress of an update. */
function ofUpdate(set: StatefulSet, own: readonly Pod[], update: string | undefined): readonly ReportedReason[] {
  if (update === undefined) return [];
  const old = own
    .map((pod) => ({ pod, ordinal: ordinalOf(set, pod) ?? -1 }))
    .filter(({ pod, ordinal }) => isWanted(set, ordinal) && revisionOf(pod) !== update)
    .toSorted((a, b) => b.ordinal - a.ordinal);
  if (old.length === 0) return [];
  const { type, rollingUpdate } = set.spec.updateStrategy;
  const names = (members: typeof old): string => named(members.map(({ pod }) => nameOf(pod)));
  if (type === "OnDelete")
    return [
      {
        says: `of an older template until they are deleted (OnDelete): ${names(old)}`,
        who: "a user who deletes them",
      },
    ];
  const partition = firstOrdinal(set) + (rollingUpdate?.partition ?? 0);
  const goes = old.filter(({ ordinal }) => ordinal >= partition);
  const stays = old.filter(({ ordinal }) => ordinal < partition);
  return [
    ...(goes.length > 0
      ? [{ says: `its update continues from the highest ordinal down; old Pods: ${names(goes)}` }]
      : []),
    ...(stays.length > 0
      ? [
          {
            says: `below its partition ${rollingUpdate?.partition} an older template stays: ${names(stays)}`,
            who: "a user who lowers the partition",
          },
        ]
      : []),
  ];
}

/** Explains a DaemonSet: nodes without an available Pod, and how far an update is. */
export async function explainDaemonSet(facts: Facts, set: DaemonSet): Promise<readonly ReportedReason[]> {
  const { spec, status, metadata } = set;
  const now = facts.client.clock.now();
  const own = (await ownedPods(facts, set)).filter((pod) => !isFinished(pod) && !isTerminating(pod));
  const { desiredNumberScheduled: desired, currentNumberScheduled: current, numberMisscheduled } = status;
  const reasons: ReportedReason[] = [];
  if (desired === 0 && current === 0) reasons.push({ says: "no node fits it: its selector, affinity or taints" });
  if (current < desired) reasons.push({ says: `${desired - current} of ${desired} nodes have no Pod of it yet` });
  if (numberMisscheduled > 0)
    reasons.push({ says: `${pods(numberMisscheduled)} of it run on nodes that should have none` });
  reasons.push(...ofMinReady(own, spec.minReadySeconds ?? 0, now));
  const hash = await presentHash(facts, set);
  const old = hash === undefined ? [] : own.filter((pod) => !isUpdated(set, pod, hash));
  if (old.length === 0) return reasons;
  const names = named(old.map(nameOf));
  if (spec.updateStrategy.type === "OnDelete")
    return [
      ...reasons,
      { says: `of an older template until they are deleted (OnDelete): ${names}`, who: "a user who deletes them" },
    ];
  const { maxUnavailable = 1, maxSurge = 0 } = spec.updateStrategy.rollingUpdate ?? {};
  const pace = `${maxUnavailable} unavailable and ${maxSurge} more at a time`;
  return [
    ...reasons,
    {
      says: `its update continues with ${pace}; old Pods: ${names}`,
      about: { apiVersion: set.apiVersion, kind: set.kind, name: metadata.name },
    },
  ];
}

async function presentHash(facts: Facts, set: DaemonSet): Promise<string | undefined> {
  const { namespace = "", uid } = set.metadata;
  const revisions: ControllerRevision[] = [];
  for await (const one of facts.each(ControllerRevision, { namespace }))
    if (controllerOf(one)?.uid === uid && isRevisionOf(one, set.spec.template)) revisions.push(one);
  return revisions.toSorted(byNumber).at(-1)?.metadata.labels?.[HASH];
}

/** The Pods that an object controls and that its selector selects. */
async function ownedPods(facts: Facts, owner: StatefulSet | DaemonSet): Promise<readonly Pod[]> {
  const { namespace = "", uid } = owner.metadata;
  const selector = selectorOf(owner.spec.selector ?? {});
  const own: Pod[] = [];
  for await (const pod of facts.each(Pod, { namespace }))
    if (controllerOf(pod)?.uid === uid && selector.matches(pod.metadata.labels)) own.push(pod);
  return own;
}
