/**
 * The claimRef of a volume: which claim it names, and how the binder and the scheduler write one.
 *
 * @module
 */
import { type Key, keyText } from "../client/kind.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { annotated } from "../meta/annotations.ts";
import { type BinderNames, YES } from "./annotations.ts";

/** The claim that a volume names; a reference need not be whole, and is nobody's then. */
export function namedClaim({ spec: { claimRef } }: PersistentVolume): Key<"Namespaced"> | undefined {
  const { namespace = "", name = "" } = claimRef ?? {};
  return namespace === "" || name === "" ? undefined : { namespace, name };
}

/** The key of the claim that a volume names. */
export function claimOfVolume(volume: PersistentVolume): string | undefined {
  const key = namedClaim(volume);
  return key && keyText(key);
}

/** A volume whose claimRef names a claim; the volume itself where it does already (CTL-BIND-3, 21; SCHED-30). */
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
