/**
 * The event loop, divided fairly among those who have work. A {@link Loop} is passed in with the {@link Clock}: `clock.loop`.
 *
 *     a pass of the loop:  events of sockets  ──►  one long job  ──►  jobs of this process  ──►  short jobs, by owner
 *
 * A long job, a list or the start of a watch, works in slices. Between two of them it waits until all other long jobs had one. A
 * short job, a read or a write, runs when it comes, unless its owner has had several in this pass; then it waits, and one job of
 * each owner runs after the other. So a client with many requests delays itself and hardly any other, also where seats are free
 * because nothing waits for a store.
 *
 * A request of this process, such as one of a controller, comes over no socket: one response would lead to the next request without an
 * end of the pass. It runs when it comes until such requests have used their time in the pass; then it waits in its order for the
 * next pass.
 *
 * @module
 */
import { PassingMap } from "./passing.ts";

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
  /** The same for a job of this process. */
  admitInternal(): Promise<void> | undefined;
  /** Begins a slice. */
  slice(): Slice;
  /** Runs jobs in their order, each with all that follows from it; continues in another pass when they have used their time. */
  runInOrder(jobs: readonly (() => void)[]): void;
}

/** The functions of the machine that an {@link EventLoop} is built on. */
export interface LoopParts {
  /** Runs work in the next pass; `setImmediate` by default. */
  readonly later?: (work: () => void) => void;
  /** Milliseconds of a steady counter; those of the machine by default, also where a clock stands still. */
  readonly steady?: () => number;
  /**
   * Whether work waits because time has passed; by default it does. False where the clock stands still and no client connects: what
   * happens then follows from the requests alone, however fast the machine is.
   */
  readonly isTimed?: boolean;
}

/** The longest slice, in ms. */
const MAX_SLICE_MS = 10;
/** The same while long jobs wait: together they delay no other. */
const MAX_CROWDED_SLICE_MS = 3;

/** Time in one pass of short jobs that have waited, in ms. */
const WAITED_MS = 2;
/** How many of them continue together before the time is measured. */
const TOGETHER = 4;
/** Time in one pass in which short jobs run when they come, in ms. */
const AT_ONCE_MS = 6;
/** How many of one owner run when they come; how long they take shows only afterwards. */
const AT_ONCE = 3;
/** Time in one pass of jobs of this process, in ms; and how many of them run when they come. */
const INTERNAL_MS = 10;
const INTERNAL_AT_ONCE = 16;

type Job = () => void;

/** Taken when the module is loaded: fake timers of a test change nothing here. */
const { setImmediate } = globalThis;

/** A {@link Loop} over that of Node. */
export class EventLoop implements Loop {
  readonly later: (work: Job) => void;
  readonly #steady: () => number;
  /** See {@link LoopParts.isTimed}. */
  isTimed: boolean;
  /** Long jobs that wait, in their order. */
  readonly #long: Job[] = [];
  /** Short jobs that wait, by owner; the owner that is next comes first. */
  readonly #short = new PassingMap<unknown, Job[]>();
  /** Jobs of this process that wait, in their order. */
  readonly #internal: Job[] = [];
  /** How many short jobs of each owner have run when they came, in this pass. */
  readonly #atOnce = new PassingMap<unknown, number>();
  #internalAtOnce = 0;
  /** When the first job of this pass began; 0 before. */
  #began = 0;
  #isScheduled = false;

  constructor({ later = setImmediate, steady = () => performance.now(), isTimed = true }: LoopParts = {}) {
    this.later = later;
    this.#steady = steady;
    this.isTimed = isTimed;
  }

  pass(): Promise<void> {
    // The first is at the end of this pass, which may have begun long ago; the second at the end of the next.
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
    if (this.#internal.length > 0 || this.#internalAtOnce >= INTERNAL_AT_ONCE || this.#sinceBegan() > INTERNAL_MS)
      return this.#wait(this.#internal);
    this.#internalAtOnce++;
    return undefined;
  }

  slice(): Slice {
    return new TimedSlice(this);
  }

  runInOrder(jobs: readonly Job[]): void {
    const { length } = jobs;
    let at = 0;
    const go = (): void => {
      const start = this.#steady();
      const next = (): void => {
        if (at === length) return;
        if (at > 0 && this.#steady() - start > WAITED_MS) {
          this.later(go);
          return;
        }
        jobs[at++]!();
        afterMicrotasks(next);
      };
      next();
    };
    go();
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
    const count = this.#atOnce.get(owner) ?? 0;
    if (count >= AT_ONCE || since > AT_ONCE_MS) return false;
    this.#atOnce.set(owner, count + 1);
    return true;
  }

  /** Ms since jobs have begun to run in this pass. */
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
    this.#internalAtOnce = 0;
    this.#atOnce.clear();
    this.#long.shift()?.();
    afterMicrotasks(this.#serveInternal);
  };

  /** Runs jobs of this process that have waited; the requests that follow from them count as theirs. */
  readonly #serveInternal = (): void => {
    if (this.#internal.length > 0 && this.#sinceBegan() <= INTERNAL_MS) {
      this.#internal.shift()!();
      afterMicrotasks(this.#serveInternal);
      return;
    }
    if (this.#short.size > 0) this.#serveShort(this.#steady());
    else if (this.#internal.length > 0 || this.#long.length > 0) this.#schedule();
  };

  /** Runs short jobs that have waited; those of this pass have run since then. */
  #serveShort(since: number): void {
    if (this.#short.size === 0 || this.#steady() - since > WAITED_MS) {
      this.#schedule();
      return;
    }
    for (let left = TOGETHER; left > 0 && this.#short.size > 0; left--) this.#serveOne();
    afterMicrotasks(() => this.#serveShort(since));
  }

  /** Runs one job of the first owner, who is the last one then. */
  #serveOne(): void {
    const [owner, jobs] = this.#short[Symbol.iterator]().next().value!;
    const job = jobs.shift()!;
    this.#short.delete(owner);
    if (jobs.length > 0) this.#short.set(owner, jobs);
    job();
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

/** Calls back in the same pass, when all promises that are resolved have had their callbacks. */
function afterMicrotasks(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
