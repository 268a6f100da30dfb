/**
 * Assertions that are repeated after each change.
 *
 * With a virtual clock they wait for `settled()`, check, and move the clock to the next timer, up to a limit. In real time (an
 * open port, the system clock) they check after each write, and move no clock.
 *
 * @module
 */
import { type Duration, millisOf } from "../util/duration.ts";
import type { TestClock } from "./clock.ts";

/** The part of a cluster that these assertions use. */
export interface Watched {
  readonly clock: Pick<TestClock, "steady" | "next">;
  settled(): Promise<void>;
  /** Whether only real time brings changes. */
  readonly realTime: boolean;
  /** The current revision of the store. */
  readonly version: number;
  /** Resolves when something is written after a version, or after a real time. */
  changed(since: number, withinMillis: number): Promise<void>;
}

/** Repeats `check` until it succeeds, within a time of the cluster (1 minute by default); throws its last error. */
export async function eventually<V>(
  cluster: Watched,
  check: () => V | Promise<V>,
  { within = "1m" }: { readonly within?: Duration } = {},
): Promise<V> {
  for (const time = new Time(cluster, within); ;) {
    await time.settle();
    try {
      return await check();
    } catch (error) {
      if (!(await time.pass())) throw error;
    }
  }
}

/** Repeats `check` for a time of the cluster; throws its first error. */
export async function consistently(
  cluster: Watched,
  check: () => unknown,
  options: { readonly for: Duration },
): Promise<void> {
  const time = new Time(cluster, options.for);
  do {
    await time.settle();
    await check();
  } while (await time.pass());
}

/** A duration that passes from one change to the next. */
class Time {
  readonly #cluster: Watched;
  readonly #end: number;
  #version = 0;
  #over = false;

  constructor(cluster: Watched, span: Duration) {
    this.#cluster = cluster;
    this.#end = cluster.clock.steady() + millisOf(span);
  }

  /** Waits for `settled()`, except in real time, where clients may never be idle. */
  async settle(): Promise<void> {
    if (!this.#cluster.realTime) await this.#cluster.settled();
    this.#version = this.#cluster.version;
  }

  /** Waits for the next possible change; false if all of the time has passed. */
  async pass(): Promise<boolean> {
    if (this.#over) return false;
    const { clock, realTime } = this.#cluster;
    const left = Math.max(0, this.#end - clock.steady());
    if (realTime) await this.#cluster.changed(this.#version, left);
    else await clock.next({ within: left });
    this.#over = clock.steady() >= this.#end;
    return true;
  }
}
