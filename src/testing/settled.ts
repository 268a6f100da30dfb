/**
 * Waits until no work is running, and the errors of waiting.
 *
 * @module
 */
import { type Activity, type ActivityUnit } from "../util/activity.ts";
import type { Failure } from "../runtime/index.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";

const MAX_LISTED = 20;

/** Work was still running after the limit. */
export class NotSettled extends Error {
  override readonly name = "NotSettled";
  /** The running work, with its start (ms of the machine's steady clock). */
  readonly units: readonly ActivityUnit[];

  constructor(units: readonly ActivityUnit[], limitMillis: number) {
    const now = systemClock.steady();
    const lines = units.slice(0, MAX_LISTED).map(({ what, since }) => `  ${what}, for ${Math.round(now - since)} ms`);
    if (units.length > MAX_LISTED) lines.push(`  and ${units.length - MAX_LISTED} more`);
    super(`Expected everything to settle within ${limitMillis} ms; still running:\n${lines.join("\n")}`);
    this.units = units;
  }
}

/** One key was reconciled repeatedly although the clock did not move and no other client wrote. */
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

/** A controller threw an error for which a retry is useless. */
export class ReconcileFailed extends Error {
  override readonly name = "ReconcileFailed";
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    const lines = failures
      .slice(0, MAX_LISTED)
      .map(({ controller, key, error }) => `  ${controller} ${key}: ${String(error)}`);
    if (failures.length > MAX_LISTED) lines.push(`  and ${failures.length - MAX_LISTED} more`);
    super(`${failures.length === 1 ? "A reconcile" : `${failures.length} reconciles`} failed:\n${lines.join("\n")}`, {
      cause: failures[0]?.error,
    });
    this.failures = failures;
  }
}

/** The limits of `settled()`. */
export interface SettleOptions {
  /** Real time without a write to the store; 5 s by default. */
  readonly limit?: Duration;
  /** How often one key may be reconciled while the clock does not move and no other client writes; 100 by default. */
  readonly hot?: number;
}

/** The parts that are waited for. */
export interface Settling {
  readonly activity: Activity;
  /** While this number grows, work continues: the revision of the store. */
  readonly progress: () => number;
}

/** How long work may continue without progress. */
export interface Patience {
  readonly limit: Duration;
  /** In how many looks of equal distance there is no progress; 1 by default. A machine under load looks less often. */
  readonly looks?: number;
}

/** Resolves when no work is running. @throws NotSettled after a time without progress, and the error of `alarm` */
export async function settle(
  { activity, progress }: Settling,
  { limit, looks = 1 }: Patience,
  alarm: Promise<never>,
): Promise<void> {
  const millis = millisOf(limit);
  const late = Promise.withResolvers<never>();
  let [seen, same] = [progress(), 0];
  const look = (): void => {
    const now = progress();
    same = now === seen ? same + 1 : 0;
    seen = now;
    if (same === looks) late.reject(new NotSettled(activity.list(), millis));
    else timer = systemClock.after(millis / looks, look, { holds: true });
  };
  let timer = systemClock.after(millis / looks, look, { holds: true });
  try {
    await Promise.race([activity.idle(), late.promise, alarm]);
  } finally {
    timer.cancel();
  }
}

/** Collects failures and hot loops of controllers until a test gets them. */
export class FailureMonitor {
  readonly #clock: Pick<Clock, "steady">;
  readonly #writes: (controller: string) => readonly string[];
  readonly #failures: Failure[] = [];
  /** How often each key was handled at this time, since the last write of another client. */
  readonly #handled = new Map<string, number>();
  #instant = 0;
  #hot: HotLoop | undefined;
  #limit = DEFAULT_HOT_LIMIT;
  #alarm = Promise.withResolvers<never>();

  /** @param writes describes the last writes of a controller */
  constructor(clock: Pick<Clock, "steady">, writes: (controller: string) => readonly string[]) {
    this.#clock = clock;
    this.#writes = writes;
    this.#ignoreUnhandled();
  }

  /** Counts that a key is handled. */
  readonly started = (controller: string, key: string): void => {
    const now = this.#clock.steady();
    if (now !== this.#instant) this.reset();
    this.#instant = now;
    const id = `${controller} ${key}`;
    const times = (this.#handled.get(id) ?? 0) + 1;
    this.#handled.set(id, times);
    if (times < this.#limit || this.#hot) return;
    this.#hot = new HotLoop(controller, key, times, this.#writes(controller));
    this.#alarm.reject(this.#hot);
  };

  /** Resets the counts, after a write of another client or when no work is running. */
  reset(): void {
    this.#handled.clear();
  }

  /** Adds an error for which a retry is useless. */
  readonly failed = (failure: Failure): void => void this.#failures.push(failure);

  /** Rejects once a key is handled `hot` times while the clock does not move and no other client writes. */
  alarmAt(hot: number = DEFAULT_HOT_LIMIT): Promise<never> {
    this.#limit = hot;
    return this.#alarm.promise;
  }

  /** Throws the collected failures, once. */
  raise(): void {
    const [hot, failures] = [this.#hot, this.#failures.splice(0)];
    if (hot) {
      this.#hot = undefined;
      this.reset();
      this.#alarm = Promise.withResolvers();
      this.#ignoreUnhandled();
      throw hot;
    }
    if (failures.length > 0) throw new ReconcileFailed(failures);
  }

  /** The alarm may reject while nothing waits for it. */
  #ignoreUnhandled(): void {
    this.#alarm.promise.catch(() => {});
  }
}

const DEFAULT_HOT_LIMIT = 100;
