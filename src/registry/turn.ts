/**
 * Writers of one object take turns.
 *
 * A write that waits for others (an admission step that asks another server) holds the turn of its object meanwhile. So
 * turns are bounded: a write whose turn is over is told by its signal and the next one begins, which is safe, because
 * each names the version that it replaces.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import { KeyedLock, type Turn } from "../util/keyed-lock.ts";
import { turnError } from "./errors.ts";

/** As long as a whole request may take. */
const WAIT_MILLIS = 60_000;
/** As long as the slowest admission webhook may take. */
const HOLD_MILLIS = 30_000;

/** The locks of all objects of a server. */
export const objectLocks = (clock: Clock): KeyedLock =>
  new KeyedLock({ clock, waitMillis: WAIT_MILLIS, holdMillis: HOLD_MILLIS });

/** Runs a write when it is its turn; 504 when that does not come in time or is over too soon, 429 when too many wait. */
export async function inTurn<T>(locks: KeyedLock, key: string, write: (turn: Turn) => Promise<T>): Promise<T> {
  try {
    return await locks.run(key, write);
  } catch (error) {
    throw turnError(error);
  }
}

/** Runs a write that no other one waits for, since its object is not there yet: as {@link inTurn}, at once. */
export async function inOwnTurn<T>(locks: KeyedLock, write: (turn: Turn) => Promise<T>): Promise<T> {
  try {
    return await locks.alone(write);
  } catch (error) {
    throw turnError(error);
  }
}

/** The end of some work, or the reason why it is not waited for any longer: the turn is over. */
export function withinTurn<T>({ signal }: Turn, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (): void => reject(signal.reason as Error);
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  return promise;
}
