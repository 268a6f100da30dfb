import type { Key } from "../client/index.ts";
import type { Pod } from "../client/kinds/index.ts";

/** The claims that a pod names, those of its ephemeral volumes among them. */
export function claimsOfPod({ metadata: { namespace = "", name: pod }, spec }: Pod): Key<"Namespaced">[] {
  const names = (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${pod}-${name}`] : [],
  );
  return names.map((name) => ({ namespace, name }));
}
