/**
 * Sets a volume of a Pod up, and keeps it so (NODE-3, NODE-4).
 *
 * A volume is looked at when something that it is made of has changed, after a failure, and when its plugin asks for it. One look
 * at a time for one volume; what fails keeps nothing else from being set up.
 *
 * @module
 */
import { join } from "node:path";
import { type Client, type Key, type Kind, type ResourceClient, attempt } from "../client/index.ts";
import type { VolumeAttachment } from "../client/kinds/index.ts";
import type { Clock } from "../util/clock.ts";
import type { Lanes } from "../util/lanes.ts";
import type { AttachedVolume, FoundVolume, NeededVolume, NodeGround, VolumePlugin } from "./contract.ts";
import type { AgentMemory } from "./memory.ts";
import { NotAttached, NotYet } from "./not-yet.ts";
import { devicePath, directoryOfKind, volumePath } from "./paths.ts";
import type { PodRecord, VolumeRecord } from "./record.ts";
import { resolve } from "./resolve.ts";
import { MOST_MS, waitAfter } from "./retry.ts";

/** What work on volumes is given. */
export interface VolumeWork {
  readonly memory: AgentMemory;
  readonly client: Client;
  readonly attachments: Kind<VolumeAttachment, "Cluster">;
  /** The finalizer of claims that are kept for their users. */
  readonly protection: string;
  readonly event: NodeGround["event"];
  readonly clock: Pick<Clock, "steady">;
  readonly lanes: Lanes;
  readonly signal: AbortSignal;
}

/** The longest wait after a failure where nothing tells that what is missing has come. */
const MOST_UNTOLD_MS = 5000;
/** No volume is looked at all the time, whatever its plugin asks for. */
const LEAST_AGAIN_MS = 500;
/** How long a volume may wait to be attached before its Pod is told. */
const PATIENCE_MS = 120_000;
/**
 * A claim cannot be watched by an agent: that its volume has grown is seen at the next look (NODE-47). So many volumes of claims are
 * looked at in a second, each of them between these times.
 */
const LOOKS_EACH_SECOND = 5;
const LEAST_LOOK_MS = 5000;
const MOST_LOOK_MS = 60_000;

