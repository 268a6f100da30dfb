/**
 * The time of objects and controllers. With `--speed` it passes faster than real time, so it is ahead afterwards: the data directory
 * stores by how much, and no later start sets it back.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { attempt } from "../../util/attempt.ts";
import type { Clock, Timer } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";
import { fasterClock } from "../../util/faster-clock.ts";
import { type DataDirectory, replaceFile } from "../storage/data-directory.ts";
import type { ServeOptions } from "../options/options.ts";
import type { ServerParts } from "./server-parts.ts";

const FILE = "clock.json";
const SAVE_MS = 10_000;
/** The maximum real time between two saves, where one is late; so much is saved in advance, for a crash. */
const UNSAVED_MS = 2 * SAVE_MS;

/** Opens the clock of the cluster: that of the system where time has always passed at its normal speed. It writes nothing. */
export function openClusterClock(
  { speed }: Pick<ServeOptions, "speed">,
  directory: Pick<DataDirectory, "file"> | undefined,
  clock: Clock,
): Clock {
  const ahead = directory === undefined ? 0 : readAhead(directory.file(FILE));
  if (speed === 1 && ahead === 0) return clock;
  return fasterClock(clock, speed, clock.now() + ahead);
}

/** What is saved, and where. */
interface ClockParts extends Pick<ServerParts, "clusterClock" | "system" | "opened"> {
  readonly directory: Pick<DataDirectory, "file"> | undefined;
  readonly options: Pick<ServeOptions, "speed" | "readOnly">;
}

/**
 * Saves by how much the time of the cluster is ahead: at the end, when no later part runs any more, and periodically the maximum by
 * which it may be ahead at a crash before the next save. @throws Error where it cannot be saved at first
 */
export function saveClusterClock({ clusterClock, directory, system, options, opened }: ClockParts): void {
  const { clock, log } = system;
  if (clusterClock === clock || directory === undefined || options.readOnly) return;
  const file = directory.file(FILE);
  const save = (more: number): void => {
    const text = JSON.stringify({ aheadMillis: clusterClock.now() - clock.now() + more });
    replaceFile(file, `${text}\n`, { mode: 0o600 });
  };
  const saveForCrash = (): void => save((options.speed - 1) * UNSAVED_MS);
  const failed = (error: unknown): void =>
    log.error("the time of the cluster could not be saved, will retry", { file, error: messageOf(error) });
  const next = (): Timer =>
    clock.after(SAVE_MS, () => {
      void attempt(saveForCrash, failed);
      timer = next();
    });
  saveForCrash();
  let timer = next();
  opened.defer(() => {
    timer.cancel();
    save(0);
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
