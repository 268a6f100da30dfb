/** The claims that a Pod uses: those that its volumes name, and those of its ephemeral volumes. */
import type { Key } from "../client/kind.ts";
import type { Pod } from "../client/kinds/index.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** The claim of an ephemeral volume. */
export interface EphemeralClaim {
  readonly key: Key<"Namespaced">;
  readonly template: NonNullable<NonNullable<Volume["ephemeral"]>["volumeClaimTemplate"]>;
}

/** Returns the key of the claim of a volume of a Pod (LIM-13). */
export function claimKeyOf({ metadata }: Pod, volume: Volume): Key<"Namespaced"> | undefined {
  const { namespace = "", name: pod } = metadata;
  const { name, persistentVolumeClaim, ephemeral } = volume;
  if (persistentVolumeClaim) return { namespace, name: persistentVolumeClaim.claimName };
  return ephemeral ? { namespace, name: `${pod}-${name}` } : undefined;
}

/** Returns the keys of the claims of a Pod, those of ephemeral volumes included. */
export const claimsOfPod = (pod: Pod): Key<"Namespaced">[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimKeyOf(pod, volume) ?? []);

/** Returns the claims of the ephemeral volumes of a Pod. */
export const ephemeralClaimsOfPod = (pod: Pod): EphemeralClaim[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => {
    const template = volume.ephemeral?.volumeClaimTemplate;
    return template ? [{ key: claimKeyOf(pod, volume)!, template }] : [];
  });
