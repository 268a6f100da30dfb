/**
 * Schedules jobs fairly on the event loop. A {@link Loop} is passed in with the {@link Clock}: `clock.loop`.
 *
 *     a pass of the loop:  events of sockets  ──►  one long job  ──►  jobs of this process  ──►  short jobs, by owner
 *
 * A long job, such as a list or the start of a watch, runs in slices. Between two of them every other long job gets one. A short
 * job, such as a read or a write, runs when it arrives, unless its owner had several in this pass; then it waits, and one job of
 * each owner runs after the other. So a client with many requests delays itself and hardly any other.
 *
 * A request of this process, such as one of a controller, arrives over no socket: one response would lead to the next request
 * without an end of the pass. It runs when it arrives until such requests have used their time in the pass; then it waits for the
 * next pass.
 *
 * @module
 */
import { ShortLivedMap } from "./short-lived.ts";

/** A bounded piece of work between two returns to the event loop. */
export interface Slice {
  /** Whether it has lasted long enough. */
  readonly isOver: boolean;
  /** When it has lasted long enough, a promise that resolves at the beginning of the next one; undefined before. */
  pause(): Promise<void> | undefined;
}

/** Decides what runs next on the event loop of a cluster. */
export interface Loop {
  /** Runs work at the end of this pass, after the events that are ready. */
  readonly later: (work: () => void) => void;
  /** Resolves after a whole pass: all events that were ready have been handled, input too. */
  pass(): Promise<void>;
  /** Resolves when a long job may continue: one in each pass, the first that waits. */
  yield(): Promise<void>;
  /** A promise where a short job of `owner` has to wait; undefined where it may run at once. */
  admit(owner: unknown): Promise<void> | undefined;
  /** Admits a job of this process in the same way. */
  admitInternal(): Promise<void> | undefined;
  /** Begins a slice. */
  slice(): Slice;
  /** Runs jobs in their order, each with its microtasks; continues in another pass when they have used their time. */
  runInOrder(jobs: readonly (() => void)[]): void;
}

/** What an {@link EventLoop} is built from. */
export interface LoopParts {
  /** Runs work in the next pass; `setImmediate` by default. */
  readonly later?: (work: () => void) => void;
  /** Milliseconds of a steady counter; those of the machine by default, also where the clock of the cluster does not advance. */
  readonly steady?: () => number;
  /**
   * Whether jobs wait because time has passed; true by default. With false the order of jobs follows from the requests alone,
   * however fast the machine is: for a clock that advances only in steps.
   */
  readonly isTimed?: boolean;
}

/** The longest slice, in ms. */
const MAX_SLICE_MS = 10;
/** The longest slice while other long jobs wait. */
const MAX_CROWDED_SLICE_MS = 3;

/** The time in one pass for short jobs that have waited. */
const MAX_WAITED_MS = 2;
/** How many of them run before the time is measured. */
const JOBS_A_MEASUREMENT = 4;
/** The time in one pass in which short jobs run when they arrive. */
const MAX_IMMEDIATE_MS = 6;
/** How many short jobs of one owner run when they arrive. */
const MAX_IMMEDIATE = 3;
/** The time in one pass for jobs of this process. */
const MAX_INTERNAL_MS = 10;
/** How many jobs of this process run when they arrive. */
const MAX_INTERNAL_IMMEDIATE = 16;

type Job = () => void;

/** Read when the module is loaded, so that fake timers of a test do not replace it. */
const { setImmediate } = globalThis;

/** A {@link Loop} over that of Node. */
export class EventLoop implements Loop {
  readonly later: (work: Job) => void;
  readonly #steady: () => number;
  /** See {@link LoopParts.isTimed}. */
  isTimed: boolean;
  /** Long jobs that wait. */
  readonly #long: Job[] = [];
  /** Short jobs that wait, by owner; the next owner is first. */
  readonly #short = new ShortLivedMap<unknown, Job[]>();
  /** Jobs of this process that wait. */
  readonly #internal: Job[] = [];
  /** How many short jobs of each owner ran when they arrived, in this pass. */
  readonly #immediate = new ShortLivedMap<unknown, number>();
  #internalImmediate = 0;
  /** When the first job of this pass began; 0 before that. */
  #began = 0;
  #isScheduled = false;

  constructor({ later = setImmediate, steady = () => performance.now(), isTimed = true }: LoopParts = {}) {
    this.later = later;
    this.#steady = steady;
    this.isTimed = isTimed;
  }

