/**
 * Which claims a Pod uses: those that its volumes name, and those that are made for its ephemeral volumes.
 *
 * @module
 */
import type { Key } from "../client/kind.ts";
import type { Pod } from "../client/kinds/index.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** A claim that is made for a volume of a Pod. */
export interface EphemeralClaim {
  readonly key: Key<"Namespaced">;
  readonly template: NonNullable<NonNullable<Volume["ephemeral"]>["volumeClaimTemplate"]>;
}

/** The claim that a volume of a Pod is, by its name: that which it names, or its own (LIM-13). */
export function claimKeyOf({ metadata }: Pod, volume: Volume): Key<"Namespaced"> | undefined {
  const { namespace = "", name: pod } = metadata;
  const { name, persistentVolumeClaim, ephemeral } = volume;
  if (persistentVolumeClaim) return { namespace, name: persistentVolumeClaim.claimName };
  return ephemeral ? { namespace, name: `${pod}-${name}` } : undefined;
}

/** The claims that a Pod names, those of its ephemeral volumes among them. */
export const claimsOfPod = (pod: Pod): Key<"Namespaced">[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimKeyOf(pod, volume) ?? []);

/** The claims of the ephemeral volumes of a Pod. */
export const ephemeralClaimsOfPod = (pod: Pod): EphemeralClaim[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    return template ? [{ key: claimKeyOf(pod, volume)!, template }] : [];
  });
