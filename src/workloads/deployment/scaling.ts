/** The sizes of the ReplicaSets of a Deployment: rollouts, and changes of the desired number meanwhile (WL-DEP-10..16). */
import type { Deployment } from "../../client/kinds/index.ts";
import { scaleAnnotations } from "./revisions.ts";
import {
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  type SetDraft,
  activeOf,
  byAge,
  sizeOf,
  withAnnotations,
} from "./set-draft.ts";
import { isRolling, maxSurge, maxUnavailable, wantedBy } from "./shares.ts";

/** The ReplicaSets of a Deployment. */
export interface Sets {
  /** The one with the template in the spec; undefined where it does not exist yet. */
  readonly current: SetDraft | undefined;
  /** Those with other templates, the oldest first. */
  readonly old: readonly SetDraft[];
}

/** Sets the size of a ReplicaSet, and the annotations with the size of the Deployment. */
export function resize(set: SetDraft, size: number, deployment: Deployment): void {
  set.size = size;
  set.annotations = withAnnotations(set.annotations, scaleAnnotations(deployment));
}

/** Sets the size of a ReplicaSet; returns whether it has changed. */
function resizeTo(set: SetDraft, size: number, deployment: Deployment): boolean {
  if (set.size === size) return false;
  resize(set, size, deployment);
  return true;
}

/** The size of the ReplicaSet of the template in the spec: as many as surge permits, at most the desired number (WL-DEP-11). */
export function nextSize(current: SetDraft | undefined, old: readonly SetDraft[], deployment: Deployment): number {
  const wanted = wantedBy(deployment);
  const size = current?.size ?? 0;
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - size - sizeOf(old);
  return room > 0 ? size + Math.min(room, wanted - size) : size;
}

/** Changes the size of the ReplicaSet of the template in the spec; returns whether it has changed. */
export function growNew(current: SetDraft, old: readonly SetDraft[], deployment: Deployment): boolean {
  const wanted = wantedBy(deployment);
  const size = current.size > wanted ? wanted : nextSize(current, old, deployment);
  return resizeTo(current, size, deployment);
}

/** Shrinks old ReplicaSets as far as enough Pods stay available: first by unavailable Pods, then by others (WL-DEP-11). */
export function shrinkOld(current: SetDraft, old: readonly SetDraft[], deployment: Deployment): void {
  const least = wantedBy(deployment) - maxUnavailable(deployment);
  let surplus = sizeOf(old) + current.size - least - (current.size - current.available);
  const sets = activeOf(old).toSorted(byAge);
  for (const set of sets) {
    const count = Math.min(set.size - set.available, surplus);
    if (count <= 0) continue;
    surplus -= count;
    resizeTo(set, set.size - count, deployment);
  }
  let spare = sets.reduce((sum, { available }) => sum + available, current.available) - least;
  for (const set of sets) {
    const count = Math.min(set.size, spare);
    if (count <= 0) continue;
    spare -= count;
    resizeTo(set, set.size - count, deployment);
  }
}

/** Shrinks old ReplicaSets to 0; returns whether one was higher (WL-DEP-14). */
export const emptyOld = (old: readonly SetDraft[], deployment: Deployment): boolean =>
  old.map((set) => resizeTo(set, 0, deployment)).includes(true);

/** Whether the desired number has changed since a ReplicaSet was sized (WL-DEP-16). */
export const isScaled = ({ current, old }: Sets, deployment: Deployment): boolean =>
  activeOf(current ? [...old, current] : old).some(({ annotations }) => {
    const desired = countIn(annotations[DESIRED_REPLICAS]);
    return desired !== undefined && desired !== wantedBy(deployment);
  });

/** Distributes a change of the desired number over the ReplicaSets (WL-DEP-15, WL-DEP-16). */
export function scale({ current, old }: Sets, deployment: Deployment): void {
  const wanted = wantedBy(deployment);
  const active = activeOf(current ? [...old, current] : old);
  const [only, ...others] = active;
  if (!only) {
    const newest = current ?? old.toSorted(byAge).at(-1);
    if (newest) resizeTo(newest, wanted, deployment);
  } else if (others.length === 0) resize(only, wanted, deployment);
  else if (current && isSaturated(current, deployment)) void emptyOld(old, deployment);
  else if (isRolling(deployment)) shareOut(active, deployment);
}

function isSaturated(set: SetDraft, deployment: Deployment): boolean {
  const wanted = wantedBy(deployment);
  const desired = countIn(set.annotations[DESIRED_REPLICAS]);
  return set.size === wanted && desired === wanted && set.stored?.status.availableReplicas === wanted;
}

/** Gives each ReplicaSet its part of the change, the largest first; the rest goes to the largest. */
function shareOut(active: readonly SetDraft[], deployment: Deployment): void {
  const wanted = wantedBy(deployment);
  const change = (wanted > 0 ? wanted + maxSurge(deployment) : 0) - sizeOf(active);
  const sets = active.toSorted((a, b) => b.size - a.size || (change > 0 ? byAge(b, a) : byAge(a, b)));
  let left = change;
  const sizes = sets.map((set) => {
    const part = left === 0 ? 0 : partOf(set, deployment);
    const given = change > 0 ? Math.min(part, left) : change < 0 ? Math.max(part, left) : 0;
    left -= given;
    return set.size + given;
  });
  for (const [i, set] of sets.entries()) resize(set, Math.max(0, sizes[i]! + (i === 0 ? left : 0)), deployment);
}

/** The change of a ReplicaSet that keeps its share of the maximum number of Pods. */
function partOf({ size, annotations }: SetDraft, deployment: Deployment): number {
  const wanted = wantedBy(deployment);
  if (wanted === 0) return -size;
  const before = countIn(annotations[MAX_REPLICAS]) || (deployment.status.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * (wanted + maxSurge(deployment))) / before) - size;
}

const COUNT = /^\d{1,10}$/;
const MAX_COUNT = 2 ** 31 - 1;

/** The count in an annotation; undefined where it is no number. */
function countIn(text: string | undefined): number | undefined {
  if (text === undefined || !COUNT.test(text)) return undefined;
  const count = Number(text);
  return count <= MAX_COUNT ? count : undefined;
}
