/**
 * Sorts the claims of a Pod: bound ones, delayed ones that wait for the node of the Pod, and unready ones
 * (SCHED-12..17).
 */
import { type Key, keyText } from "../../client/index.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../client/kinds/index.ts";
import { compareQuantities } from "../../meta/quantity.ts";
import { controllerUid } from "../../runtime/owners.ts";
import { classOf, requestOf } from "../../claims/fit.ts";
import { claimKeyOf } from "../../claims/pod-claims.ts";
import type { View } from "./view.ts";
import { topics } from "./topics.ts";

/** A bound claim; its volume is undefined where it does not exist (SCHED-23). */
export interface BoundClaim {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume | undefined;
}

/** A claim that excludes every node. */
export interface UnreadyClaim {
  readonly key: string;
  readonly says: string;
  readonly who: string;
}

/** The claims of a Pod by state. */
export interface PodClaims {
  readonly bound: readonly BoundClaim[];
  /** Sorted by request, the smallest first (SCHED-26). */
  readonly delayed: readonly PersistentVolumeClaim[];
  readonly unready: readonly UnreadyClaim[];
  /** The topics whose changes may make unready claims ready. */
  readonly waitsFor: readonly string[];
}

type Lookup = Pick<View, "claim" | "volume" | "storageClass" | "names">;

/** Sorts the claims of a Pod; see the head of this file. */
export function claimsOf(pod: Pod, view: Lookup): PodClaims {
  const bound: BoundClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  const unready: UnreadyClaim[] = [];
  const waitsFor: string[] = [];
  const seen = new Set<string>();
  for (const { key, isOwn } of namedBy(pod)) {
    const text = keyText(key);
    waitsFor.push(topics.claim(text));
    const claim = view.claim(text);
    const missing = lackOf(pod, key, claim, isOwn);
    if (missing) unready.push({ key: text, ...missing });
    if (!claim || missing || seen.has(text)) continue;
    seen.add(text);
    if (isBound(claim, view)) {
      bound.push({ claim, volume: view.volume(claim.spec.volumeName ?? "") });
      continue;
    }
    const className = classOf(claim, view.names.binder);
    waitsFor.push(topics.storageClass(className));
    const wait = whyNotDelayed(claim, className, view);
    if (wait) unready.push({ key: text, ...wait });
    else delayed.push(claim);
  }
  const bySize = delayed.toSorted((a, b) => compareQuantities(requestOf(a), requestOf(b)));
  return { bound, delayed: bySize, unready, waitsFor };
}

/** Whether a claim is fully bound (SCHED-16). */
export const isBound = ({ metadata, spec }: PersistentVolumeClaim, { names }: Pick<View, "names">): boolean =>
  !!spec.volumeName && metadata.annotations?.[names.binder.bindCompleted] !== undefined;

/** The claims of a Pod; `isOwn` marks those of ephemeral volumes. */
const namedBy = (pod: Pod): readonly { readonly key: Key<"Namespaced">; readonly isOwn: boolean }[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => {
    const key = claimKeyOf(pod, volume);
    return key ? [{ key, isOwn: volume.ephemeral !== undefined }] : [];
  });

type Lack = Pick<UnreadyClaim, "says" | "who">;

function lackOf(
  { metadata }: Pod,
  { name }: Key<"Namespaced">,
  claim: PersistentVolumeClaim | undefined,
  isOwn: boolean,
): Lack | undefined {
  const what = `persistentvolumeclaim ${JSON.stringify(name)}`;
  if (!claim) {
    return isOwn
      ? {
          says: `${what} not found, the controller has not created it for the pod yet`,
          who: "the controller ephemeral-volume",
        }
      : { says: `${what} not found`, who: "a user who creates that claim" };
  }
  if (isOwn && controllerUid(claim) !== metadata.uid) {
    const says = `${what} was not created for pod ${JSON.stringify(metadata.name)}, which wants one of that name`;
    return { says, who: "a user who deletes that claim, or renames the pod" };
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return { says: `${what} is being deleted`, who: "a user who creates it again after its deletion" };
  }
  if (claim.status?.phase === "Lost") {
    const volume = JSON.stringify(claim.spec.volumeName ?? "");
    const who = "a user who has a copy of the data and creates a new claim";
    return { says: `${what} bound to non-existent persistentvolume ${volume}`, who };
  }
  return undefined;
}

/** Returns why an unbound claim is not delayed, so that the Pod waits for the claim (SCHED-15). */
function whyNotDelayed(claim: PersistentVolumeClaim, className: string, view: Lookup): Lack | undefined {
  const storageClass = className === "" ? undefined : view.storageClass(className);
  const isLate = storageClass?.volumeBindingMode === "WaitForFirstConsumer" && !claim.spec.volumeName;
  if (isLate) return undefined;
  const unbound = "pod has unbound immediate PersistentVolumeClaims";
  if (className !== "" && !storageClass) {
    const says = `${unbound}: storageclass ${JSON.stringify(className)} not found`;
    return { says, who: "a user who creates that StorageClass, or a volume for the claim" };
  }
  const who = `the controller persistentvolume-binder, and who makes volumes: see keelson why pvc/${claim.metadata.name}`;
  return { says: unbound, who };
}
