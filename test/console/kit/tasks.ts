/**
 * How long the tasks of a page hold it: on the clock, and in CPU time, which does not depend on what else the machine does.
 *
 * @module
 */
import type { Browser, Page } from "playwright-core";

/** A task of the main thread of a page, in milliseconds. */
export interface PageTask {
  readonly millis: number;
  readonly cpuMillis: number;
}

/** The tasks of a page while something was done. */
export class PageTasks {
  readonly all: readonly PageTask[];

  constructor(all: readonly PageTask[]) {
    this.all = all;
  }

  /** The CPU time of the longest one. */
  get longest(): number {
    return Math.max(0, ...this.all.map(({ cpuMillis }) => cpuMillis));
  }

  /** The longest ones, for people. */
  toString(): string {
    const longest = (member: keyof PageTask): string =>
      this.all
        .map((task) => Math.round(task[member]))
        .toSorted((a, b) => b - a)
        .slice(0, 3)
        .join(", ");
    const sum = this.all.reduce((total, { cpuMillis }) => total + cpuMillis, 0);
    return `the longest tasks took ${longest("cpuMillis")} ms of CPU (${longest("millis")} ms on the clock), all together ${Math.round(sum)} ms`;
  }
}

/** The events of a trace that are read here; times are microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ph: string;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Tasks of events; they are not nested. */
const TASK = "RunTask";
const CATEGORIES = ["disabled-by-default-devtools.timeline"];

/** Does something, and returns what the tasks of the main threads of pages took meanwhile. */
export async function tasksOf(browser: Browser, page: Page, work: () => Promise<unknown>): Promise<PageTasks> {
  await browser.startTracing(page, { categories: CATEGORIES });
  let trace: Buffer | undefined;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = traceEvents
    .filter(({ name, ph, pid, tid }) => name === TASK && ph === "X" && threads.has(`${pid}/${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ millis: dur / 1000, cpuMillis: tdur / 1000 }));
  if (tasks.length === 0) throw new Error(`expected tasks in the trace, found ${traceEvents.length} other events`);
  return new PageTasks(tasks);
}
