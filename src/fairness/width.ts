/**
 * How many seats a request takes (APF-15).
 *
 * @module
 */

/** Bytes that are read for one seat, and the most seats that a list takes. */
const BYTES_A_SEAT = 100_000;
const MOST_FOR_LIST = 100;
/** Watchers that are told of a write for one seat, the most seats that takes, and for how long each is taken, in ms. */
const WATCHERS_A_SEAT = 10;
const MOST_FOR_WRITE = 10;
const TELLING_MS = 5;

/** What is stored of a resource. */
export interface Stored {
  readonly objects: number;
  /** The mean size of an object, in bytes. */
  readonly meanBytes: number;
}

/**
 * The seats of a list, before what its level allows.
 *
 * @param limit the most objects that are asked for; 0 for all
 */
export function listWidth({ objects, meanBytes }: Stored, limit: number): number {
  const count = limit > 0 ? Math.min(limit, objects) : objects;
  return Math.min(MOST_FOR_LIST, Math.max(1, Math.ceil((count * meanBytes) / BYTES_A_SEAT)));
}

/** The most seats that one request of a level takes. */
export function mostWidth(nominal: number, handSize: number | undefined): number {
  const hand = handSize === undefined ? Infinity : Math.floor(nominal / handSize);
  return Math.max(1, Math.min(Math.ceil(nominal * 0.15), hand));
}

/** Seats that are taken for a while after a request. */
export interface After {
  readonly seats: number;
  readonly millis: number;
}

/** What a write takes afterwards, while its watchers are told; undefined where they are few. */
export function afterWrite(watchers: number, most: number): After | undefined {
  if (watchers < WATCHERS_A_SEAT) return undefined;
  const wanted = Math.ceil(watchers / WATCHERS_A_SEAT);
  const seats = Math.min(wanted, MOST_FOR_WRITE, most);
  return { seats, millis: (wanted * TELLING_MS) / seats };
}
