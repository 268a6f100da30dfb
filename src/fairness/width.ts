/**
 * The width of requests, in seats (APF-15).
 *
 * @module
 */

/** How many bytes a list reads for each seat. */
const BYTES_A_SEAT = 100_000;
const MAX_LIST_SEATS = 100;
/** How many watchers receive a write for each seat. */
const WATCHERS_A_SEAT = 10;
const MAX_WRITE_SEATS = 10;
/** How long each seat of a write is taken after it. */
const NOTIFICATION_MS = 5;

/** The stored objects of a resource. */
export interface Stored {
  readonly objects: number;
  /** The mean size of an object, in bytes. */
  readonly meanBytes: number;
}

/**
 * Returns the seats of a list, which its level may limit.
 *
 * @param limit the requested number of objects; 0 for all
 */
export function listWidth({ objects, meanBytes }: Stored, limit: number): number {
  const count = limit > 0 ? Math.min(limit, objects) : objects;
  return Math.min(MAX_LIST_SEATS, Math.max(1, Math.ceil((count * meanBytes) / BYTES_A_SEAT)));
}

/** Returns the largest number of seats of one request of a level. */
export function maxWidth(nominal: number, handSize: number | undefined): number {
  const hand = handSize === undefined ? Infinity : Math.floor(nominal / handSize);
  return Math.max(1, Math.min(Math.ceil(nominal * 0.15), hand));
}

/** Seats that are in use for a while after a request. */
export interface After {
  readonly seats: number;
  readonly millis: number;
}

/** Returns the seats of a write while its watchers are notified; undefined where they are few. */
export function afterWrite(watchers: number, max: number): After | undefined {
  if (watchers < WATCHERS_A_SEAT) return undefined;
  const demand = Math.ceil(watchers / WATCHERS_A_SEAT);
  const seats = Math.min(demand, MAX_WRITE_SEATS, max);
  return { seats, millis: (demand * NOTIFICATION_MS) / seats };
}
