/**
 * Writers of one object wait for each other.
 *
 * A write that calls another server (a webhook) holds the lock of its object meanwhile, so the time is bounded: the lock of
 * a late write is taken away, its signal says so, and the next one begins. That is safe, because each write names the
 * version that it replaces.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { type Hold, KeyedLock } from "../../util/keyed-lock.ts";
import { lockError } from "../kind/errors.ts";

/** As long as a whole request may take. */
const WAIT_MILLIS = 60_000;
/** As long as the slowest admission webhook may take. */
const HOLD_MILLIS = 30_000;

/** The locks of all objects of a server. */
export const objectLocks = (clock: Clock): KeyedLock =>
  new KeyedLock({ clock, waitMillis: WAIT_MILLIS, holdMillis: HOLD_MILLIS });

async function withErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw lockError(error);
  }
}

/** Runs work that holds the lock of a key; 504 when it does not get the lock in time or loses it, 429 when too many wait. */
export const withLock = <T>(locks: KeyedLock, key: string, work: (hold: Hold) => Promise<T>): Promise<T> =>
  withErrors(locks.run(key, work));

/** Runs work without a lock, for an object that does not exist yet; its time is bounded as that of {@link withLock}. */
export const withoutLock = <T>(locks: KeyedLock, work: (hold: Hold) => Promise<T>): Promise<T> =>
  withErrors(locks.alone(work));

/** Runs work that holds the locks of several keys, which it takes in order, so that no deadlock is possible. */
export function withLocks<T>(locks: KeyedLock, keys: readonly string[], work: (hold: Hold) => Promise<T>): Promise<T> {
  const [first, ...rest] = [...new Set(keys)].toSorted();
  if (first === undefined) return withoutLock(locks, work);
  if (rest.length === 0) return withLock(locks, first, work);
  return withLock(locks, first, (outer) =>
    withLocks(locks, rest, (inner) => work({ signal: AbortSignal.any([outer.signal, inner.signal]) })),
  );
}
