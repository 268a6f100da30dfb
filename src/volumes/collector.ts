import type { Pod } from "../client/kinds/index.ts";
import type { ContentOwner, ContentSource, PodVolume } from "./contract.ts";

/** The volume to collect, and the source of its contents. */
export interface Collector {
  readonly pod: Pod;
  readonly namespace: string;
  readonly volume: PodVolume;
  readonly source: ContentSource;
  readonly owner: ContentOwner;
  /** The mode of files without a mode of their own (PROJ-39). */
  readonly mode: number;
}

/** Returns the mode and the user of credential files: only the owner may read them where the Pod has one (PROJ-47). */
export function guarded({ owner: { fsUser, fsGroup }, mode }: Collector): { readonly mode: number; uid?: number } {
  const hasOwner = fsUser !== undefined || fsGroup !== undefined;
  return { mode: hasOwner ? 0o600 : mode, ...(fsUser === undefined ? {} : { uid: fsUser }) };
}
