/** The Pod that empties a volume (CTL-RECLAIM-14). */
import type { NewObject } from "../../../client/index.ts";
import type { PersistentVolume, Pod } from "../../../client/kinds/index.ts";
import { parseQuantity } from "../../../meta/quantity.ts";
import { capacityOf } from "../../../claims/fit.ts";
import type { BinderNames } from "../../../claims/annotations.ts";

const NAMESPACE = "default";
const PREFIX = "recycler-for-";
/**
 * activeDeadlineSeconds: `each` per `bytes`, at least the minimum of the volume type, at most the maximum of the field.
 */
const DEADLINE_SECONDS = { each: 30, bytes: 1024 ** 3, leastOfHostPath: 60, leastOfNfs: 300, most: 2 ** 31 - 1 };
const IMAGE = "registry.k8s.io/debian-base:v2.0.0";
const SCRUB = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)"';

/** Returns the volume that a Pod empties. */
export const recycledBy = ({ metadata: { namespace, name } }: Pod): string | undefined =>
  namespace === NAMESPACE && name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;

/** Returns the key of the recycler Pod of a volume. */
export const recyclerKey = ({ metadata: { name } }: PersistentVolume): { namespace: string; name: string } => ({
  namespace: NAMESPACE,
  name: `${PREFIX}${name}`,
});

/** Whether a Pod was created to empty a volume after its current claimRef. */
export const isRecyclerOf = (
  { metadata: { annotations, ownerReferences } }: Pod,
  { metadata, spec }: PersistentVolume,
  { emptiedAfter }: BinderNames,
): boolean =>
  annotations?.[emptiedAfter] === spec.claimRef?.uid &&
  ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;

/** Returns the recycler Pod; it is owned by its volume and names the claim in an annotation. */
export function recyclerOf(volume: PersistentVolume, { emptiedAfter }: BinderNames): NewObject<Pod> {
  const { apiVersion, kind, metadata } = volume;
  const { hostPath, nfs, claimRef } = volume.spec;
  const source = hostPath
    ? { hostPath: { path: hostPath.path } }
    : { nfs: { server: nfs?.server ?? "", path: nfs?.path ?? "" } };
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
  return { metadata: placed, spec };
}
