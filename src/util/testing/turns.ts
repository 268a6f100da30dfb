/**
 * How long one turn of the event loop lasts, while which nobody else is answered, and how long it may last on the machine
 * of the test at this moment.
 *
 * @module
 */
import { PerformanceObserver } from "node:perf_hooks";

/** Kept from the beginning: a test may put its own into the global. */
const { setImmediate } = globalThis;
const wallMillis = performance.now.bind(performance);

/** Milliseconds of CPU that this thread has used: other processes and the helpers of the collector do not count. */
function threadMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The longest turn of the event loop that a request may make, in ms of CPU, on a machine as fast as usual. */
export const MOST_TURN_MS = 100;

/** What {@link piece} takes on such a machine, in ms of CPU. */
export const PIECE_MS = 44;
const PIECE_TRIES = 3;

const CELLS = new Uint32Array(1 << 16);

/** A piece of work that is always the same and leaves no garbage: what else the process keeps makes it no slower. */
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
 * How long a turn may last on this machine at this moment, in ms of CPU: `usual` where a fixed piece of work takes its
 * usual time, and more, in proportion, where that takes longer. It is never less.
 */
export const turnBound = (usual: number = MOST_TURN_MS, pieceMillis: number = leastOfPiece()): number =>
  usual * Math.max(1, pieceMillis / PIECE_MS);

function leastOfPiece(): number {
  return Math.min(...tryPiece());
}

const tryPiece = (): number[] =>
  Array.from({ length: PIECE_TRIES }, () => {
    const before = threadMillis();
    piece();
    return threadMillis() - before;
  });

/**
 * Whether the only try of a turn was longer than it may be: what slows one piece of work may have slowed the turn, so the
 * slowest piece counts. The machine is only measured where that matters.
 */
export const isLongTurn = (millis: number, usual: number = MOST_TURN_MS): boolean =>
  millis > usual && millis > turnBound(usual, Math.max(...tryPiece()));

/**
 * Throws when something took longer than it may on this machine at this moment. The machine is only measured where that
 * matters.
 *
 * @param millis what it took, in ms; of CPU where that can be counted
 * @param usual what it may take on a machine as fast as usual
 * @param what is told with it
 */
export function expectNotLong(millis: number, usual: number = MOST_TURN_MS, what = "it"): void {
  if (!isLongTurn(millis, usual)) return;
  throw new Error(`Expected at most ${usual} ms on a machine as fast as usual, ${what} took ${Math.round(millis)}`);
}

/** One turn: its CPU, and when it was by {@link wallMillis}. */
interface Turn {
  readonly millis: number;
  readonly from: number;
  readonly to: number;
}

/** Looks at each turn of the loop until it is stopped. */
export class TurnMeter {
  #since = threadMillis();
  #from = wallMillis();
  #running = true;
  longest = 0;
  /** Those that took more than {@link MOST_TURN_MS}. */
  readonly long: Turn[] = [];

  constructor() {
    this.#next();
  }

  /** Counts what this turn has taken so far; the longest of all. */
  stop(): number {
    this.#running = false;
    this.#look();
    return this.longest;
  }

  #next(): void {
    setImmediate(() => {
      if (!this.#running) return;
      this.#look();
      this.#next();
    });
  }

  #look(): void {
    const [now, to] = [threadMillis(), wallMillis()];
    const millis = now - this.#since;
    this.longest = Math.max(this.longest, millis);
    if (millis > MOST_TURN_MS) this.long.push({ millis, from: this.#from, to });
    this.#since = now;
    this.#from = to;
  }
}

/**
 * The longest turn of the event loop that `work` makes, in ms of CPU: the shortest such turn of three tries, because a
 * collection of garbage falls into some turn of most.
 *
 * @param prepare makes what each try works on; its own turns do not count
 * @param enough no further try is made after one whose turns are all shorter, in ms
 */
export async function longestTurn<T>(
  prepare: () => T,
  work: (on: Awaited<T>) => unknown,
  enough: number = 0,
): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 3 && least >= enough; i++) {
    const on = await prepare();
    const meter = new TurnMeter();
    await work(on);
    least = Math.min(least, meter.stop());
  }
  return least;
}

/**
 * Rejects when in each of three tries a turn of the event loop took longer than it may on this machine at this moment.
 *
 * @param prepare makes what each try works on; its own turns do not count
 * @param usual what a turn may take on a machine as fast as usual, in ms of CPU
 */
export async function expectNoLongTurn<T>(
  prepare: () => T,
  work: (on: Awaited<T>) => unknown,
  usual: number = MOST_TURN_MS,
): Promise<void> {
  expectNotLong(await longestTurn(prepare, work, usual), usual, "the longest turn");
}

/**
 * What comes of a request, which can not be tried again; rejects when one turn of the event loop was long while it was
 * under way. Collections of garbage do not count: they are those of all that the process has done before.
 */
export async function metered<T>(what: string, request: () => Promise<T>): Promise<T> {
  const collections: { from: number; millis: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ from: startTime, millis: duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  const meter = new TurnMeter();
  try {
    const answer = await request().finally(() => meter.stop());
    if (meter.long.length === 0) return answer;
    // The last collections are told in the turns to come.
    for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
    const worked = ({ millis, from, to }: Turn): number =>
      collections.reduce((rest, gc) => (gc.from >= from && gc.from < to ? rest - gc.millis : rest), millis);
    const longest = Math.max(...meter.long.map(worked));
    if (!isLongTurn(longest)) return answer;
    throw new Error(
      `Expected no turn of ${what.slice(0, 200)} to take ${MOST_TURN_MS} ms of CPU, one took ${Math.round(longest)}`,
    );
  } finally {
    observer.disconnect();
  }
}
