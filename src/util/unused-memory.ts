/**
 * Returns unused memory of a process to the operating system.
 *
 * V8 does not collect garbage while no code allocates, and the memory of buffers is free only after a collection. glibc keeps
 * free pages for later allocations (after 360 unfinished bodies 150 of its 230 MiB were free). So when resident memory has
 * grown much and no longer grows, this module collects garbage, and soon after that, when buffers are free, makes glibc
 * return its free pages. It does the same when resident memory beyond that of V8 has grown much: a burst that lasted during
 * the previous trim leaves such pages.
 *
 * A collection also shrinks the space for new objects, and frees the bytecode of functions that were not called since the
 * previous one: a megabyte after a start, which V8 alone would keep for six collections.
 *
 * A collection frees compiled code that is not in use at that moment, too. So the first one is delayed where the process is
 * busy from the start: that code would be compiled again at once.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./clock.ts";

const MIB = 1 << 20;
/** When the first collection happens after the start. */
const START_DELAY_MS = 1000;
/** The share of CPU in that time from which a process counts as busy. */
const BUSY_SHARE = 0.6;
const CHECK_INTERVAL_MS = 5000;
/** How long the threads of V8 take to free buffers after a collection. */
const FREEING_MS = 500;
/** The growth since the previous trim from which memory is trimmed. */
const MIN_GROWTH_BYTES = 24 * MIB;
/** The growth between two checks up to which memory counts as unchanged. */
const MAX_NOISE_BYTES = 4 * MIB;
/** The largest heap that is collected, in 40 ms for some 50,000 objects; V8 alone collects a larger one. */
const MAX_HEAP_BYTES = 48 * MIB;
/** After how many collections V8 frees the bytecode of a function that is not called. */
const AGE_FLAG = "--bytecode-old-age=";
const DEFAULT_AGE = `${AGE_FLAG}6`;

/** The memory of a process, in bytes; the heap is that of one thread. */
export interface ProcessMemory {
  resident(): number;
  /** The used part of V8's heap, garbage included. */
  heap(): number;
  /** V8's heap with its free part, and buffers outside of it. */
  reserved(): number;
  /** Collects all garbage, and shrinks the heap. */
  collect(): void;
  /** Returns free memory to the operating system. */
  trim(): void;
}

/** Options of {@link UnusedMemory}. */
export interface UnusedMemoryOptions {
  /** That of this process by default. */
  readonly memory?: ProcessMemory;
  /**
   * Whether free pages are returned soon after the start, too. The code for that takes a megabyte, more than a small program
   * can return then.
   */
  readonly trimsAtStart?: boolean;
  /** Used milliseconds of CPU; those of this process by default. */
  readonly cpu?: () => number;
}

/**
 * Checks the memory of a process and returns its unused part, for the first time soon after the start. It collects the heap
 * of its own thread.
 */
export class UnusedMemory implements Disposable {
  readonly #clock: Clock;
  readonly #memory: ProcessMemory;
  #timer: Disposable;
  /** The least resident memory since the previous trim. */
  #least = 0;
  /** The least resident memory beyond that of V8 since the previous trim. */
  #leastOther = 0;
  #last = Infinity;

  constructor(
    clock: Clock,
    { memory = ofThisProcess(), trimsAtStart = true, cpu = cpuOfThisProcess }: UnusedMemoryOptions = {},
  ) {
    this.#clock = clock;
    this.#memory = memory;
    const before = cpu();
    this.#timer = this.#after(START_DELAY_MS, () => {
      if (cpu() - before <= BUSY_SHARE * START_DELAY_MS) return this.#collect(trimsAtStart);
      // There was no trim, so all memory counts as growth.
      this.#last = this.#memory.resident();
      this.#checkLater();
    });
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #after(millis: number, work: () => void): Disposable {
    const timer = this.#clock.after(millis, work, { owner: "unused memory", upkeep: true });
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  #checkLater(): void {
    this.#timer = this.#after(CHECK_INTERVAL_MS, () => this.#check());
  }

  #check(): void {
    const now = this.#memory.resident();
    const other = now - this.#memory.reserved();
    const isStill = now <= this.#last + MAX_NOISE_BYTES;
    this.#last = now;
    this.#least = Math.min(this.#least, now);
    this.#leastOther = Math.min(this.#leastOther, other);
    const hasGrown = now > this.#least + MIN_GROWTH_BYTES || other > this.#leastOther + MIN_GROWTH_BYTES;
    if (isStill && hasGrown) this.#collect();
    else this.#checkLater();
  }

  #collect(trims = true): void {
    if (this.#memory.heap() <= MAX_HEAP_BYTES) this.#memory.collect();
    this.#timer = this.#after(FREEING_MS, () => this.#trim(trims));
  }

  #trim(trims: boolean): void {
    if (trims) this.#memory.trim();
    this.#least = this.#memory.resident();
    this.#leastOther = this.#least - this.#memory.reserved();
    this.#last = this.#least;
    this.#checkLater();
  }
}

function cpuOfThisProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function ofThisProcess(): ProcessMemory {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: "major"; flavor: "last-resort" }) => void;
  setFlagsFromString("--no-expose-gc");
  const age = process.execArgv.findLast((flag) => flag.startsWith(AGE_FLAG)) ?? DEFAULT_AGE;
  return {
    resident: () => process.memoryUsage.rss(),
    heap: () => process.memoryUsage().heapUsed,
    reserved: () => {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    },
    collect: () => {
      setFlagsFromString(`${AGE_FLAG}1`);
      collect({ type: "major", flavor: "last-resort" });
      setFlagsFromString(age);
    },
    trim: trimHeap,
  };
}

/**
 * Calls `malloc_trim` of glibc; does nothing without glibc.
 *
 * JavaScript has one way to call it: SQLite loads a library and calls a function of it. The first argument, here a pointer, is
 * for `malloc_trim` the number of bytes to keep at the end of the heap; so it keeps that end, which every `free` trims, and
 * returns free pages elsewhere. SQLite takes the result 1, which means that there were some, for an error, and throws.
 */
function trimHeap(): void {
  if (process.platform !== "linux") return;
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  using database = new DatabaseSync(":memory:", { allowExtension: true });
  try {
    database.loadExtension("libc.so.6", "malloc_trim");
  } catch {
    // Pages were returned, or there is no glibc.
  }
}
