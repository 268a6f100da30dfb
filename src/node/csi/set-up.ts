/**
 * Sets up a CSI volume for a Pod, or checks one that is set up, from the records on disk and the objects.
 *
 * @module
 */
import type { CSIDriver } from "../../client/kinds/index.ts";
import { type MadeVolume, VolumeError } from "../contract.ts";
import { isStillThere } from "./disk.ts";
import { fsGroupOf, labelOf } from "./group.ts";
import { grow } from "./grow.ts";
import { type SetUp, asVolumeError, registered } from "./parts.ts";
import { type Publishing, makeLink, publish } from "./publish.ts";
import type { PublishRecord } from "./record.ts";
import { type Staging, ensureStaged } from "./stage.ts";
import { type CsiVolume, checkLifecycle } from "./volume.ts";

/** Sets up a volume; runs under the lock of the volume. */
export async function setUpVolume(setUp: SetUp, volume: CsiVolume): Promise<MadeVolume> {
  setUp.signal.throwIfAborted();
  const object = setUp.objects.get({ name: volume.driver });
  checkLifecycle(volume, object);
  checkMode(setUp);
  const record = await setUp.records.publication(keyOf(setUp, volume));
  const isReady = record?.state === "ready" && (await isStillPublished(setUp, record));
  return isReady ? check(setUp, volume, { object, record }) : make(setUp, volume, object);
}

/** A volume is used in its own volumeMode (NODE-46). */
function checkMode({ needed }: SetUp): void {
  const { persistent, mode } = needed;
  const is = persistent?.volume.spec.volumeMode === "Block" ? "Block" : "Filesystem";
  if (is === mode) return;
  const use = mode === "Block" ? "volumeDevices" : "volumeMounts";
  throw new VolumeError(`the volume has the volumeMode ${is} and is listed in ${use} of a container`);
}

const keyOf = ({ needed }: SetUp, { name, mode }: CsiVolume): Pick<PublishRecord, "podUid" | "name" | "mode"> => ({
  podUid: needed.pod.metadata.uid,
  name,
  mode,
});

const isStillPublished = ({ paths, context }: SetUp, record: PublishRecord): Promise<boolean> =>
  isStillThere(record.seen, paths.publish(record).target, context.mounter);

/** Checks a volume that a Pod uses: some drivers want it published again (NODE-33), and it may have to grow (NODE-47). */
async function check(
  setUp: SetUp,
  volume: CsiVolume,
  { object, record }: { readonly object: CSIDriver | undefined; readonly record: PublishRecord },
): Promise<MadeVolume> {
  const { directory } = setUp.paths.publish(record);
  if (object?.spec.requiresRepublish === true && setUp.waits.untilPublish(directory) === 0) {
    const publishing = { ...(await means(setUp, volume, object)), object, record };
    const { seen } = await publish(setUp, volume, publishing);
    if (seen !== record.seen) await setUp.records.savePublication({ ...record, seen });
    await applyGroupOf(setUp, volume, publishing);
  }
  const retryAfter = await grow(setUp, volume, true);
  return made(setUp, { directory, object, retryAfter });
}

/** Sets up a volume: does all missing steps, in order. */
async function make(setUp: SetUp, volume: CsiVolume, object: CSIDriver | undefined): Promise<MadeVolume> {
  const { records, paths } = setUp;
  await checkExclusive(setUp, volume);
  const staging = await means(setUp, volume, object);
  const begun = await begin(setUp, volume, staging);
  if (volume.lifecycle === "Persistent") await ensureStaged(setUp, volume, staging);
  const isThere = begun.state === "published" && (await isStillPublished(setUp, begun));
  const publishing = { ...staging, object, record: isThere ? begun : notYet(begun) };
  const record = isThere ? begun : await publish(setUp, volume, publishing);
  const retryAfter = await finish(setUp, volume, { ...publishing, record });
  await records.savePublication({ ...record, state: "ready" });
  return made(setUp, { directory: paths.publish(record).directory, object, retryAfter });
}

/** The steps between the publication and the use by a Pod; returns milliseconds until a retry of the expansion. */
async function finish(setUp: SetUp, volume: CsiVolume, publishing: Publishing): Promise<number | undefined> {
  try {
    await applyGroupOf(setUp, volume, publishing);
    return await grow(setUp, volume, false);
  } catch (error) {
    await setUp.records.savePublication(publishing.record);
    throw error;
  }
}

