/** The claimRef of a volume: the claim that it names, and how the binder and the scheduler write it. */
import { type Key, keyText } from "../client/kind.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../client/kinds/index.ts";
import { annotated } from "../meta/annotations.ts";
import { type BinderNames, YES } from "./annotations.ts";

/** Returns the claim that a volume names; an incomplete reference names none. */
export function namedClaim({ spec: { claimRef } }: PersistentVolume): Key<"Namespaced"> | undefined {
  const { namespace = "", name = "" } = claimRef ?? {};
  return namespace === "" || name === "" ? undefined : { namespace, name };
}

/** Returns the key of the claim that a volume names, as text. */
export function claimOfVolume(volume: PersistentVolume): string | undefined {
  const key = namedClaim(volume);
  return key && keyText(key);
}

/** Returns the volume with a claimRef to the claim, or the same volume where it has one (CTL-BIND-3, 21; SCHED-30). */
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
