/**
 * Gives memory back that a process has used and no longer needs.
 *
 * Two keep it. V8 does not look for garbage while nobody makes any, and the memory of buffers is free only when it has;
 * glibc keeps what is free, between what is not, for who asks next (after 360 unfinished bodies 150 of its 230 MiB were
 * free). So when resident memory has grown by much and grows no more, garbage is collected, and a moment later, when
 * buffers have been let go, glibc is told to let go of free pages. The same is done when what is resident and not in use
 * has grown by much: a burst whose buffers were needed while memory was given back leaves such pages when it ends.
 *
 * The room that V8 gives to new objects is given up with the garbage, and so is what it has compiled of functions that have not
 * been called since the collection before: of a start that is a megabyte, which would stay for six of them.
 *
 * A collection also lets go of what was compiled and is not in use at that moment. So at the start it is put off where there is
 * much to do already: all of that would be compiled anew at once.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./clock.ts";

const MIB = 1 << 20;
/** How long after the start things have settled. */
const SETTLED_MS = 1000;
/** The part of that time that a process works in which it has much to do from the start. */
const BUSY_PART = 0.6;
const LOOK_MS = 5000;
/** How long V8 takes to let go of the buffers of what it has collected; it does so in threads of its own. */
const FREEING_MS = 500;
/** What it may have grown by since memory was given back. */
const MUCH_BYTES = 24 * MIB;
/** What it may have grown by since the last look, and counts as unchanged. */
const LITTLE_BYTES = 4 * MIB;
/** A heap up to which a collection is a turn of 40 ms (some 50,000 objects); a larger one is left to V8's own pace. */
const SMALL_HEAP_BYTES = 48 * MIB;
/** After how many collections V8 lets go of what it has compiled of a function that nobody calls. */
const AGE = "--bytecode-old-age=";
const USUAL_AGE = `${AGE}6`;

/** The memory of a process, in bytes; its heap is that of one thread. */
export interface ProcessMemory {
  resident(): number;
  /** What is in use of V8's heap, garbage included. */
  heap(): number;
  /** V8's heap with the room that it keeps, and buffers outside of it. */
  reserved(): number;
  /** Collects all garbage at once, and gives up the room that it took. */
  collect(): void;
  /** Gives free memory back to the operating system. */
  trim(): void;
}

/** How memory is watched. */
export interface UnusedMemoryOptions {
  /** That of this process by default. */
  readonly memory?: ProcessMemory;
  readonly trimsAtStart?: boolean;
  /** Milliseconds of CPU that have been taken; by this process by default. */
  readonly cpu?: () => number;
}

/**
 * Watches the memory of a process and gives back what it no longer needs; for the first time soon after the start. Of a heap
 * it collects that of its own thread.
 */
export class UnusedMemory implements Disposable {
  readonly #clock: Clock;
  readonly #memory: ProcessMemory;
  #timer: Disposable;
  /** What it was when it was last given back, or has been since. */
  #least = 0;
  /** How much of that was not V8's then. */
  #leastOther = 0;
  #last = Infinity;

  /**
   * @param trimsAtStart whether free pages are given back soon after the start, too: what does so is a megabyte of code, more
   *     than a small program has to give back then
   */
  constructor(
    clock: Clock,
    { memory = ofThisProcess(), trimsAtStart = true, cpu = cpuOfThisProcess }: UnusedMemoryOptions = {},
  ) {
    this.#clock = clock;
    this.#memory = memory;
    const before = cpu();
    this.#timer = this.#after(SETTLED_MS, () => {
      if (cpu() - before <= BUSY_PART * SETTLED_MS) return this.#collect(trimsAtStart);
      // Nothing has been given back yet, so all of it has grown.
      this.#last = this.#memory.resident();
      this.#timer = this.#after(LOOK_MS, () => this.#look());
    });
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #after(millis: number, work: () => void): Disposable {
    const timer = this.#clock.after(millis, work, { owner: "unused memory", upkeep: true });
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  #look(): void {
    const now = this.#memory.resident();
    const other = now - this.#memory.reserved();
    const isStill = now <= this.#last + LITTLE_BYTES;
    this.#last = now;
    this.#least = Math.min(this.#least, now);
    this.#leastOther = Math.min(this.#leastOther, other);
    const hasGrown = now > this.#least + MUCH_BYTES || other > this.#leastOther + MUCH_BYTES;
    if (isStill && hasGrown) this.#collect();
    else this.#timer = this.#after(LOOK_MS, () => this.#look());
  }

  #collect(trims = true): void {
    if (this.#memory.heap() <= SMALL_HEAP_BYTES) this.#memory.collect();
    this.#timer = this.#after(FREEING_MS, () => this.#trim(trims));
  }

  #trim(trims: boolean): void {
    if (trims) this.#memory.trim();
    this.#least = this.#memory.resident();
    this.#leastOther = this.#least - this.#memory.reserved();
    this.#last = this.#least;
    this.#timer = this.#after(LOOK_MS, () => this.#look());
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
  const age = process.execArgv.findLast((flag) => flag.startsWith(AGE)) ?? USUAL_AGE;
  return {
    resident: () => process.memoryUsage.rss(),
    heap: () => process.memoryUsage().heapUsed,
    reserved: () => {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    },
    collect: () => {
      setFlagsFromString(`${AGE}1`);
      collect({ type: "major", flavor: "last-resort" });
      setFlagsFromString(age);
    },
    trim: trimHeap,
  };
}

/**
 * Calls `malloc_trim` of glibc; does nothing where there is none.
 *
 * JavaScript has one way to it: of a library that it loads, SQLite calls the function that it is told. The first argument,
 * here a pointer, is to `malloc_trim` how many bytes to leave at the end of its heap; so it leaves the end as it is, which
 * every `free` looks after, and gives back free pages anywhere else. The answer 1, that there were some, is to SQLite a
 * failure of the library, and it is thrown.
 */
function trimHeap(): void {
  if (process.platform !== "linux") return;
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  using database = new DatabaseSync(":memory:", { allowExtension: true });
  try {
    database.loadExtension("libc.so.6", "malloc_trim");
  } catch {
    // Something was given back, or there is no glibc.
  }
}
