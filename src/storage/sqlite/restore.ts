/**
 * Makes a store of a backup.
 *
 * @module
 */
import type { BackupSummary } from "../backup/format.ts";
import { type BackupSink, readBackup } from "../backup/read.ts";
import { REVISION_GAP, Rebuild } from "./rebuild.ts";

/** What a restore has made. */
export interface RestoreReport {
  readonly backup: BackupSummary;
  /** The revision at which the store goes on. */
  readonly revision: number;
}

/** More changes than a store can make in a millisecond. */
const CHANGES_PER_MILLI = 100;

/** A revision that the store which was backed up cannot have reached since. */
function revisionAfter({ revision, time }: BackupSummary, now: number): number {
  const since = Math.max(0, now - Date.parse(time));
  return revision + REVISION_GAP + Math.ceil(since * CHANGES_PER_MILLI);
}

/**
 * Makes a store in `directory` of the bytes of a backup; nothing is there when that fails.
 *
 * @param now the wall time in milliseconds, which becomes that of the records
 * @param begin is told what the backup is, before anything is made
 * @throws StoreError `corrupt` or `failed` as for `readBackup`; `failed` when there is a store already
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
