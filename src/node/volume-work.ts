/**
 * Reconciles a volume of a Pod (NODE-3, NODE-4).
 *
 * A reconcile follows a change of something that the volume depends on, a failure, or a request of its plugin. One runs at a
 * time for a volume; a failure delays no other volume.
 *
 * @module
 */
import { messageOf } from "../util/error.ts";
import { join } from "node:path";
import { type Client, type Key, type Kind, type ResourceClient, attempt } from "../client/index.ts";
import type { VolumeAttachment } from "../client/kinds/index.ts";
import type { Clock } from "../util/clock.ts";
import type { KeyedSemaphore } from "../util/semaphore.ts";
import type { AttachedVolume, FoundVolume, NeededVolume, PluginContext, VolumePlugin } from "./contract.ts";
import type { AgentMemory } from "./memory.ts";
import { NotAttached, NotYet } from "./not-yet.ts";
import { devicePath, directoryOfKind, volumePath } from "./paths.ts";
import type { PodRecord, VolumeRecord } from "./record.ts";
import { resolve } from "./resolve.ts";
import { MAX_WAIT_MS, waitAfter } from "./retry.ts";

/** The context of work on volumes. */
export interface VolumeWork {
  readonly memory: AgentMemory;
  readonly client: Client;
  readonly attachments: Kind<VolumeAttachment, "Cluster">;
  /** The finalizer of claims that are in use. */
  readonly protection: string;
  readonly event: PluginContext["event"];
  readonly clock: Pick<Clock, "steady">;
  readonly permits: KeyedSemaphore;
  readonly signal: AbortSignal;
}

/** The longest wait after a failure where no event reports that a missing object exists. */
const MAX_POLL_MS = 5000;
/** The shortest wait that a plugin can have. */
const MIN_WAIT_MS = 500;
/** How long a volume may wait to be attached before an Event of its Pod. */
const ATTACH_TIMEOUT_MS = 120_000;
/**
 * An agent cannot watch claims: the next reconcile sees that a volume has grown (NODE-47). So many volumes of claims are
 * reconciled in a second, each of them between these intervals.
 */
const CHECKS_PER_SECOND = 5;
const MIN_CHECK_MS = 5000;
const MAX_CHECK_MS = 60_000;

/** Reconciles a volume; returns milliseconds until it is due again. */
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
      // An aborted reconcile is no failure.
      return signal.aborted ? undefined : failed(work, record, volume, name, error);
    }
  });
}

async function setUp(work: VolumeWork, record: PodRecord, name: string): Promise<number | undefined> {
  const { memory, signal, permits } = work;
  const { uid, pod } = record;
  const volume = record.volume(name);
  const use = record.uses.get(name);
  if (!use || !pod) return undefined;
  const resolved = await permits.run("server", signal, () => resolve(work, pod, use, volume.made !== undefined));
  const plugin = memory.pluginFor(resolved);
  const directory = directoryOf(memory.root, plugin, resolved);
  const path = resolved.mode === "Block" ? directory.path : join(directory.path, plugin.below ?? "");
  const located: NeededVolume = { ...resolved, path };
  Object.assign(volume, { plugin, needed: located });
  if (located.persistent) hold(memory, located, directory, uid);
  const attached = plugin.attached?.(located);
  const attachment = attached && (await attachmentOf(work, record, located, plugin, attached));
  volume.waitsSince = undefined;
  const needed: NeededVolume = { ...located, attachment };
  volume.needed = needed;
  signal.throwIfAborted();
  const made = await inLane(work, plugin, directory, () => plugin.setUp(needed, signal));
  const isNew = volume.made?.source !== made.source;
  volume.made = made;
  if (isNew) memory.add("pods", uid);
  if (isNew && plugin.usage) memory.add("usage", `${uid}/${name}`);
  const nextCheck = located.persistent ? checkInterval(memory.claimsHeld) : Infinity;
  const again = Math.min(made.againAfter ?? Infinity, nextCheck);
  return again === Infinity ? undefined : Math.max(MIN_WAIT_MS, again);
}

const checkInterval = (claims: number): number =>
  Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, (claims / CHECKS_PER_SECOND) * 1000));

/** Runs the work of a plugin, with a bounded number at once for each kind, so that a slow one delays only its own kind. */
export const inLane = <T>(
  { permits, signal }: Pick<VolumeWork, "permits" | "signal">,
  { isBounded }: VolumePlugin,
  { kind }: Pick<FoundVolume, "kind">,
  work: () => Promise<T>,
): Promise<T> => (isBounded ? work() : permits.run(kind, signal, work));

