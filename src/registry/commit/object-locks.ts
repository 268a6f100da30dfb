/**
 * Writers of one object wait for each other.
 * A write that calls another server (a webhook) holds the lock of its object meanwhile, so the time is bounded: a write that is late loses
 * its lock, its signal is aborted, and the next one begins. That is safe, because each write names the version that it replaces.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { type Hold, KeyedLock } from "../../util/keyed-lock.ts";
import { once } from "../../util/once.ts";
import { lockError } from "../kind/errors.ts";

/** The timeout of a whole request. */
const WAIT_MILLIS = 60_000;
/** The longest timeout of an admission webhook. */
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
  return withErrors(withAll(locks, [first, ...rest], work));
}

/** Takes locks one after the other: there may be thousands of them. */
async function withAll<T>(locks: KeyedLock, keys: readonly string[], work: (hold: Hold) => Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<void>();
  const holds: Hold[] = [];
  try {
    for (const key of keys) holds.push(await take(locks, key, ended.promise));
    const signal = once(() => AbortSignal.any(holds.map((hold) => hold.signal)));
    return await work({
      get signal() {
        return signal();
      },
    });
  } finally {
    ended.resolve();
  }
}

/** Resolves to the hold of a lock, which is released when `ended` resolves; rejects where the lock cannot be acquired. */
function take(locks: KeyedLock, key: string, ended: Promise<void>): Promise<Hold> {
  const { promise, resolve, reject } = Promise.withResolvers<Hold>();
  const work = (hold: Hold): Promise<void> => {
    resolve(hold);
    return ended;
  };
  locks.run(key, work).catch(reject);
  return promise;
}
