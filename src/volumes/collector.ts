import type { Pod } from "../client/kinds/index.ts";
import type { ContentOwner, ContentSource, PodVolume } from "./contract.ts";

/** Whose volume is collected, and where from. */
export interface Collector {
  readonly pod: Pod;
  readonly namespace: string;
  readonly volume: PodVolume;
  readonly source: ContentSource;
  readonly owner: ContentOwner;
  /** Of files of which nothing else is said (PROJ-39). */
  readonly mode: number;
}

/** The mode and the user of files that only their owner is to read where the Pod has one (PROJ-47). */
export function guarded({ owner: { fsUser, fsGroup }, mode }: Collector): { readonly mode: number; uid?: number } {
  const hasOwner = fsUser !== undefined || fsGroup !== undefined;
  return { mode: hasOwner ? 0o600 : mode, ...(fsUser === undefined ? {} : { uid: fsUser }) };
}
