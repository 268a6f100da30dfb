/**
 * A volume as it is once a claim has been put into it, which a scheduler does as the binder does.
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../../client/kinds/index.ts";
import { annotated } from "../writes.ts";
import { type BinderNames, YES } from "./names.ts";

/** See the head of this file; the volume itself where the claim is in it already (CTL-BIND-3, 21; SCHED-30). */
export function withClaim(
  volume: PersistentVolume,
  { apiVersion, kind, metadata }: PersistentVolumeClaim,
  { boundByController }: BinderNames,
): PersistentVolume {
  const { claimRef } = volume.spec;
  const { namespace, name, uid, resourceVersion } = metadata;
  const isNamed = claimRef?.name === name && claimRef.namespace === namespace;
  if (isNamed && claimRef.uid === uid) return volume;
  const reference = { apiVersion, kind, namespace, name, uid, resourceVersion };
  const next = { ...volume, spec: { ...volume.spec, claimRef: reference } } as PersistentVolume;
  return isNamed ? next : annotated(next, { [boundByController]: YES });
}
