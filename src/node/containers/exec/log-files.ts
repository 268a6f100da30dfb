/**
 * The files in which the containers of a Pod leave what they say; they stay until the Pod is gone from the API.
 *
 *     logs/NAME.log             what a container has said since its last start
 *     logs/NAME.log.1           its beginning, where it has grown long
 *     logs/NAME.previous.log    what it had said at the start before, likewise
 *     logs/….times              when: lines of an offset in the file and a time, in ms since the epoch
 *
 * @module
 */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathPart, podDirectory } from "../../paths.ts";
import { LOGS } from "../kept.ts";

/** A log: its file, and the beginning that was put aside. */
export interface LogFiles {
  readonly file: string;
  readonly aside: string;
}

/** The log of a container of a Pod, of its last start or of the one before. */
export function logFiles(root: string, podUid: string, container: string, isPrevious = false): LogFiles {
  const name = `${pathPart(container)}${isPrevious ? ".previous" : ""}.log`;
  const file = join(podDirectory(root, podUid), LOGS, name);
  return { file, aside: `${file}.1` };
}

/** The file that says when what a log has was said. */
export const timesOf = (file: string): string => `${file}.times`;

/** Before a container is started again: its log becomes that of the start before. */
export async function turnLogs(root: string, podUid: string, container: string): Promise<void> {
  const [now, before] = [logFiles(root, podUid, container), logFiles(root, podUid, container, true)];
  for (const part of ["aside", "file"] as const) {
    const [from, to] = [now[part], before[part]];
    await rm(to, { force: true });
    await rename(from, to).catch(ignoreMissing);
    await rm(timesOf(to), { force: true });
    await rename(timesOf(from), timesOf(to)).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
