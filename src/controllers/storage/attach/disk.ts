/**
 * What is attached of a disk, and what should be: an attachment for each node with a Pod that needs it, none elsewhere.
 *
 * A disk is known by its driver and handle, whichever volumes name it: so one that is for one node is not attached to a second
 * one by way of another PersistentVolume.
 *
 * @module
 */
import { type NewObject, attempt } from "../../../client/index.ts";
import { Node, type VolumeAttachment } from "../../../client/kinds/index.ts";
import type { Result } from "../../../runtime/index.ts";
import { AGAIN } from "../../../runtime/writes.ts";
import { type Disk, attachmentName } from "../../../claims/attachment.ts";
import { isManaged } from "./rules.ts";
import type { Attachable, User } from "./memory.ts";
import { type Attaching, type Standing, standingOf } from "./standing.ts";

/** Attaches and detaches a disk (CTL-AD-1, 5..16). */
export async function syncDisk(ctx: Attaching, id: string): Promise<Result> {
  const { memory } = ctx;
  const users = memory.usersOf(id);
  const results: Result[] = [];
  memory.keepTold(
    id,
    [...users.values()].flat().map(({ pod }) => pod),
  );
  for (const attachment of memory.attachmentsOf(id)) {
    if (!memory.isOwn(attachment)) continue;
    const those = users.get(attachment.spec.nodeName) ?? [];
    tellErrors(ctx, attachment, those);
    results.push(await detach(ctx, attachment, standingOf(ctx, attachment, those.length > 0)));
  }
  results.push(await attach(ctx, id, users));
  return soonest(results);
}

/** Makes the attachments that are missing. */
async function attach(ctx: Attaching, id: string, users: ReadonlyMap<string, readonly User[]>): Promise<Result> {
  const { memory } = ctx;
  const there = memory.attachmentsOf(id);
  const taken = new Set(there.map(({ spec }) => spec.nodeName));
  for (const [nodeName, those] of users) {
    const node = memory.nodes.get({ name: nodeName });
    if (!node || !isManaged(node, memory.specs.names)) continue;
    const volume = those.find((user) => user.volume?.diskOn(nodeName))?.volume;
    if (!volume) continue;
    const attachment = attachmentOf(volume.diskOn(nodeName)!, nodeName, volume.source);
    if (there.some(({ metadata }) => metadata.name === attachment.metadata.name)) continue;
    const elsewhere = volume.isForOneNode && [...taken].find((other) => other !== nodeName);
    if (elsewhere) {
      tellTaken(ctx, id, { users: those, elsewhere });
      continue;
    }
    taken.add(nodeName);
    const made = await attempt(ctx.client.resource(memory.specs.attachments.kind).create(attachment), "AlreadyExists");
    if (!made.ok) return AGAIN;
  }
  return undefined;
}

const attachmentOf = (disk: Disk, nodeName: string, source: Attachable["source"]): NewObject<VolumeAttachment> => ({
  metadata: { name: attachmentName(disk, nodeName) },
  spec: { attacher: disk.driver, nodeName, source },
});

/** Takes an attachment away that nobody needs, once its node is not told of it any more (CTL-AD-10). */
async function detach(ctx: Attaching, attachment: VolumeAttachment, standing: Standing): Promise<Result> {
  if (standing.is === "held") return standing.until === undefined ? undefined : { requeueAfter: standing.until };
  if (standing.is !== "free") return undefined;
  const { client, memory } = ctx;
  const { nodeName } = attachment.spec;
  const isTold = (node: Node | undefined): boolean =>
    node?.status.volumesAttached?.some(({ name }) => name === standing.entry) === true;
  const known = memory.nodes.get({ name: nodeName });
  if (isTold(known)) {
    memory.lookAtNode(nodeName);
    return undefined;
  }
  // Memory may be behind, and a node that is told of a volume may begin to use it.
  if (known && isTold(await client.resource(Node).find({ name: nodeName }))) return AGAIN;
  const { kind } = memory.specs.attachments;
  const done = await attempt(client.resource(kind).delete(attachment), "NotFound", "Conflict");
  return done.ok || done.reason === "NotFound" ? undefined : AGAIN;
}

/** Tells Pods why their volume could not be attached, each error once (CTL-AD-9). */
function tellErrors({ event, memory }: Attaching, attachment: VolumeAttachment, users: readonly User[]): void {
  const { attachError, attached } = attachment.status;
  if (!attachError || attached) return;
  const id = memory.idOf(attachment.spec);
  for (const { pod, volume } of users) {
    if (!memory.isNews(id, pod, JSON.stringify(attachError))) continue;
    const reason = attachError.message ?? "the driver gave no reason";
    event(
      "Warning",
      pod,
      "FailedAttachVolume",
      `AttachVolume.Attach failed for volume "${volume?.name ?? id}" : ${reason}`,
    );
  }
}

interface Taken {
  readonly users: readonly User[];
  readonly elsewhere: string;
}

/** Tells Pods that their volume is for one node, and another has it; each once (CTL-AD-14). */
function tellTaken({ event, memory }: Attaching, id: string, { users, elsewhere }: Taken): void {
  for (const { pod, volume } of users) {
    if (!memory.isNews(id, pod, "taken")) continue;
    const text = `Multi-Attach error for volume "${volume?.name ?? id}" Volume is already exclusively attached to one node and can't be attached to another: ${elsewhere} has it`;
    event("Warning", pod, "FailedAttachVolume", text);
  }
}

/** The result that comes first; one that is to come again at once before those that wait. */
function soonest(results: readonly Result[]): Result {
  const waits = results.flatMap((result) => (result && "requeueAfter" in result ? [result] : []));
  if (waits.includes(AGAIN as never)) return AGAIN;
  return waits.toSorted((a, b) => Number(a.requeueAfter) - Number(b.requeueAfter))[0];
}
