/**
 * Synchronizes `status.volumesAttached` of a node (CTL-AD-3, 10).
 *
 * A volume leaves the list in a version of the node that does not use it, and before it is detached; so no agent begins
 * to use it.
 */
import { Node } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { REQUEUE_SOON, writeStatus } from "../../../runtime/writes.ts";
import { nodeEntry, idOf } from "../../../claims/attachment.ts";
import { isManaged } from "./rules.ts";
import { type AttachContext, attachmentState } from "./attachment-state.ts";

/** Writes the list, and an Event for each Pod whose volume was attached. */
export async function syncNode(ctx: AttachContext, name: string): Promise<Result> {
  const { memory, client } = ctx;
  const { names } = memory.specs;
  const node = memory.nodes.get({ name });
  if (!node || !isManaged(node, names)) return undefined;
  const there = attachedTo(ctx, name);
  const { volumesAttached = [], ...status } = node.status;
  const listed = new Set(volumesAttached.map((one) => one.name));
  const kept = volumesAttached.filter((one) => there.has(one.name) || !one.name.startsWith(names.entry));
  const added = [...there].filter(([entry]) => !listed.has(entry));
  if (added.length === 0 && kept.length === volumesAttached.length) return undefined;
  const next = [...kept, ...added.map(([entry]) => ({ name: entry, devicePath: "" }))];
  const updated = { ...node, status: { ...status, ...(next.length > 0 ? { volumesAttached: next } : {}) } };
  if (!(await writeStatus(client, Node, updated))) return REQUEUE_SOON;
  for (const [, id] of added) {
    for (const { pod, volume } of memory.usersOf(id).get(name) ?? []) {
      const text = `AttachVolume.Attach succeeded for volume "${volume?.name ?? id}"`;
      ctx.event("Normal", pod, "SuccessfulAttachVolume", text);
    }
  }
  return undefined;
}

/** The disks that stay attached to a node: IDs by entry. */
function attachedTo(ctx: AttachContext, node: string): ReadonlyMap<string, string> {
  const { memory } = ctx;
  const there = new Map<string, string>();
  for (const attachment of memory.attachmentsOn(node)) {
    const disk = memory.diskOf(attachment.spec);
    if (!disk || !attachment.status.attached || !memory.isOwn(attachment)) continue;
    const id = idOf(disk);
    const { is } = attachmentState(ctx, attachment, memory.usersOf(id).has(node));
    if (is === "needed" || is === "held") there.set(nodeEntry(disk, memory.specs.names), id);
  }
  return there;
}
