/**
 * The log files of the containers of a Pod; they stay until the Pod is deleted from the API.
 *
 *     logs/NAME.log             the log since the last start
 *     logs/NAME.log.1           the older part of a long log
 *     logs/NAME.previous.log    the log of the previous start, likewise
 *     logs/….times              lines with an offset in the file and a time, in ms since the epoch
 *
 * @module
 */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { LOGS, pathPart, podDirectory } from "../../paths.ts";
import { codeOf } from "../../../util/error.ts";

/** The files of a log: the newer and the older part. */
export interface LogFiles {
  readonly file: string;
  readonly older: string;
}

/** The log files of a container of a Pod, of the last start or of the previous one. */
export function logFiles(root: string, podUid: string, container: string, isPrevious = false): LogFiles {
  const name = `${pathPart(container)}${isPrevious ? ".previous" : ""}.log`;
  const file = join(podDirectory(root, podUid), LOGS, name);
  return { file, older: `${file}.1` };
}

/** The file with the times of a log. */
export const timesOf = (file: string): string => `${file}.times`;

/** Makes the log of a container that of its previous start. */
export async function keepPreviousLogs(root: string, podUid: string, container: string): Promise<void> {
  const [now, before] = [logFiles(root, podUid, container), logFiles(root, podUid, container, true)];
  for (const part of ["older", "file"] as const) {
    const [from, to] = [now[part], before[part]];
    await rm(to, { force: true });
    await rename(from, to).catch(ignoreMissing);
    await rm(timesOf(to), { force: true });
    await rename(timesOf(from), timesOf(to)).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}
