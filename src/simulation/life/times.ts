/** Times of a life: they are read from a status, whose times have seconds. */
import { formatTime, parseTime } from "../../meta/time.ts";

/** A second in milliseconds. */
export const SECOND = 1000;

/** The beginning of the second of a time. */
export const wholeSecond = (at: number): number => Math.floor(at / SECOND) * SECOND;

/** Milliseconds since the epoch of a time in an object. */
export const timeIn = (text: string | null | undefined): number | undefined =>
  text === null || text === undefined ? undefined : parseTime(text);

/** A time for an object. */
export const textOf = (at: number): string => formatTime(at);

const FIRST_WAIT = 10 * SECOND;
const MAX_WAIT = 300 * SECOND;
/** A container that ran longer is restarted as if it had never failed. */
export const RESET_AFTER = 2 * MAX_WAIT;

/** The backoff of a container after a number of restarts since the last reset: 0, 10 s, 20 s ... 5 min. */
export const restartWait = (restarts: number): number =>
  restarts <= 0 ? 0 : Math.min(FIRST_WAIT * 2 ** Math.min(restarts - 1, 10), MAX_WAIT);

/** The pull of an image that is missing. */
export interface PullTry {
  /** When the last try was. */
  readonly last: number;
  /** The backoff of the next restart from then on. */
  readonly wait: number;
}

/** The tries of a pull since its beginning: after 10 s, 20 s ... 5 min. */
export function pullTryAt(began: number, now: number): PullTry {
  let last = began;
  let wait = FIRST_WAIT;
  while (wait < MAX_WAIT && last + wait <= now) {
    last += wait;
    wait = Math.min(2 * wait, MAX_WAIT);
  }
  if (last + wait <= now) last += Math.floor((now - last) / wait) * wait;
  return { last, wait };
}