  pass(): Promise<void> {
    // The first callback runs at the end of this pass, which may have begun long ago; the second at the end of the next.
    return new Promise((resolve) => this.later(() => this.later(resolve)));
  }

  yield(): Promise<void> {
    return this.#wait(this.#long);
  }

  admit(owner: unknown): Promise<void> | undefined {
    this.#schedule();
    const jobs = this.#short.get(owner);
    if (jobs) return this.#wait(jobs);
    if (this.#mayRun(owner)) return undefined;
    const first: Job[] = [];
    this.#short.set(owner, first);
    return this.#wait(first);
  }

  admitInternal(): Promise<void> | undefined {
    if (!this.isTimed) return undefined;
    this.#schedule();
    const waits = this.#internal.length > 0 || this.#internalImmediate >= MAX_INTERNAL_IMMEDIATE;
    if (waits || this.#sinceBegan() > MAX_INTERNAL_MS) return this.#wait(this.#internal);
    this.#internalImmediate++;
    return undefined;
  }

  slice(): Slice {
    return new TimedSlice(this);
  }

  runInOrder(jobs: readonly Job[]): void {
    let at = 0;
    const run = (): void => {
      const start = this.#steady();
      const next = (): void => {
        const job = jobs[at];
        if (!job) return;
        if (at > 0 && this.#steady() - start > MAX_WAITED_MS) {
          this.later(run);
          return;
        }
        at++;
        job();
        afterMicrotasks(next);
      };
      next();
    };
    run();
  }

  /** Now, for slices. */
  now(): number {
    return this.#steady();
  }

  /** Whether a slice that began then is over. */
  isOver(began: number): boolean {
    if (!this.isTimed) return false;
    return this.#steady() - began > (this.#long.length > 0 ? MAX_CROWDED_SLICE_MS : MAX_SLICE_MS);
  }

  #wait(jobs: Job[]): Promise<void> {
    this.#schedule();
    return new Promise((resolve) => void jobs.push(resolve));
  }

  #mayRun(owner: unknown): boolean {
    const since = this.#sinceBegan();
    const count = this.#immediate.get(owner) ?? 0;
    if (count >= MAX_IMMEDIATE || since > MAX_IMMEDIATE_MS) return false;
    this.#immediate.set(owner, count + 1);
    return true;
  }

  /** Milliseconds since the first job of this pass. */
  #sinceBegan(): number {
    const now = this.#steady();
    if (this.#began === 0) this.#began = now;
    return now - this.#began;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.later(this.#serve);
  }

  readonly #serve = (): void => {
    this.#isScheduled = false;
    this.#began = 0;
    this.#internalImmediate = 0;
    this.#immediate.clear();
    this.#long.shift()?.();
    afterMicrotasks(this.#serveInternal);
  };

  /** Runs jobs of this process that have waited, and the requests that follow from them. */
  readonly #serveInternal = (): void => {
    const mayRun = this.#internal.length > 0 && this.#sinceBegan() <= MAX_INTERNAL_MS;
    const job = mayRun ? this.#internal.shift() : undefined;
    if (job) {
      job();
      afterMicrotasks(this.#serveInternal);
      return;
    }
    if (this.#short.size > 0) this.#serveShort(this.#steady());
    else if (this.#internal.length > 0 || this.#long.length > 0) this.#schedule();
  };

  /** Runs short jobs that have waited. */
  #serveShort(since: number): void {
    if (this.#short.size === 0 || this.#steady() - since > MAX_WAITED_MS) {
      this.#schedule();
      return;
    }
    for (let left = JOBS_A_MEASUREMENT; left > 0; left--) this.#serveOne();
    afterMicrotasks(() => this.#serveShort(since));
  }

  /** Runs one job of the first owner, who becomes the last one. */
  #serveOne(): void {
    const { value: entry } = this.#short[Symbol.iterator]().next();
    if (!entry) return;
    const [owner, jobs] = entry;
    const job = jobs.shift();
    this.#short.delete(owner);
    if (jobs.length > 0) this.#short.set(owner, jobs);
    job?.();
  }
}

class TimedSlice implements Slice {
  readonly #loop: EventLoop;
  #began: number;

  constructor(loop: EventLoop) {
    this.#loop = loop;
    this.#began = loop.now();
  }

  get isOver(): boolean {
    return this.#loop.isOver(this.#began);
  }

  pause(): Promise<void> | undefined {
    if (!this.isOver) return undefined;
    return this.#loop.yield().then(() => {
      this.#began = this.#loop.now();
    });
  }
}

/** Calls back in the same pass, after the callbacks of all resolved promises. */
function afterMicrotasks(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
