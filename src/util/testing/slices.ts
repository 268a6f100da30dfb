/**
 * Measures how long a slice blocks the event loop, and how long it may do so on the machine of the test at this moment.
 *
 * @module
 */
import { PerformanceObserver } from "node:perf_hooks";

/** Read when the module is loaded, since a test may replace the global. */
const { setImmediate } = globalThis;
const wallMillis = performance.now.bind(performance);

/** Milliseconds of CPU of this thread, without other processes and the threads of the garbage collector. */
function threadMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The longest slice of a request, in ms of CPU, on the reference machine. */
export const MAX_SLICE_MS = 100;

/** The CPU time of {@link piece} on that machine. */
export const PIECE_MS = 44;
const PIECE_ATTEMPTS = 3;

const CELLS = new Uint32Array(1 << 16);

/** A fixed piece of work without garbage, whose time does not depend on the heap of the process. */
function piece(): void {
  for (let i = 0; i < CELLS.length; i++) CELLS[i] = i;
  for (let i = 0, at = 1; i < 40_000_000; i++) {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    const [cell, other] = [at >>> 16, i & 0xffff];
    const kept = CELLS[cell]!;
    CELLS[cell] = CELLS[other]! ^ at;
    CELLS[other] = kept;
  }
}

/**
 * Returns the bound of a slice on this machine at this moment, in ms of CPU: `usual`, or more in proportion to the time of a
 * fixed piece of work, but never less.
 */
export const sliceBound = (usual: number = MAX_SLICE_MS, pieceMillis: number = leastOfPiece()): number =>
  usual * Math.max(1, pieceMillis / PIECE_MS);

function leastOfPiece(): number {
  return Math.min(...measurePiece());
}

const measurePiece = (): number[] =>
  Array.from({ length: PIECE_ATTEMPTS }, () => {
    const before = threadMillis();
    piece();
    return threadMillis() - before;
  });

/**
 * Whether a slice that was measured once was too long. Other work may have slowed it, so the slowest piece of work counts.
 * The machine is only measured where that matters.
 */
export const isLongSlice = (millis: number, usual: number = MAX_SLICE_MS): boolean =>
  millis > usual && millis > sliceBound(usual, Math.max(...measurePiece()));

/**
 * Throws when work took too long for this machine at this moment.
 *
 * @param millis the measured time in ms, of CPU where possible
 * @param usual the bound on the reference machine
 * @param what the work, for the message
 */
export function expectNotLong(millis: number, usual: number = MAX_SLICE_MS, what = "it"): void {
  if (!isLongSlice(millis, usual)) return;
  throw new Error(`Expected at most ${usual} ms on the reference machine, ${what} took ${Math.round(millis)}`);
}

/** A slice: its CPU time, and its begin and end by {@link wallMillis}. */
interface Slice {
  readonly millis: number;
  readonly from: number;
  readonly to: number;
}

/** Measures each slice of the loop until it is stopped. */
export class SliceMeter {
  #since = threadMillis();
  #from = wallMillis();
  #running = true;
  longest = 0;
  /** The slices that took more than {@link MAX_SLICE_MS}. */
  readonly long: Slice[] = [];

  constructor() {
    this.#next();
  }

  /** Ends the current slice and returns the longest one. */
  stop(): number {
    this.#running = false;
    this.#measure();
    return this.longest;
  }

  #next(): void {
    setImmediate(() => {
      if (!this.#running) return;
      this.#measure();
      this.#next();
    });
  }

  #measure(): void {
    const [now, to] = [threadMillis(), wallMillis()];
    const millis = now - this.#since;
    this.longest = Math.max(this.longest, millis);
    if (millis > MAX_SLICE_MS) this.long.push({ millis, from: this.#from, to });
    this.#since = now;
    this.#from = to;
  }
}

/**
 * Returns the longest slice of `work`, in ms of CPU: the least of three attempts, because most of them contain a garbage
 * collection.
 *
 * @param prepare makes the input of each attempt; its own slices do not count
 * @param enough no further attempt follows one whose longest slice is shorter, in ms
 */
export async function longestSlice<T>(
  prepare: () => T,
  work: (input: Awaited<T>) => unknown,
  enough: number = 0,
): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 3 && least >= enough; i++) {
    const input = await prepare();
    const meter = new SliceMeter();
    await work(input);
    least = Math.min(least, meter.stop());
  }
  return least;
}

/**
 * Rejects when in each of three attempts a slice was too long for this machine at this moment.
 *
 * @param prepare makes the input of each attempt; its own slices do not count
 * @param usual the bound of a slice on the reference machine, in ms of CPU
 */
export async function expectNoLongSlice<T>(
  prepare: () => T,
  work: (input: Awaited<T>) => unknown,
  usual: number = MAX_SLICE_MS,
): Promise<void> {
  expectNotLong(await longestSlice(prepare, work, usual), usual, "the longest slice");
}

/**
 * Returns the result of a request, which cannot be repeated; rejects when a slice was too long while it was running. Garbage
 * collections do not count: they also collect what the process did before.
 */
export async function metered<T>(what: string, request: () => Promise<T>): Promise<T> {
  const collections: { from: number; millis: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ from: startTime, millis: duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  const meter = new SliceMeter();
  try {
    const result = await request().finally(() => meter.stop());
    if (meter.long.length === 0) return result;
    // The observer gets the last collections in later passes.
    for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
    const worked = ({ millis, from, to }: Slice): number =>
      collections.reduce((rest, gc) => (gc.from >= from && gc.from < to ? rest - gc.millis : rest), millis);
    const longest = Math.max(...meter.long.map(worked));
    if (!isLongSlice(longest)) return result;
    throw new Error(
      `Expected no slice of ${what.slice(0, 200)} to take ${MAX_SLICE_MS} ms of CPU, one took ${Math.round(longest)}`,
    );
  } finally {
    observer.disconnect();
  }
}
