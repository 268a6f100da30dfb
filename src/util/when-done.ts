/**
 * Goes on at once where there is nothing to wait for, and when it is done where there is.
 *
 * Small work runs straight through: an `await` would let all other requests of the tick go first, even where nothing waits.
 */
export const whenDone = <T>(pending: Promise<unknown> | undefined | void, next: () => T | Promise<T>): T | Promise<T> =>
  pending ? pending.then(next) : next();
