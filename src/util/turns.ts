/**
 * Who has the event loop next: everybody in turn, as long as others wait.
 *
 *     a pass of the loop:  what has come over sockets  ──►  one long job  ──►  short jobs, by owner
 *
 * A long job, a list or the start of a watch, gives way when its turn is over, and goes on when all others of them had
 * theirs. A short one, a read or a write, runs when it comes, as long as short ones have not had their time in this pass
 * of the loop; then they wait, and one of each owner is done after the other. So what one client sends makes itself wait
 * and hardly anybody else, also where seats are free because nothing waits for a store.
 *
 * @module
 */
import { systemClock } from "./clock.ts";

/** Kept from the beginning: a test that puts its own timers into the globals still gets its turns. */
const { setImmediate } = globalThis;

/** Time of short jobs in one part of a pass, in ms. */
const SHORT_MS = 2;

/** So many run at once in one part of a pass, whatever time they will take: it shows only when they have. */
const SHORT_AT_ONCE = 10;

/** Long jobs that wait, the first for longest. */
const long: (() => void)[] = [];
/** Short jobs that wait, by owner: whose turn it is comes first. */
const short = new Map<string, (() => void)[]>();
/** Since when short jobs have had their turns in this part of the pass; 0 before the first one. */
let began = 0;
let atOnce = 0;
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
export function turnOf(owner: string): Promise<void> | undefined {
  if (short.size === 0 && atOnce < SHORT_AT_ONCE && hasTime()) {
    atOnce++;
    schedule();
    return undefined;
  }
  return new Promise((resolve) => {
    const jobs = short.get(owner);
    if (jobs) jobs.push(resolve);
    else short.set(owner, [resolve]);
    schedule();
  });
}

/** Whether short jobs have time left; it begins to count with the first of them. */
function hasTime(): boolean {
  const now = systemClock.steady();
  if (began === 0) began = now;
  return now - began < SHORT_MS;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(serve);
}

function serve(): void {
  isScheduled = false;
  began = 0;
  atOnce = 0;
  long.shift()?.();
  if (short.size > 0) after(serveShort);
  else if (long.length > 0) schedule();
}

function serveShort(): void {
  if (!hasTime()) {
    schedule();
    return;
  }
  const next = short.entries().next();
  if (next.done) {
    schedule();
    return;
  }
  const [owner, jobs] = next.value;
  const job = jobs.shift()!;
  short.delete(owner);
  if (jobs.length > 0) short.set(owner, jobs);
  job();
  after(serveShort);
}

/** Calls back in the same turn, when all that has been resolved so far has gone as far as it can. */
function after(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
