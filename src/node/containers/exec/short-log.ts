/**
 * Looks after the log of a container that runs: the beginning of a long one is put aside, in place of what was there before, and
 * when it grows is written down.
 *
 * @module
 */
import { appendFile, copyFile, rename, rm, stat, truncate } from "node:fs/promises";
import { type Clock, sleep } from "../../../util/clock.ts";
import { type LogFiles, timesOf } from "./log-files.ts";

/** Bytes that a log may have when it is looked at; as much again may be in `FILE.1`. */
export const LOG_BYTES: number = 10 << 20;
const LOOK_MS = 1000;
/** So much of a log is between two times at least: they take little room beside it. */
const LEAST_BYTES = 256;

/**
 * Looks at a log again and again until `ended`. The process goes on writing to the end of the file; a line that it writes while the
 * log is put aside may be lost. What is said between two looks has the time of the second; what is said last, that of the file.
 */
export async function keepShort({ file, aside }: LogFiles, ended: Promise<unknown>, clock: Clock): Promise<void> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  let noted = 0;
  for (;;) {
    await sleep(clock, LOOK_MS, over.signal, { owner: file, upkeep: true });
    if (over.signal.aborted) return;
    // It goes with the directory of its Pod.
    const found = await stat(file).catch(() => undefined);
    if (!found) return;
    try {
      if (found.size >= noted + LEAST_BYTES) {
        await appendFile(timesOf(file), `${found.size} ${clock.now()}\n`, { mode: 0o640 });
        noted = found.size;
      }
      if (found.size <= LOG_BYTES) continue;
      await putAside(file, aside);
      noted = 0;
    } catch {
      // What fails is tried at the next look.
    }
  }
}

async function putAside(file: string, aside: string): Promise<void> {
  await copyFile(file, aside);
  await rm(timesOf(aside), { force: true });
  await rename(timesOf(file), timesOf(aside));
  await truncate(file);
}
