/**
 * Waiting until nothing is under way, and what stands against it.
 *
 * @module
 */
import { type Activity, type Unit } from "../util/activity.ts";
import { systemClock } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";

/** Something was still under way after the limit. */
export class NotSettled extends Error {
  override readonly name = "NotSettled";
  /** What was, and since when (ms of the machine's steady clock). */
  readonly units: readonly Unit[];

  constructor(units: readonly Unit[], limitMillis: number) {
    const now = systemClock.steady();
    const lines = units.map(({ what, since }) => `  ${what}, for ${Math.round(now - since)} ms`);
    super(`Expected everything to settle within ${limitMillis} ms; still under way:\n${lines.join("\n")}`);
    this.units = units;
  }
}

/** One key was reconciled again and again while the clock stood still. */
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

/** A reconcile that failed. */
export interface Failure {
  readonly controller: string;
  readonly key: string;
  readonly error: unknown;
}

/** A controller threw what no retry is for. */
export class ReconcileFailed extends Error {
  override readonly name = "ReconcileFailed";
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    const lines = failures.map(({ controller, key, error }) => `  ${controller} ${key}: ${String(error)}`);
    super(`${failures.length === 1 ? "A reconcile" : `${failures.length} reconciles`} failed:\n${lines.join("\n")}`, {
      cause: failures[0]?.error,
    });
    this.failures = failures;
  }
}

/** How long, in real time, and how often. */
export interface SettleOptions {
  /** Real time; 5 s unless told. */
  readonly limit?: Duration;
  /** How often one key may be reconciled while the clock stands still; 100 unless told. */
  readonly hot?: number;
}

/** Resolves when nothing is under way. @throws NotSettled after `limit` of real time */
export async function settle(activity: Activity, limit: Duration): Promise<void> {
  const millis = millisOf(limit);
  const late = Promise.withResolvers<never>();
  const timer = systemClock.after(millis, () => late.reject(new NotSettled(activity.list(), millis)), { holds: true });
  try {
    await Promise.race([activity.settled(), late.promise]);
  } finally {
    timer.cancel();
  }
}