/** The directory of a volume, or the link to its device. */
export function directoryOf(root: string, plugin: VolumePlugin, needed: NeededVolume): FoundVolume {
  const podUid = needed.pod.metadata.uid;
  const name = needed.persistent?.volume.metadata.name ?? needed.volume.name;
  const kind = directoryOfKind(plugin.kindOf?.(needed) ?? plugin.kind);
  const { mode } = needed;
  const path = mode === "Block" ? devicePath(root, podUid, kind, name) : volumePath(root, podUid, kind, name);
  return { podUid, kind, name, mode, path };
}

/** Notes that a Pod has a volume of a claim. @throws NotYet where another Pod has it, and only one may (NODE-67) */
function hold(memory: AgentMemory, { persistent }: NeededVolume, directory: FoundVolume, uid: string): void {
  const { claim, volume } = persistent!;
  const isForOnePod = volume.spec.accessModes?.includes("ReadWriteOncePod") === true;
  const other = isForOnePod ? memory.otherHolder(directory, uid) : undefined;
  if (other !== undefined) {
    const { namespace, name } = memory.records.get(other)?.pod?.metadata ?? { namespace: "", name: other };
    const pod = `${namespace ? `${namespace}/` : ""}${name}`;
    throw new NotYet(
      `the claim ${claim.metadata.name} has the access mode ReadWriteOncePod and is in use by the Pod ${pod}`,
    );
  }
  memory.hold(directory, uid);
}

/** The attachment of a volume that is attached (NODE-10, NODE-11). @throws NotAttached before */
async function attachmentOf(
  work: VolumeWork,
  record: PodRecord,
  needed: NeededVolume,
  plugin: VolumePlugin,
  { entry, attachment: name }: AttachedVolume,
): Promise<VolumeAttachment> {
  const { memory, client, attachments, signal } = work;
  memory.use(entry, record.uid);
  if (!memory.isInUse(entry)) throw new NotAttached("volumesInUse of the Node does not list it yet");
  const found = await findAttachment(client.resource(attachments), { name }, signal);
  if (found?.status.attached !== true) {
    const end = found && (await plugin.notAttached?.(needed, found));
    if (end) endPod(memory, record, end);
    throw new NotAttached(whyNotAttached(found));
  }
  if (found.metadata.deletionTimestamp !== undefined) throw new NotAttached("it is being detached");
  if (!memory.isAttached(entry)) throw new NotAttached("volumesAttached of the Node does not list it yet");
  return found;
}

/** An attachment; an agent may only read those of its node, so a missing one is forbidden. */
async function findAttachment(
  all: ResourceClient<VolumeAttachment, "Cluster">,
  key: Key<"Cluster">,
  signal: AbortSignal,
): Promise<VolumeAttachment | undefined> {
  const found = await attempt(all.find(key, { signal }), "Forbidden");
  return found.ok ? found.value : undefined;
}

function whyNotAttached(attachment: VolumeAttachment | undefined): string {
  if (!attachment) return "it has no VolumeAttachment yet";
  const { attachError } = attachment.status;
  return attachError
    ? `its attachment failed: ${attachError.message ?? "no reason was given"}`
    : "it is not attached yet";
}

function endPod(memory: AgentMemory, record: PodRecord, end: NonNullable<PodRecord["end"]>): void {
  record.end ??= end;
  memory.add("pods", record.uid);
}

/** Records an Event of the error, and returns the wait until the next attempt. */
function failed(
  { clock, event }: VolumeWork,
  { pod }: PodRecord,
  volume: VolumeRecord,
  name: string,
  error: unknown,
): number {
  const failures = volume.failures++;
  const why = messageOf(error);
  volume.why = why;
  const warn = (reason: string, operation: string): void => {
    if (pod) event("Warning", pod, reason, `${operation} failed for volume "${name}" : ${why}`);
  };
  if (error instanceof NotAttached) {
    volume.waitsSince ??= clock.steady();
    if (clock.steady() - volume.waitsSince >= ATTACH_TIMEOUT_MS) {
      warn("FailedAttachVolume", "AttachVolume.Attach");
    }
    return waitAfter(failures, MAX_POLL_MS);
  }
  const isDevice = volume.needed?.mode === "Block";
  if (isDevice) warn("FailedMapVolume", "MapVolume.SetUp");
  else warn("FailedMount", "MountVolume.SetUp");
  return waitAfter(failures, error instanceof NotYet ? MAX_POLL_MS : MAX_WAIT_MS);
}
