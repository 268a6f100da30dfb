/**
 * Assertions that look again when something has changed, and not before.
 *
 * On a virtual clock they settle, look, and go on to the next timer, as far as they are told. Where others take part in
 * real time (an open port, the system clock), they look again after each write, and move no clock.
 *
 * @module
 */
import { type Duration, millisOf } from "../util/duration.ts";
import type { TestClock } from "./clock.ts";

/** What is asked of a cluster. */
export interface Watched {
  readonly clock: Pick<TestClock, "steady" | "next">;
  settled(): Promise<void>;
  /** Whether only real time brings what is waited for. */
  readonly realTime: boolean;
  /** The newest version of all. */
  readonly version: number;
  /** Resolves when something has been written after a version, or after some real time. */
  changed(since: number, withinMillis: number): Promise<void>;
}

/** Does `check` until it does not fail, within some time of the cluster (1 minute by default); the last failure is thrown. */
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

/** Does `check` again and again, for some time of the cluster; its first failure is thrown. */
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

/** A span of time, as it passes from one change to the next. */
class Time {
  readonly #cluster: Watched;
  readonly #end: number;
  #version = 0;
  #over = false;

  constructor(cluster: Watched, span: Duration) {
    this.#cluster = cluster;
    this.#end = cluster.clock.steady() + millisOf(span);
  }

  /** Comes to rest, before a look; what others do in real time may never do so. */
  async settle(): Promise<void> {
    if (!this.#cluster.realTime) await this.#cluster.settled();
    this.#version = this.#cluster.version;
  }

  /** Goes on to where something may be different; false when all of the time has passed. */
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
