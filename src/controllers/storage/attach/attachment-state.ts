/**
 * How an attachment stands: whether it is needed, held by its node, or free to go.
 *
 * @module
 */
import type { VolumeAttachment } from "../../../client/kinds/index.ts";
import type { KeyContext } from "../../../runtime/index.ts";
import type { AttachMemory } from "./memory.ts";
import { nodeEntry } from "../../../claims/attachment.ts";
import { isManaged, timeUntilLost } from "./rules.ts";
import { isOutOfService, isReady } from "../../common/nodes.ts";

/** What context is given for a key. */
export interface AttachContext extends KeyContext<AttachMemory> {
  /** Whether nodes that are lost are waited for no longer. */
  readonly forceDetach: boolean;
}

/**
 * A Pod needs it; its node uses it, and after some milliseconds is not waited for any more; it may go; it is going already;
 * or it is on a node that somebody else looks after.
 */
export type AttachmentState =
  | { readonly is: "needed" | "going" | "foreign" }
  | { readonly is: "held"; readonly until: number | undefined }
  | { readonly is: "free"; readonly entry: string | undefined };

/**
 * See the head of this file (CTL-AD-11..13, 19). A node that was deleted has what it used until it could be taken for lost:
 * it may only be cut off, and write yet.
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
  // Of a volume that is gone nothing is known but its driver.
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
