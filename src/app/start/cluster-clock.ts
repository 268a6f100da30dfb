/**
 * The time of objects and controllers. With `--speed` it passes faster than real time, and so it is ahead afterwards: the data directory
 * remembers by how much, and no later start sets it back.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Clock, Timer } from "../../util/clock.ts";
import { fasterClock } from "../../util/faster-clock.ts";
import { type DataDirectory, replaceFile } from "../storage/data-directory.ts";
import type { ServeOptions } from "../options/options.ts";
import type { ServerParts } from "./server-parts.ts";

const FILE = "clock.json";
const SAVE_MS = 10_000;

/** Opens the clock of the cluster: that of the system where time has always passed as usual. It writes nothing. */
export function openClusterClock(
  { speed }: Pick<ServeOptions, "speed">,
  directory: DataDirectory | undefined,
  clock: Clock,
): Clock {
  const ahead = directory === undefined ? 0 : readAhead(directory.file(FILE));
  if (speed === 1 && ahead === 0) return clock;
  // What passed between the last save and a crash is not known: at most so much.
  return fasterClock(clock, speed, clock.now() + ahead + (ahead > 0 ? SAVE_MS * speed : 0));
}

/** Saves by how much the time of the cluster is ahead, now and then and at the end. */
export function saveClusterClock({ clusterClock, directory, system: { clock }, options, opened }: ServerParts): void {
  if (clusterClock === clock || directory === undefined || options.readOnly) return;
  const file = directory.file(FILE);
  const save = (): void => {
    const text = JSON.stringify({ aheadMillis: clusterClock.now() - clock.now() });
    replaceFile(file, `${text}\n`, { mode: 0o600 });
  };
  let timer: Timer;
  const again = (): void => {
    save();
    timer = clock.after(SAVE_MS, again);
  };
  again();
  opened.defer(() => {
    timer.cancel();
    save();
  });
}

/** By how many milliseconds the time of the cluster is ahead; 0 where that is not known. */
function readAhead(file: string): number {
  try {
    const { aheadMillis } = JSON.parse(readFileSync(file, "utf8")) as { aheadMillis?: unknown };
    return typeof aheadMillis === "number" && aheadMillis > 0 ? aheadMillis : 0;
  } catch {
    return 0;
  }
}
