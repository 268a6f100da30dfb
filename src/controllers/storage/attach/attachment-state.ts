import type { VolumeAttachment } from "../../../client/kinds/index.ts";
import type { KeyContext } from "../../../runtime/index.ts";
import type { AttachMemory } from "./memory.ts";
import { nodeEntry } from "../../../claims/attachment.ts";
import { isManaged, timeUntilLost } from "./rules.ts";
import { isOutOfService, isReady } from "../../common/nodes.ts";

/** The context of a key. */
export interface AttachContext extends KeyContext<AttachMemory> {
  readonly forceDetach: boolean;
}

/**
 * `needed` by a Pod; `held` by its node, for some milliseconds more; `free` to detach; `going` as it is being deleted;
 * `foreign` as another component manages the node.
 */
export type AttachmentState =
  | { readonly is: "needed" | "going" | "foreign" }
  | { readonly is: "held"; readonly until: number | undefined }
  | { readonly is: "free"; readonly entry: string | undefined };

/**
 * The state of an attachment: needed, held by its node, or free to detach (CTL-AD-11..13, 19). A deleted node keeps
 * what it used until it counts as lost: it may only be disconnected.
 */
export function attachmentState(
  { memory, clock, forceDetach }: AttachContext,
  { metadata, spec }: VolumeAttachment,
  isNeeded: boolean,
): AttachmentState {
  const { names } = memory.specs;
  const node = memory.nodes.get({ name: spec.nodeName });
  if (node && !isManaged(node, names)) return { is: "foreign" };
  if (metadata.deletionTimestamp !== undefined) return { is: "going" };
  if (isNeeded) return { is: "needed" };
  const disk = memory.diskOf(spec);
  const entry = disk && nodeEntry(disk, names);
  const free = { is: "free", entry } as const;
  // Only the driver of a deleted volume is known.
  const isIt = (one: string): boolean =>
    entry === undefined ? one.startsWith(nodeEntry({ driver: spec.attacher, handle: "" }, names)) : one === entry;
  const lost = node ? undefined : memory.lostNode(spec.nodeName);
  const inUse = node ? (node.status.volumesInUse ?? []) : lost!.inUse;
  const isOut = node ? isOutOfService(node, names) : lost!.isOutOfService;
  if (isOut || inUse?.some(isIt) === false) return free;
  if ((node && isReady(node)) || !forceDetach) return { is: "held", until: undefined };
  const until = timeUntilLost(lost?.since ?? memory.unreadySince(node!), clock.now());
  return until > 0 ? { is: "held", until } : free;
}
