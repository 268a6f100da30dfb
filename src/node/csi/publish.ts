/**
 * Publishes a volume to a Pod, and unpublishes it (NODE-16, NODE-17, NODE-19).
 *
 * @module
 */
import { mkdir, symlink, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { CSIDriver } from "../../client/kinds/index.ts";
import { isFinal } from "../../csi/driver-error.ts";
import { VolumeError } from "../contract.ts";
import { volumeCapability } from "./capability.ts";
import { ignoreMissing, removeIfEmpty, removeLeft, seenAt } from "./disk.ts";
import { type Operation, type SetUp, asVolumeError, registered } from "./parts.ts";
import type { PublishPaths } from "./csi-paths.ts";
import type { PublishRecord, StageRecord } from "./record.ts";
import { type Staging, isPublished, release, stages } from "./stage.ts";
import { publishInputs } from "./publish-inputs.ts";
import type { CsiVolume } from "./volume.ts";

/** What a volume is published with. */
export interface Publishing extends Staging {
  readonly object: CSIDriver | undefined;
  readonly record: PublishRecord;
}

/**
 * Publishes a volume, also again. Returns the new record and does not write it: after a crash it is published once more.
 */
export async function publish(setUp: SetUp, volume: CsiVolume, publishing: Publishing): Promise<PublishRecord> {
  const { records, context, waits } = setUp;
  const { record: before, object } = publishing;
  const place = setUp.paths.publish(before);
  const isAgain = before.state === "ready";
  const what = await publishInputs(setUp, volume, object);
  const record = isAgain ? before : await records.savePublication({ ...before, state: "publishing" });
  await mkdir(dirname(place.target), { recursive: true, mode: 0o750 });
  try {
    await call(setUp, volume, { ...publishing, ...what, target: place.target });
  } catch (error) {
    const isNew = before.state === "new" || before.state === "unpublished";
    const isOver = isNew && isFinal(error) && (await seenAt(place.target, context.mounter)) === "none";
    if (isOver) await records.savePublication(before);
    throw asVolumeError(error);
  }
  waits.published(place.directory, before.podUid);
  const seen = await seenAt(place.target, context.mounter);
  if (place.link && seen === "none") {
    throw new VolumeError(`expected the driver ${volume.driver} to create a device at ${place.target}`);
  }
  return { ...record, state: "published", seen };
}

type Call = Publishing & Awaited<ReturnType<typeof publishInputs>> & { readonly target: string };

async function call({ paths, signal }: SetUp, volume: CsiVolume, how: Call): Promise<void> {
  const { driver, capabilities, extras, publishContext, target, volumeContext, secrets } = how;
  const isStaged = volume.lifecycle === "Persistent" && stages(capabilities);
  await driver.node.nodePublishVolume(
    {
      volumeId: volume.handle,
      publishContext,
      stagingTargetPath: isStaged ? paths.stage(volume).staging : "",
      targetPath: target,
      volumeCapability: volumeCapability(volume, capabilities, extras),
      readonly: volume.readOnly,
      secrets,
      volumeContext,
    },
    { signal },
  );
}

/** Creates the link to a device (NODE-45), before anything else: it is how tear-down finds a volume that was only begun. */
export async function makeLink({ link, target }: PublishPaths): Promise<void> {
  if (!link) return;
  await mkdir(dirname(link), { recursive: true, mode: 0o750 });
  await symlink(target, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Unpublishes a volume, and unstages it after its last Pod; removes its records. */
export async function takeBack(operation: Operation, found: PublishRecord): Promise<void> {
  const { records, paths, waits } = operation;
  const place = paths.publish(found);
  const record = await unpublish(operation, found);
  const stage = await lastStage(operation, record);
  if (stage) {
    await records.savePublication(record);
    await release(operation, stage);
  }
  await records.dropPublication(record);
  await removeLink(place);
  waits.gone(place.directory);
}

/** Removes the link to a device, and the directories of this Pod. */
export async function removeLink({ link, directory, target }: PublishPaths): Promise<void> {
  if (!link) return;
  await unlink(link).catch(ignoreMissing);
  await removeIfEmpty(dirname(directory));
  await removeIfEmpty(dirname(target));
}

/** Unpublishes a volume that its driver may have published; removes leftovers. */
async function unpublish(operation: Operation, record: PublishRecord): Promise<PublishRecord> {
  const { records, paths, context, signal } = operation;
  const { target } = paths.publish(record);
  if (!isPublished(record)) {
    await removeLeft(target, context.mounter);
    return record;
  }
  const driver = registered(operation.drivers, record.driver);
  await records.savePublication({ ...record, state: "publishing" });
  try {
    await driver.node.nodeUnpublishVolume({ volumeId: record.handle, targetPath: target }, { signal });
  } catch (error) {
    throw asVolumeError(error);
  }
  await removeLeft(target, context.mounter);
  return { ...record, state: "unpublished", seen: "none" };
}

/** The record of the volume on the node where no other Pod uses it. */
async function lastStage({ records }: Operation, record: PublishRecord): Promise<StageRecord | undefined> {
  if (record.lifecycle === "Ephemeral") return undefined;
  const others = (await records.publicationsOf(record)).filter(
    ({ podUid, name, state }) => state !== "unpublished" && (podUid !== record.podUid || name !== record.name),
  );
  return others.length > 0 ? undefined : records.stage(record);
}
