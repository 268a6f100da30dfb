/**
 * The pod that empties a volume (CTL-RECLAIM-14).
 *
 * @module
 */
import type { NewObject } from "../../client/index.ts";
import type { PersistentVolume, Pod } from "../../client/kinds/index.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { capacityOf } from "./fit.ts";

const NAMESPACE = "default";
const PREFIX = "recycler-for-";
/** So many seconds for each of these bytes, and at least the first number. */
const TIME = { least: 60, each: 30, bytes: 1024 ** 3 };
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

/** That pod. */
export function recyclerOf(volume: PersistentVolume): NewObject<Pod> {
  const { hostPath, nfs } = volume.spec;
  const source = hostPath ? { hostPath: { path: hostPath.path } } : { nfs: nfs! };
  const { mantissa, exponent } = parseQuantity(capacityOf(volume)) ?? { mantissa: 0n, exponent: 0 };
  const seconds = Math.round((Number(mantissa) * 10 ** exponent * TIME.each) / TIME.bytes);
  const container = {
    name: "pv-recycler",
    image: IMAGE,
    command: ["/bin/sh", "-c", SCRUB],
    volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
  };
  const spec = {
    activeDeadlineSeconds: Math.max(TIME.least, seconds),
    restartPolicy: "Never",
    volumes: [{ name: "vol", ...source }],
    containers: [container],
  };
  return { metadata: recyclerKey(volume), spec } as NewObject<Pod>;
}
