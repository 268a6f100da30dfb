/**
 * Waiting until nothing is under way, and what stands against it.
 *
 * @module
 */
import { type Activity, type ActivityUnit } from "../util/activity.ts";
import type { Failure } from "../runtime/index.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";

/** So many things a message tells one by one. */
const TOLD = 20;

/** Something was still under way after the limit. */
export class NotSettled extends Error {
  override readonly name = "NotSettled";
  /** What was, and since when (ms of the machine's steady clock). */
  readonly units: readonly ActivityUnit[];

  constructor(units: readonly ActivityUnit[], limitMillis: number) {
    const now = systemClock.steady();
    const lines = units.slice(0, TOLD).map(({ what, since }) => `  ${what}, for ${Math.round(now - since)} ms`);
    if (units.length > TOLD) lines.push(`  and ${units.length - TOLD} more`);
    super(`Expected everything to settle within ${limitMillis} ms; still under way:\n${lines.join("\n")}`);
    this.units = units;
  }
}

/** One key was reconciled again and again while the clock stood still and nobody else wrote. */
export class HotLoop extends Error {
  override readonly name = "HotLoop";
  readonly controller: string;
  readonly key: string;

  constructor(controller: string, key: string, times: number, writes: readonly string[]) {
    const last =
      writes.length === 0 ? "it wrote nothing" : `its last writes:\n${writes.map((w) => `  ${w}`).join("\n")}`;
    super(`${controller} reconciled ${key} ${times} times while the clock stood still; ${last}`);
    this.controller = controller;
    this.key = key;
  }
}

/** A controller threw what no retry is for. */
export class ReconcileFailed extends Error {
  override readonly name = "ReconcileFailed";
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    const lines = failures
      .slice(0, TOLD)
      .map(({ controller, key, error }) => `  ${controller} ${key}: ${String(error)}`);
    if (failures.length > TOLD) lines.push(`  and ${failures.length - TOLD} more`);
    super(`${failures.length === 1 ? "A reconcile" : `${failures.length} reconciles`} failed:\n${lines.join("\n")}`, {
      cause: failures[0]?.error,
    });
    this.failures = failures;
  }
}

/** How long, in real time, and how often. */
export interface SettleOptions {
  /** Real time; 5 s by default. */
  readonly limit?: Duration;
  /** How often one key may be reconciled while the clock stands still and nobody else writes; 100 by default. */
  readonly hot?: number;
}

/** Resolves when nothing is under way. @throws NotSettled after `limit` of real time, and whatever `alarm` rejects with */
export async function settle(activity: Activity, limit: Duration, alarm: Promise<never>): Promise<void> {
  const millis = millisOf(limit);
  const late = Promise.withResolvers<never>();
  const timer = systemClock.after(millis, () => late.reject(new NotSettled(activity.list(), millis)), { holds: true });
  try {
    await Promise.race([activity.idle(), late.promise, alarm]);
  } finally {
    timer.cancel();
  }
}

/** What controllers do that a test should hear of, until it has. */
export class Complaints {
  readonly #clock: Pick<Clock, "steady">;
  readonly #writes: (controller: string) => readonly string[];
  readonly #failures: Failure[] = [];
  /** How often each key was handled at this instant, since anybody else wrote. */
  readonly #handled = new Map<string, number>();
  #instant = 0;
  #hot: HotLoop | undefined;
  #limit = HOT;
  #alarm = Promise.withResolvers<never>();

  /** @param writes the last writes of a controller, in words */
  constructor(clock: Pick<Clock, "steady">, writes: (controller: string) => readonly string[]) {
    this.#clock = clock;
    this.#writes = writes;
    this.#quiet();
  }

  /** A key is handled. */
  readonly started = (controller: string, key: string): void => {
    const now = this.#clock.steady();
    if (now !== this.#instant) this.calm();
    this.#instant = now;
    const id = `${controller} ${key}`;
    const times = (this.#handled.get(id) ?? 0) + 1;
    this.#handled.set(id, times);
    if (times < this.#limit || this.#hot) return;
    this.#hot = new HotLoop(controller, key, times, this.#writes(controller));
    this.#alarm.reject(this.#hot);
  };

  /** Somebody else writes, or all has come to rest: what is handled from now on is no loop yet. */
  calm(): void {
    this.#handled.clear();
  }

  /** A reconcile failed in a way that no retry is for. */
  readonly failed = (failure: Failure): void => void this.#failures.push(failure);

  /** Rejects as soon as a key is handled `hot` times while the clock stands still and nobody else writes. */
  alarmAt(hot: number = HOT): Promise<never> {
    this.#limit = hot;
    return this.#alarm.promise;
  }

  /** Throws what there is to complain of; once. */
  raise(): void {
    const [hot, failures] = [this.#hot, this.#failures.splice(0)];
    if (hot) {
      this.#hot = undefined;
      this.#alarm = Promise.withResolvers();
      this.#quiet();
      throw hot;
    }
    if (failures.length > 0) throw new ReconcileFailed(failures);
  }

  /** Nobody may be listening when it rings. */
  #quiet(): void {
    this.#alarm.promise.catch(() => {});
  }
}

const HOT = 100;
