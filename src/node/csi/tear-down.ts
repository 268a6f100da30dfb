/**
 * Tears a volume down with the records on disk alone; its objects may be deleted (NODE-20).
 *
 * @module
 */
import { type FoundVolume, VolumeError } from "../contract.ts";
import { isUntouched, removeEmpty, removeLeft } from "./disk.ts";
import type { Operation, Parts } from "./parts.ts";
import { removeLink, takeBack } from "./publish.ts";
import { DamagedRecord, type PublishRecord, type StageRecord, removeRecord } from "./record.ts";
import { release } from "./stage.ts";
import { messageOf } from "../../util/error.ts";

/** The lock of a volume. */
export const lockOf = ({ driver, handle }: { readonly driver: string; readonly handle: string }): string =>
  `${driver}^${handle}`;

/** Tears a volume of a Pod down, without leftovers. */
export async function tearDown(parts: Parts, found: FoundVolume, signal: AbortSignal): Promise<void> {
  const record = await recordOf(parts, found);
  if (!record) return removeRest(parts, found);
  await parts.locks.run(lockOf(record), async () => {
    signal.throwIfAborted();
    await takeBack({ ...parts, signal }, record);
  });
}

/** The record of a volume; undefined where there is none and nothing was done. */
async function recordOf({ records, paths, context }: Parts, found: FoundVolume): Promise<PublishRecord | undefined> {
  try {
    return await records.publication(found);
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    const { directory, target } = paths.publish(found);
    if (!(await isUntouched(target, context.mounter))) throw new VolumeError(error.message, { cause: error });
    await removeRecord(directory);
    return undefined;
  }
}

/** Removes what was created before the record, or remained after it. */
async function removeRest({ paths, context }: Parts, found: FoundVolume): Promise<void> {
  const place = paths.publish(found);
  await removeLeft(place.target, context.mounter);
  await removeRecord(place.directory);
  await removeEmpty(place.directory);
  await removeLink(place);
}

/**
 * Unstages volumes without Pods: their directories were removed outside. An error is logged, and the next sweep tries
 * again.
 */
export async function sweep(parts: Parts, signal: AbortSignal): Promise<void> {
  for (const stage of await parts.records.stages()) {
    if (signal.aborted) return;
    if ((await parts.records.publicationsOf(stage)).length > 0) continue;
    await parts.locks
      .run(lockOf(stage), () => sweepOne({ ...parts, signal }, stage))
      .catch((error: unknown) => {
        const facts = { volume: lockOf(stage), error: messageOf(error) };
        parts.context.log.warn("a volume that no Pod uses cannot be unstaged yet", facts, lockOf(stage));
      });
  }
}

async function sweepOne(operation: Operation, { driver, handle, mode }: StageRecord): Promise<void> {
  const volume = { driver, handle, mode };
  const record = await operation.records.stage(volume);
  const users = await operation.records.publicationsOf(volume);
  if (record && users.length === 0) await release(operation, record);
}
