/**
 * The pod that empties a volume (CTL-RECLAIM-14).
 *
 * @module
 */
import type { NewObject } from "../../../client/index.ts";
import type { PersistentVolume, Pod } from "../../../client/kinds/index.ts";
import { parseQuantity } from "../../../meta/quantity.ts";
import { capacityOf } from "../../../claims/fit.ts";
import type { BinderNames } from "../../../claims/annotations.ts";

const NAMESPACE = "default";
const PREFIX = "recycler-for-";
/** So many seconds for each of these bytes, and at least those of its kind; no pod can be given more than the last number. */
const DEADLINE_SECONDS = { each: 30, bytes: 1024 ** 3, leastOfHostPath: 60, leastOfNfs: 300, most: 2 ** 31 - 1 };
const IMAGE = "registry.k8s.io/debian-base:v2.0.0";
const SCRUB = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)"';

/** The volume that a pod empties. */
export const recycledBy = ({ metadata: { namespace, name } }: Pod): string | undefined =>
  namespace === NAMESPACE && name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;

/** Where the pod is that empties a volume. */
export const recyclerKey = ({ metadata: { name } }: PersistentVolume): { namespace: string; name: string } => ({
  namespace: NAMESPACE,
  name: `${PREFIX}${name}`,
});

/** Whether a pod was made to empty a volume after the claim that the volume names; it may be older, and of another. */
export const isRecyclerOf = (
  { metadata: { annotations, ownerReferences } }: Pod,
  { metadata, spec }: PersistentVolume,
  { emptiedAfter }: BinderNames,
): boolean =>
  annotations?.[emptiedAfter] === spec.claimRef?.uid &&
  ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;

/** That pod. It changesPhase with its volume, and says after which claim it empties it. */
export function recyclerOf(volume: PersistentVolume, { emptiedAfter }: BinderNames): NewObject<Pod> {
  const { apiVersion, kind, metadata } = volume;
  const { hostPath, nfs, claimRef } = volume.spec;
  const source = hostPath ? { hostPath: { path: hostPath.path } } : { nfs: { server: nfs!.server, path: nfs!.path } };
  const { mantissa, exponent } = parseQuantity(capacityOf(volume)) ?? { mantissa: 0n, exponent: 0 };
  const seconds = Math.floor((Number(mantissa) * 10 ** exponent) / DEADLINE_SECONDS.bytes) * DEADLINE_SECONDS.each;
  const least = hostPath ? DEADLINE_SECONDS.leastOfHostPath : DEADLINE_SECONDS.leastOfNfs;
  const container = {
    name: "pv-recycler",
    image: IMAGE,
    command: ["/bin/sh", "-c", SCRUB],
    volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
  };
  const spec = {
    activeDeadlineSeconds: Math.min(Math.max(least, seconds), DEADLINE_SECONDS.most),
    restartPolicy: "Never",
    volumes: [{ name: "vol", ...source }],
    containers: [container],
  };
  const placed = {
    ...recyclerKey(volume),
    annotations: { [emptiedAfter]: claimRef?.uid ?? "" },
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }],
  };
  return { metadata: placed, spec } as NewObject<Pod>;
}
