/**
 * Stages a volume on the node, once for all Pods, and unstages it after the last one (NODE-16, NODE-17).
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { type Driver } from "../../csi/driver.ts";
import { isFinal } from "../../csi/driver-error.ts";
import { VolumeError } from "../contract.ts";
import { type Capabilities, type MountExtras, volumeCapability } from "./capability.ts";
import { isStillThere, isUntouched, removeLeft, seenAt } from "./disk.ts";
import { type Operation, type SetUp, asVolumeError, registered } from "./parts.ts";
import type { PublishRecord, StageRecord } from "./record.ts";
import { secretsOf } from "./publish-inputs.ts";
import type { CsiVolume } from "./volume.ts";

/** What a volume is staged with. */
export interface Staging {
  readonly driver: Driver;
  readonly capabilities: Capabilities;
  readonly extras: MountExtras;
  /** The name of its VolumeAttachment, whose metadata is the publish context (NODE-14). */
  readonly attachment: string | undefined;
  /** The uid of that: an attachment that was created again has the same name. */
  readonly attachmentUid: string | undefined;
  readonly publishContext: Record<string, string>;
}

/** Whether a driver stages volumes. */
export const stages = (capabilities: Capabilities): boolean => capabilities.has("STAGE_UNSTAGE_VOLUME");

/** Stages a volume unless it is staged as it should be; writes its record first. */
export async function ensureStaged(setUp: SetUp, volume: CsiVolume, staging: Staging): Promise<void> {
  const { records, paths, context } = setUp;
  const found = await records.stage(volume);
  const record = found ?? freshRecord(volume, { node: context.node, attachment: staging.attachment });
  if (!stages(staging.capabilities)) {
    if (found?.attachment !== staging.attachment || !found)
      await records.saveStage({ ...record, attachment: staging.attachment });
    return;
  }
  const place = paths.stage(volume);
  const fits = record.state === "new" || (await isFitting(setUp, record, staging));
  const current = fits ? record : await unstage(setUp, record);
  const isThere = current.state === "staged" && (await isStillThere(current.seen, place.staging, context.mounter));
  if (!isThere) await stage(setUp, volume, { ...staging, before: { ...current, attachment: staging.attachment } });
}

const freshRecord = (
  { driver, handle, name, mode, lifecycle }: CsiVolume,
  of: { readonly node: string; readonly attachment: string | undefined },
): StageRecord => ({ driver, handle, name, mode, lifecycle, ...of, state: "new", seen: "none" });

/** Whether a staged volume fits a Pod. @throws VolumeError where it does not, and other Pods use it */
async function isFitting(setUp: SetUp, record: StageRecord, { attachmentUid, extras }: Staging): Promise<boolean> {
  const uids = [record.attachmentUid, attachmentUid];
  const isOver = !uids.includes(undefined) && uids[0] !== uids[1];
  if (isOver) await checkUnused(setUp, record);
  return !isOver && (record.label === extras.label || (await isUsed(setUp, record)));
}

/**
 * A volume of an earlier attachment shows old content, or none. It is unstaged first, as soon as no other Pod uses it.
 *
 * @throws VolumeError until then
 */
async function checkUnused({ records, needed }: SetUp, record: StageRecord): Promise<void> {
  const users = (await records.publicationsOf(record)).filter(isPublished);
  const other = users.find(({ podUid }) => podUid !== needed.pod.metadata.uid);
  if (!other) return;
  throw new VolumeError(
    `the volume was detached and attached again since it was mounted for the Pod with UID ${other.podUid}; waiting for that Pod to release it`,
  );
}

/** Whether this Pod uses a volume that is staged with another label, which stays then (NODE-43). */
async function isUsed({ records, needed }: SetUp, record: StageRecord): Promise<boolean> {
  const users = (await records.publicationsOf(record)).filter(isPublished);
  const others = users.filter(({ podUid }) => podUid !== needed.pod.metadata.uid);
  if (others.length > 0) {
    const label = record.label ?? "of its files";
    throw new VolumeError(`the volume is mounted for another Pod with the SELinux label ${label}`);
  }
  return users.length > 0;
}

/** Whether a volume is published, or may be. */
export const isPublished = ({ state }: PublishRecord): boolean => state !== "new" && state !== "unpublished";

async function stage(
  setUp: SetUp,
  volume: CsiVolume,
  { driver, capabilities, extras, attachmentUid, publishContext, before }: Staging & { readonly before: StageRecord },
): Promise<void> {
  const { records, context, signal } = setUp;
  const { staging } = setUp.paths.stage(volume);
  const secrets = await secretsOf(setUp, volume, "stage");
  const record = await records.saveStage({ ...before, state: "staging", attachmentUid, label: extras.label });
  await mkdir(staging, { recursive: true, mode: 0o750 });
  try {
    await driver.node.nodeStageVolume(
      {
        volumeId: volume.handle,
        publishContext,
        stagingTargetPath: staging,
        volumeCapability: volumeCapability(volume, capabilities, extras),
        secrets,
        volumeContext: { ...volume.attributes },
      },
      { signal },
    );
  } catch (error) {
    // An unclear outcome stays unclear until a call succeeds.
    const isOver = before.state === "new" && isFinal(error) && (await isUntouched(staging, context.mounter));
    if (isOver) await records.saveStage(before);
    throw asVolumeError(error);
  }
  await records.saveStage({ ...record, state: "staged", seen: await seenAt(staging, context.mounter) });
}

/** Unstages a volume that its driver may have staged; removes leftovers. */
async function unstage(operation: Operation, record: StageRecord): Promise<StageRecord> {
  const { records, paths, context, signal } = operation;
  const { staging } = paths.stage(record);
  if (record.state === "new") {
    await removeLeft(staging, context.mounter);
    return record;
  }
  const driver = registered(operation.drivers, record.driver);
  await records.saveStage({ ...record, state: "staging" });
  try {
    await driver.node.nodeUnstageVolume({ volumeId: record.handle, stagingTargetPath: staging }, { signal });
  } catch (error) {
    throw asVolumeError(error);
  }
  await removeLeft(staging, context.mounter);
  return { ...record, state: "new", seen: "none" };
}

/** Unstages a volume without Pods, and removes its record (NODE-17). */
export async function release(operation: Operation, record: StageRecord): Promise<void> {
  await operation.records.dropStage(await unstage(operation, record));
}
