/**
 * Rotates the log of a running container: the content of a long log replaces the older part. Records when the log grows.
 *
 * @module
 */
import { appendFile, copyFile, rename, rm, stat, truncate } from "node:fs/promises";
import { type Clock, sleep } from "../../../util/clock.ts";
import { type LogFiles, timesOf } from "./log-files.ts";

/** The size at which a log is rotated; the older part may have as much again. */
export const LOG_BYTES: number = 10 << 20;
const POLL_INTERVAL_MS = 1000;
/** The minimum growth between two recorded times, so that the times stay small. */
const MIN_GROWTH_BYTES = 256;

/**
 * Checks a log periodically until `ended`. The process appends to the file all the time; a line that it writes during a
 * rotation may be lost. Output between two checks has the time of the second one, the last output that of the file.
 */
export async function rotateLog({ file, older }: LogFiles, ended: Promise<unknown>, clock: Clock): Promise<void> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  let recorded = 0;
  for (;;) {
    await sleep(clock, POLL_INTERVAL_MS, over.signal, { owner: file, upkeep: true });
    if (over.signal.aborted) return;
    // The file is removed with the directory of its Pod.
    const found = await stat(file).catch(() => undefined);
    if (!found) return;
    try {
      if (found.size >= recorded + MIN_GROWTH_BYTES) {
        await appendFile(timesOf(file), `${found.size} ${clock.now()}\n`, { mode: 0o640 });
        recorded = found.size;
      }
      if (found.size <= LOG_BYTES) continue;
      await rotate(file, older);
      recorded = 0;
    } catch {
      // The next check tries again.
    }
  }
}

async function rotate(file: string, older: string): Promise<void> {
  await copyFile(file, older);
  await rm(timesOf(older), { force: true });
  await rename(timesOf(file), timesOf(older));
  await truncate(file);
}
