import type { Pod } from "../client/kinds/index.ts";

/** The node of a Pod: an index, and the same one for all who name this very function. */
export const nodeOfPod = ({ spec }: Pod): string | undefined => spec.nodeName || undefined;
