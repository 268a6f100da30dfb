/**
 * Keeps the desired number of Pods of a ReplicaSet or a ReplicationController: both are the same except for their selectors.
 *
 * @module
 */
import type { Kind } from "../../client/kind.ts";
import { Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { controllerOf, ownershipWrites, planOwnership } from "../common/ownership.ts";
import { type Plan, type PlannedWrite, type Refusal, creates, deletes, updatesStatus } from "../common/plan.ts";
import { isActive, isTerminating, nextAvailable } from "../common/pods.ts";
import { isSameStatus } from "../common/status.ts";
import { podFromTemplate } from "../common/template.ts";
import { type Replicated, fitsReplicas, wantedBy } from "./replicated.ts";
import { deletionOrder } from "./ranking.ts";
import { statusOf } from "./status.ts";

/** The input of the plan of a ReplicaSet. */
export interface ReplicasInput {
  readonly kind: Kind<Replicated, "Namespaced">;
  readonly object: Replicated;
  /** The Pods that it controls, and those of its namespace without a controller. */
  readonly candidates: readonly Pod[];
  /** The Pods of all ReplicaSets of its Deployment; it is called only when some have to be deleted. */
  readonly related: () => readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The maximum number of Pods that one plan creates or deletes (WL-GEN-5). */
const MAX_CHANGES = 500;

const CREATION = { done: "SuccessfulCreate", refused: "FailedCreate" };
const DELETION = { done: "SuccessfulDelete", refused: "FailedDelete" };

/**
 * Plans the Pods and the status of a ReplicaSet or ReplicationController (WL-RS-1..8). Adoptions and releases of Pods come first; they
 * are counted by the next plan.
 */
export function planReplicas(input: ReplicasInput): Plan {
  const { object, candidates, now } = input;
  const claims = planOwnership(object, candidates.filter(isActive), (pod) => fitsReplicas(pod, object));
  const { owned, adopts, releases } = claims;
  if (adopts.length + releases.length > 0) {
    return { stages: [ownershipWrites(Pod, object, claims)], adopts: adopts.length > 0 };
  }
  const changes = object.metadata.deletionTimestamp === undefined ? changesOf(input, owned) : [];
  return {
    stages: changes.length > 0 ? [changes] : [],
    afterwards: (refusals, isIncomplete) => statusWrites(input, owned, isIncomplete ? [] : changes, refusals),
    againMillis: nextAvailable(owned, object.spec.minReadySeconds ?? 0, now),
  };
}

/** Creates missing Pods, or deletes those that are too many. */
function changesOf(input: ReplicasInput, active: readonly Pod[]): readonly PlannedWrite[] {
  const { object, related, now } = input;
  const { template } = object.spec;
  const tooMany = active.length - wantedBy(object);
  if (tooMany > 0) {
    const ordered = tooMany < active.length ? deletionOrder(related(), now)(active) : active;
    return ordered.slice(0, Math.min(tooMany, MAX_CHANGES)).map((pod) => deletes(Pod, pod, DELETION));
  }
  if (!template) return [];
  const made = Array.from({ length: Math.min(-tooMany, MAX_CHANGES) });
  return made.map(() => creates(Pod, podFromTemplate(template, object), CREATION));
}

/** Writes the status where it differs. It counts what the changes did, unless some were refused. */
function statusWrites(
  { kind, object, candidates, now }: ReplicasInput,
  active: readonly Pod[],
  changes: readonly PlannedWrite[],
  refusals: readonly Refusal[],
): readonly PlannedWrite[] {
  const done = refusals.length > 0 ? [] : changes;
  const deleted = new Set(done.flatMap((write) => (write.verb === "delete" ? [write.object as Pod] : [])));
  const going = candidates.filter(
    (pod) => isTerminating(pod) && !isFinished(pod) && isControlled(pod, object) && fitsReplicas(pod, object),
  );
  const status = statusOf(object, {
    active: active.filter((pod) => !deleted.has(pod)),
    created: done.filter(({ verb }) => verb === "create").length,
    terminating: going.length + [...deleted].filter(staysAWhile).length,
    failure: refusals[0]?.message,
    isShort: active.length < wantedBy(object),
    now,
  });
  return isSameStatus(object.status, status) ? [] : [updatesStatus(kind, { ...object, status } as Replicated)];
}

/** Whether a deleted Pod continues to exist until its node agent removes it, or its finalizers are removed. */
const staysAWhile = ({ metadata, spec }: Pod): boolean =>
  Boolean(spec.nodeName) || (metadata.finalizers ?? []).length > 0;

const isControlled = (pod: Pod, { metadata }: Replicated): boolean => controllerOf(pod)?.uid === metadata.uid;
