/**
 * What is attached of a volume, and what should be: an attachment for each node with a Pod that needs it, none elsewhere.
 *
 * @module
 */
import { type NewObject, attempt } from "../../client/index.ts";
import { Node, type Pod, type VolumeAttachment } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";
import { AGAIN } from "../writes.ts";
import { type Disk, attachmentName } from "./names.ts";
import { isManaged } from "./rules.ts";
import { type Attachable, volumeOf } from "./memory.ts";
import { type Attaching, type Standing, standingOf } from "./standing.ts";

/** Attaches and detaches a volume (CTL-AD-1, 5..16). */
export async function syncVolume(ctx: Attaching, name: string): Promise<Result> {
  const { memory } = ctx;
  const users = memory.usersOf(name);
  const attachments = memory.attachmentsOf(name);
  const results: Result[] = [];
  memory.keepTold(name, [...users.values()].flat());
  for (const attachment of attachments) {
    if (!memory.isOwn(attachment)) continue;
    const pods = users.get(attachment.spec.nodeName) ?? [];
    tellErrors(ctx, attachment, pods);
    results.push(await detach(ctx, attachment, standingOf(ctx, attachment, pods.length > 0)));
  }
  const volume = memory.attachable(name);
  if (volume) results.push(await attach(ctx, name, volume, users));
  return soonest(results);
}

/** Makes the attachments that are missing. */
async function attach(
  ctx: Attaching,
  name: string,
  volume: Attachable,
  users: ReadonlyMap<string, readonly Pod[]>,
): Promise<Result> {
  const { memory } = ctx;
  const there = memory.attachmentsOf(name);
  const taken = new Set(there.map(({ spec }) => spec.nodeName));
  for (const [nodeName, pods] of users) {
    const node = memory.nodes.get({ name: nodeName });
    const disk = volume.diskOn(nodeName);
    if (!node || !isManaged(node, memory.specs.names) || !disk) continue;
    const attachment = attachmentOf(disk, nodeName, volume.source);
    if (there.some(({ metadata }) => metadata.name === attachment.metadata.name)) continue;
    const elsewhere = volume.isForOneNode && [...taken].find((other) => other !== nodeName);
    if (elsewhere) {
      tellTaken(ctx, name, { pods, elsewhere });
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
function tellErrors({ event, memory }: Attaching, attachment: VolumeAttachment, pods: readonly Pod[]): void {
  const { attachError, attached } = attachment.status;
  const volume = volumeOf(attachment.spec)!;
  if (!attachError || attached) return;
  for (const pod of pods) {
    if (!memory.isNews(volume, pod, JSON.stringify(attachError))) continue;
    event(
      "Warning",
      pod,
      "FailedAttachVolume",
      `volume ${volume} was not attached: ${attachError.message ?? "it failed"}`,
    );
  }
}

interface Taken {
  readonly pods: readonly Pod[];
  readonly elsewhere: string;
}

/** Tells Pods that their volume is for one node, and another has it; each once (CTL-AD-14). */
function tellTaken({ event, memory }: Attaching, name: string, { pods, elsewhere }: Taken): void {
  for (const pod of pods) {
    if (!memory.isNews(name, pod, "taken")) continue;
    event("Warning", pod, "FailedAttachVolume", `volume ${name} is for one node at a time, and ${elsewhere} has it`);
  }
}

/** The result that comes first; one that is to come again at once before those that wait. */
function soonest(results: readonly Result[]): Result {
  const waits = results.flatMap((result) => (result && "requeueAfter" in result ? [result] : []));
  if (waits.includes(AGAIN as never)) return AGAIN;
  return waits.toSorted((a, b) => Number(a.requeueAfter) - Number(b.requeueAfter))[0];
}
