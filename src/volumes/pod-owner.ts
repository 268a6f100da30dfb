import type { Pod } from "../client/kinds/index.ts";
import type { ContentOwner } from "./contract.ts";

/** Returns the fsGroup of a Pod, and the user of its containers where it is the same for all (PROJ-47). */
export function ownerOf({ spec }: Pod): ContentOwner {
  const { fsGroup, runAsUser } = spec.securityContext ?? {};
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const users = new Set(containers.map(({ securityContext }) => securityContext?.runAsUser ?? runAsUser ?? undefined));
  const [fsUser] = users.size === 1 ? users : [];
  return { fsGroup: fsGroup ?? undefined, fsUser };
}
