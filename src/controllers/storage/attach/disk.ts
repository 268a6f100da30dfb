/**
 * Synchronizes the attachments of a disk: one for each node with a Pod that needs it.
 *
 * A disk is identified by driver and handle, so that a single-node disk is not attached twice through different
 * PersistentVolumes.
 */
import { type NewObject, attempt } from "../../../client/index.ts";
import { Node, type VolumeAttachment } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { REQUEUE_SOON, deleteObject } from "../../../runtime/writes.ts";
import { type Disk, attachmentName } from "../../../claims/attachment.ts";
import { isManaged } from "./rules.ts";
import type { Attachable, User } from "./memory.ts";
import { type AttachContext, type AttachmentState, attachmentState } from "./attachment-state.ts";

/** Attaches and detaches a disk (CTL-AD-1, 5..16). */
export async function syncDisk(ctx: AttachContext, id: string): Promise<Result> {
  const { memory } = ctx;
  const users = memory.usersOf(id);
  const results: Result[] = [];
  memory.forgetMessages(
    id,
    [...users.values()].flat().map(({ pod }) => pod),
  );
  for (const attachment of memory.attachmentsOf(id)) {
    if (!memory.isOwn(attachment)) continue;
    const podUsers = users.get(attachment.spec.nodeName) ?? [];
    reportErrors(ctx, attachment, podUsers);
    results.push(await detach(ctx, attachment, attachmentState(ctx, attachment, podUsers.length > 0)));
  }
  results.push(await attach(ctx, id, users));
  return earliest(results);
}

async function attach(ctx: AttachContext, id: string, users: ReadonlyMap<string, readonly User[]>): Promise<Result> {
  const { memory } = ctx;
  const there = memory.attachmentsOf(id);
  const taken = new Set(there.map(({ spec }) => spec.nodeName));
  for (const [nodeName, podUsers] of users) {
    const node = memory.nodes.get({ name: nodeName });
    if (!node || !isManaged(node, memory.specs.names)) continue;
    const volume = podUsers.find((user) => user.volume?.diskOn(nodeName))?.volume;
    const disk = volume?.diskOn(nodeName);
    if (!volume || !disk) continue;
    const attachment = attachmentOf(disk, nodeName, volume.source);
    if (there.some(({ metadata }) => metadata.name === attachment.metadata.name)) continue;
    const elsewhere = volume.isForOneNode && [...taken].find((other) => other !== nodeName);
    if (elsewhere) {
      reportMultiAttach(ctx, id, { users: podUsers, elsewhere });
      continue;
    }
    taken.add(nodeName);
    const made = await attempt(ctx.client.resource(memory.specs.attachments.kind).create(attachment), "AlreadyExists");
    if (!made.ok) return REQUEUE_SOON;
  }
  return undefined;
}

const attachmentOf = (disk: Disk, nodeName: string, source: Attachable["source"]): NewObject<VolumeAttachment> => ({
  metadata: { name: attachmentName(disk, nodeName) },
  spec: { attacher: disk.driver, nodeName, source },
});

/** Deletes an unneeded attachment, once the status of its node does not list it any more (CTL-AD-10). */
async function detach(
  ctx: AttachContext,
  attachment: VolumeAttachment,
  relevantFieldsOf: AttachmentState,
): Promise<Result> {
  if (relevantFieldsOf.is === "held")
    return relevantFieldsOf.until === undefined ? undefined : { requeueAfter: relevantFieldsOf.until };
  if (relevantFieldsOf.is !== "free") return undefined;
  const { client, memory } = ctx;
  const { nodeName } = attachment.spec;
  const isListed = (node: Node | undefined): boolean =>
    node?.status.volumesAttached?.some(({ name }) => name === relevantFieldsOf.entry) === true;
  const known = memory.nodes.get({ name: nodeName });
  if (isListed(known)) {
    memory.queueNode(nodeName);
    return undefined;
  }
  // Memory may be stale, and an agent may begin to use a listed volume.
  if (known && isListed(await client.resource(Node).find({ name: nodeName }))) return REQUEUE_SOON;
  const { kind } = memory.specs.attachments;
  return (await deleteObject(client, kind, attachment)) === "Conflict" ? REQUEUE_SOON : undefined;
}

/** Records attach errors as Events of Pods, each once (CTL-AD-9). */
function reportErrors({ event, memory }: AttachContext, attachment: VolumeAttachment, users: readonly User[]): void {
  const { attachError, attached } = attachment.status;
  if (!attachError || attached) return;
  const id = memory.idOf(attachment.spec);
  for (const { pod, volume } of users) {
    if (!memory.isNewMessage(id, pod, JSON.stringify(attachError))) continue;
    const reason = attachError.message ?? "the driver gave no reason";
    event(
      "Warning",
      pod,
      "FailedAttachVolume",
      `AttachVolume.Attach failed for volume "${volume?.name ?? id}" : ${reason}`,
    );
  }
}

interface MultiAttach {
  readonly users: readonly User[];
  readonly elsewhere: string;
}

/** Records once that another node has the single-node volume of a Pod (CTL-AD-14). */
function reportMultiAttach({ event, memory }: AttachContext, id: string, { users, elsewhere }: MultiAttach): void {
  for (const { pod, volume } of users) {
    if (!memory.isNewMessage(id, pod, "taken")) continue;
    const text = `Multi-Attach error for volume "${volume?.name ?? id}" Volume is already exclusively attached to one node and can't be attached to another: ${elsewhere} has it`;
    event("Warning", pod, "FailedAttachVolume", text);
  }
}

/** The earliest result; an immediate retry comes first. */
function earliest(results: readonly Result[]): Result {
  const waits = results.flatMap((result) => (result && "requeueAfter" in result ? [result] : []));
  if (waits.includes(REQUEUE_SOON as never)) return REQUEUE_SOON;
  return waits.toSorted((a, b) => Number(a.requeueAfter) - Number(b.requeueAfter))[0];
}
