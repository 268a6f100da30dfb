/**
 * Who has the event loop next: everybody in turn, as long as others wait.
 *
 *     a pass of the loop:  what has come over sockets  ──►  one long job  ──►  jobs of this process  ──►  short jobs, by owner
 *
 * A long job, a list or the start of a watch, gives way when its turn is over, and goes on when all others of them had
 * theirs. A short one, a read or a write, runs when it comes, unless its owner has had some in this pass of the loop; then
 * it waits, and one of each owner is done after the other. So what one client sends makes itself wait and hardly anybody
 * else, also where seats are free because nothing waits for a store.
 *
 * What this process asks of itself, as its controllers do, never goes over a socket: one answer would lead to the next request
 * without an end to the pass. It runs when it comes, and once it has had its time in a pass it waits, in its order, for the next one.
 *
 * @module
 */
import { systemClock } from "./clock.ts";
import { PassingMap } from "./passing.ts";

/** Kept from the beginning: a test that puts its own timers into the globals still gets its turns. */
const { setImmediate } = globalThis;

/** Time of short jobs that have waited, in one pass, in ms. */
const WAITED_MS = 2;
/** So many of them go on at once before the time is asked for. */
const TOGETHER = 4;
/** Time in one pass in which short jobs run when they come, in ms. */
const AT_ONCE_MS = 6;
/** Time in one pass of jobs of this process, in ms; and how many of them run when they come, which may be all at the same moment. */
const OWN_MS = 10;
const OWN_AT_ONCE = 16;
/** So many of one owner run when they come; what they will take shows only when they have. */
const AT_ONCE = 3;

/** Long jobs that wait, the first for longest. */
const long: (() => void)[] = [];
/** Short jobs that wait, by owner: whose turn it is comes first. */
const short = new PassingMap<unknown, (() => void)[]>();
/** Jobs of this process that wait, the first for longest. */
const own: (() => void)[] = [];
/** How many short jobs of each owner have run when they came, in this pass; since when. */
const atOnce = new PassingMap<unknown, number>();
let ownAtOnce = 0;
let began = 0;
let isScheduled = false;

/** How many long jobs wait for their turns. */
export const longWaiting = (): number => long.length;

/** Resolves in a turn of its own: of the long jobs that wait for theirs, one goes on in each pass of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    long.push(resolve);
    schedule();
  });
}

/** Something for a short job to wait for when it has to; undefined when it may run at once. */
export function turnOf(owner: unknown): Promise<void> | undefined {
  schedule();
  const jobs = short.get(owner);
  if (!jobs && mayRun(owner)) return undefined;
  return new Promise((resolve) => {
    if (jobs) jobs.push(resolve);
    else short.set(owner, [resolve]);
  });
}

/** Something for a job of this process to wait for when it has to; undefined when it may run at once. */
export function ownTurn(): Promise<void> | undefined {
  schedule();
  if (own.length === 0 && ownAtOnce < OWN_AT_ONCE && sinceBegan() <= OWN_MS) {
    ownAtOnce++;
    return undefined;
  }
  return new Promise((resolve) => {
    own.push(resolve);
  });
}

/** Does jobs in their order, each with all that follows from it, and gives way to others when they have had their time. */
export function oneByOne(jobs: readonly (() => void)[]): void {
  const { length } = jobs;
  let at = 0;
  const go = (): void => {
    const start = systemClock.steady();
    const next = (): void => {
      if (at === length) return;
      if (at > 0 && systemClock.steady() - start > WAITED_MS) {
        setImmediate(go);
        return;
      }
      jobs[at++]!();
      after(next);
    };
    next();
  };
  go();
}

function mayRun(owner: unknown): boolean {
  const since = sinceBegan();
  const count = atOnce.get(owner) ?? 0;
  if (count >= AT_ONCE || since > AT_ONCE_MS) return false;
  atOnce.set(owner, count + 1);
  return true;
}

/** Ms since jobs have begun to run in this pass. */
function sinceBegan(): number {
  const now = systemClock.steady();
  if (began === 0) began = now;
  return now - began;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(serve);
}

function serve(): void {
  isScheduled = false;
  began = 0;
  ownAtOnce = 0;
  atOnce.clear();
  long.shift()?.();
  after(serveOwn);
}

/** Jobs of this process that have waited; what they ask for next counts as theirs. */
function serveOwn(): void {
  if (own.length > 0 && sinceBegan() <= OWN_MS) {
    own.shift()!();
    after(serveOwn);
    return;
  }
  if (short.size > 0) serveShort(systemClock.steady());
  else if (own.length > 0 || long.length > 0) schedule();
}

/** Short jobs that have waited, since when those of this pass have run. */
function serveShort(since: number): void {
  if (short.size === 0 || systemClock.steady() - since > WAITED_MS) {
    schedule();
    return;
  }
  for (let left = TOGETHER; left > 0 && short.size > 0; left--) serveOne();
  after(() => serveShort(since));
}

/** Whose turn it is has one, and then the last. */
function serveOne(): void {
  const [owner, jobs] = short[Symbol.iterator]().next().value!;
  const job = jobs.shift()!;
  short.delete(owner);
  if (jobs.length > 0) short.set(owner, jobs);
  job();
}

/** Calls back in the same turn, when all that has been resolved so far has gone as far as it can. */
function after(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
