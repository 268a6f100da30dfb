/**
 * Keeps the log of a container that runs short: the beginning of a long one is put aside, in place of what was there before.
 *
 * @module
 */
import { copyFile, stat, truncate } from "node:fs/promises";
import { type Clock, sleep } from "../../../util/clock.ts";

/** Bytes that a log may have when it is looked at; as much again may be in `FILE.1`. */
export const LOG_BYTES: number = 10 << 20;
const LOOK_MS = 10_000;

/**
 * Looks at the log `file` again and again until `ended`. The process goes on writing to the end of the file; a line that it writes
 * while the log is put aside may be lost.
 */
export async function keepShort(file: string, ended: Promise<unknown>, clock: Clock): Promise<void> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  for (;;) {
    await sleep(clock, LOOK_MS, over.signal, { owner: file });
    if (over.signal.aborted) return;
    // It goes with the directory of its Pod.
    const found = await stat(file).catch(() => undefined);
    if (!found) return;
    if (found.size <= LOG_BYTES) continue;
    // What fails is tried at the next look.
    await putAside(file).catch(() => {});
  }
}

async function putAside(file: string): Promise<void> {
  await copyFile(file, `${file}.1`);
  await truncate(file);
}