/** Looks at a volume; milliseconds after which it is to be looked at again. */
export async function syncVolume(work: VolumeWork, key: string): Promise<number | undefined> {
  const { memory } = work;
  const slash = key.indexOf("/");
  const [uid, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const record = memory.records.get(uid);
  if (!record || record.isEnding || !record.uses.has(name)) return undefined;
  const volume = record.volume(name);
  return record.during(work.signal, async (signal) => {
    try {
      const again = await setUp({ ...work, signal }, record, name);
      if (volume.why !== undefined || volume.failures > 0) Object.assign(volume, { failures: 0, why: undefined });
      return again;
    } catch (error) {
      // What fails because it was given up has not failed.
      return signal.aborted ? undefined : failed(work, record, volume, name, error as Error);
    }
  });
}

async function setUp(work: VolumeWork, record: PodRecord, name: string): Promise<number | undefined> {
  const { memory, signal, lanes } = work;
  const { uid, pod } = record;
  const volume = record.volume(name);
  const use = record.uses.get(name)!;
  const resolved = await lanes.run("server", signal, () => resolve(work, pod!, use, volume.made !== undefined));
  const plugin = memory.pluginFor(resolved);
  const directory = placeOf(memory.root, plugin, resolved);
  const path = resolved.mode === "Block" ? directory.path : join(directory.path, plugin.below ?? "");
  const placed: NeededVolume = { ...resolved, path };
  Object.assign(volume, { plugin, needed: placed });
  if (placed.persistent) claimAlone(memory, placed, directory, uid);
  const attached = plugin.attached?.(placed);
  const attachment = attached && (await attachmentOf(work, record, placed, plugin, attached));
  volume.waitsSince = undefined;
  const needed: NeededVolume = { ...placed, attachment };
  volume.needed = needed;
  signal.throwIfAborted();
  const made = await inLane(work, plugin, directory, () => plugin.setUp(needed, signal));
  const isNews = volume.made?.source !== made.source;
  volume.made = made;
  if (isNews) memory.add("pods", uid);
  if (isNews && plugin.usage) memory.add("usage", `${uid}/${name}`);
  const soon = placed.persistent ? lookAfter(memory.claimsHeld) : Infinity;
  const again = Math.min(made.againAfter ?? Infinity, soon);
  return again === Infinity ? undefined : Math.max(LEAST_AGAIN_MS, again);
}

const lookAfter = (claims: number): number =>
  Math.min(MOST_LOOK_MS, Math.max(LEAST_LOOK_MS, (claims / LOOKS_EACH_SECOND) * 1000));

/** Does the work of a plugin, of which only so much is under way at once: one that waits for others holds only its own kind up. */
export const inLane = <T>(
  { lanes, signal }: Pick<VolumeWork, "lanes" | "signal">,
  { isBounded }: VolumePlugin,
  { kind }: Pick<FoundVolume, "kind">,
  work: () => Promise<T>,
): Promise<T> => (isBounded ? work() : lanes.run(kind, signal, work));

/** The directory of a volume, or the link to its device. */
export function placeOf(root: string, plugin: VolumePlugin, needed: NeededVolume): FoundVolume {
  const podUid = needed.pod.metadata.uid;
  const name = needed.persistent?.volume.metadata.name ?? needed.volume.name;
  const kind = directoryOfKind(plugin.kindOf?.(needed) ?? plugin.kind);
  const { mode } = needed;
  const path = mode === "Block" ? devicePath(root, podUid, kind, name) : volumePath(root, podUid, kind, name);
  return { podUid, kind, name, mode, path };
}

/** Takes a volume of a claim for a Pod. @throws NotYet where another one has what one Pod may have at a time (NODE-67) */
function claimAlone(memory: AgentMemory, { persistent }: NeededVolume, directory: FoundVolume, uid: string): void {
  const { claim, volume } = persistent!;
  const isForOnePod = volume.spec.accessModes?.includes("ReadWriteOncePod") === true;
  const other = isForOnePod ? memory.otherHolder(directory, uid) : undefined;
  if (other !== undefined) {
    const { namespace, name } = memory.records.get(other)?.pod?.metadata ?? { namespace: "", name: other };
    throw new NotYet(
      `the claim ${claim.metadata.name} has the access mode ReadWriteOncePod and is in use by the Pod ${namespace ? `${namespace}/` : ""}${name}`,
    );
  }
  memory.hold(directory, uid);
}

/** The attachment of a volume, once it is attached (NODE-10, NODE-11). @throws NotAttached before */
async function attachmentOf(
  work: VolumeWork,
  record: PodRecord,
  needed: NeededVolume,
  plugin: VolumePlugin,
  { entry, attachment: name }: AttachedVolume,
): Promise<VolumeAttachment> {
  const { memory, client, attachments, signal } = work;
  memory.use(entry, record.uid);
  if (!memory.isInUse(entry)) throw new NotAttached("that it is going to be used is not stored in the Node yet");
  const found = await findAttachment(client.resource(attachments), { name }, signal);
  if (found?.status.attached !== true) {
    const end = found && (await plugin.notAttached?.(needed, found));
    if (end) endPod(memory, record, end);
    throw new NotAttached(whyNotAttached(found));
  }
  if (found.metadata.deletionTimestamp !== undefined) throw new NotAttached("it is being detached");
  if (!memory.isAttached(entry)) throw new NotAttached("the Node does not list it as attached yet");
  return found;
}

/** An agent is refused an attachment that is not there: it may get those alone that are for its node. */
async function findAttachment(
  all: ResourceClient<VolumeAttachment, "Cluster">,
  key: Key<"Cluster">,
  signal: AbortSignal,
): Promise<VolumeAttachment | undefined> {
  const found = await attempt(all.find(key, { signal }), "Forbidden");
  return found.ok ? found.value : undefined;
}

function whyNotAttached(attachment: VolumeAttachment | undefined): string {
  if (!attachment) return "nobody has asked for it to be attached yet";
  const { attachError } = attachment.status;
  return attachError
    ? `attaching it failed: ${attachError.message ?? "no reason was given"}`
    : "it is not attached yet";
}

function endPod(memory: AgentMemory, record: PodRecord, end: NonNullable<PodRecord["end"]>): void {
  record.end ??= end;
  memory.add("pods", record.uid);
}

/** Tells the Pod what failed, and says when to try again. */
function failed(
  { clock, event }: VolumeWork,
  { pod }: PodRecord,
  volume: VolumeRecord,
  name: string,
  error: Error,
): number {
  const failures = volume.failures++;
  volume.why = error.message;
  if (error instanceof NotAttached) {
    volume.waitsSince ??= clock.steady();
    if (clock.steady() - volume.waitsSince >= PATIENCE_MS) {
      event("Warning", pod!, "FailedAttachVolume", `volume "${name}" is not attached: ${error.message}`);
    }
    return waitAfter(failures, MOST_UNTOLD_MS);
  }
  const isDevice = volume.needed?.mode === "Block";
  const [reason, done] = isDevice ? ["FailedMapVolume", "mapped"] : ["FailedMount", "mounted"];
  event("Warning", pod!, reason!, `volume "${name}" was not ${done}: ${error.message}`);
  return waitAfter(failures, error instanceof NotYet ? MOST_UNTOLD_MS : MOST_MS);
}
