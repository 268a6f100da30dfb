/**
 * Restores a store from a backup.
 *
 * @module
 */
import type { BackupSummary } from "../backup/format.ts";
import { type BackupSink, readBackup } from "../backup/read.ts";
import { REVISION_GAP, Rebuild } from "./rebuild.ts";

/** The result of a restore. */
export interface RestoreReport {
  readonly backup: BackupSummary;
  /** The revision at which the store continues. */
  readonly revision: number;
}

/** More changes than a store can commit in a millisecond. */
const CHANGES_PER_MILLI = 100;

/** A revision that the original store cannot have reached since the backup. */
function revisionAfter({ revision, time }: BackupSummary, now: number): number {
  const since = Math.max(0, now - Date.parse(time));
  return revision + REVISION_GAP + Math.ceil(since * CHANGES_PER_MILLI);
}

/**
 * Restores the bytes of a backup to `directory`, which stays empty when that fails.
 *
 * @param now the wall time in milliseconds, which becomes that of the records
 * @param begin called with the header of the backup, before anything is written
 * @throws StoreError `corrupt` or `failed` as {@link readBackup}; `failed` when there is a store already
 */
export async function restoreStore(
  pieces: AsyncIterable<Uint8Array>,
  directory: string,
  now: number,
  begin: BackupSink["begin"],
): Promise<RestoreReport> {
  let rebuild: Rebuild | undefined;
  try {
    const backup = await readBackup(pieces, {
      begin(header) {
        begin(header);
        rebuild = new Rebuild(directory, header.revision);
      },
      record: (record) => rebuild!.add({ ...record, time: now }),
    });
    const revision = rebuild!.finish(revisionAfter(backup, now));
    return { backup, revision };
  } catch (error) {
    rebuild?.abandon();
    throw error;
  }
}