/** The driver may still know a volume whose mount is gone. */
const notYet = (record: PublishRecord): PublishRecord =>
  record.state === "ready" || record.state === "published" ? { ...record, state: "publishing" } : record;

/** Writes the record of a volume before anything is done, so that it can be torn down (NODE-20). */
async function begin(setUp: SetUp, volume: CsiVolume, { attachment }: Staging): Promise<PublishRecord> {
  const { records, context } = setUp;
  const key = keyOf(setUp, volume);
  await makeLink(setUp.paths.publish(key));
  const found = await records.publication(key);
  if (found) return found;
  const { driver, handle, lifecycle } = volume;
  const fresh = { driver, handle, lifecycle, attachment, node: context.node, state: "new", seen: "none" } as const;
  return records.savePublication({ ...fresh, ...key });
}

/** Refuses a second Pod for a volume that only one may use (NODE-67). */
async function checkExclusive({ records, needed }: SetUp, volume: CsiVolume): Promise<void> {
  if (!volume.accessModes.includes("ReadWriteOncePod")) return;
  const users = await records.publicationsOf(volume);
  const other = users.find(({ podUid }) => podUid !== needed.pod.metadata.uid);
  if (!other) return;
  throw new VolumeError(
    `the volume has the access mode ReadWriteOncePod and is in use by the Pod with UID ${other.podUid}`,
  );
}

/** The driver of a volume, its capabilities, and the metadata of the attachment (NODE-10, NODE-14). */
async function means(setUp: SetUp, volume: CsiVolume, object: CSIDriver | undefined): Promise<Staging> {
  const { needed, signal } = setUp;
  const driver = registered(setUp.drivers, volume.driver);
  const { attachment } = needed;
  if (isAttached(volume, object) && attachment?.status.attached !== true) {
    throw new VolumeError(`the volume is not attached to the node yet`);
  }
  const capabilities = await driver.nodeCapabilities({ signal }).catch((error: unknown) => {
    throw asVolumeError(error);
  });
  const group = fsGroupOf(volume, needed.pod, { object, capabilities });
  const extras = {
    group: group?.by === "driver" ? group.gid : undefined,
    label: setUp.hasSELinux ? labelOf(volume, needed.pod, object) : undefined,
  };
  const { attachmentMetadata = {} } = attachment?.status ?? {};
  return {
    driver,
    capabilities,
    extras,
    attachment: attachment?.metadata.name,
    attachmentUid: attachment?.metadata.uid,
    publishContext: { ...attachmentMetadata },
  };
}

/** Whether a volume has to be attached first (NODE-10, NODE-15); it has to be without a CSIDriver object. */
export const isAttached = ({ lifecycle }: CsiVolume, object: CSIDriver | undefined): boolean =>
  lifecycle === "Persistent" && object?.spec.attachRequired !== false;

/** Applies the group of the Pod, where the agent has to (NODE-38, NODE-42). */
async function applyGroupOf(
  setUp: SetUp,
  volume: CsiVolume,
  { object, capabilities, record }: Publishing,
): Promise<void> {
  const { pod } = setUp.needed;
  const group = fsGroupOf(volume, pod, { object, capabilities });
  if (group?.by !== "agent") return;
  const changePolicy = pod.spec.securityContext?.fsGroupChangePolicy;
  const { target } = setUp.paths.publish(record);
  try {
    await setUp.applyGroup(target, { gid: group.gid, changePolicy }, { signal: setUp.signal });
  } catch (cause) {
    throw new VolumeError(`applyFSGroup failed for vol ${volume.name}: ${asVolumeError(cause).message}`, { cause });
  }
}

interface Outcome {
  readonly directory: string;
  readonly object: CSIDriver | undefined;
  /** Milliseconds until a retry of the expansion. */
  readonly retryAfter: number | undefined;
}

function made({ needed, waits }: SetUp, { directory, object, retryAfter }: Outcome): MadeVolume {
  const republished = object?.spec.requiresRepublish === true ? waits.untilPublish(directory) : undefined;
  const times = [retryAfter, republished].filter((ms) => ms !== undefined);
  return times.length === 0 ? { source: needed.path } : { source: needed.path, againAfter: Math.min(...times) };
}
