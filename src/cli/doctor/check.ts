/**
 * A check of `keelson doctor` or `keelson upgrade check`: what was found, whether that is right, and what to do. The input of a check is
 * passed in; `probes.ts` reads it from the machine.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";
import { messageOf } from "../../util/error.ts";

/** `warn` works, but not as it should; `fail` does not work. */
export type Verdict = "ok" | "warn" | "fail";

/** The result of a check. */
export interface Check {
  readonly check: string;
  readonly found: string;
  readonly verdict: Verdict;
  /** What to do; empty for nothing. */
  readonly advice: string;
}

/** Returns a check that is right. */
export const ok = (check: string, found: string, advice = ""): Check => ({ check, found, verdict: "ok", advice });

/** Returns a check with a warning. */
export const warn = (check: string, found: string, advice: string): Check => ({
  check,
  found,
  verdict: "warn",
  advice,
});

/** Returns a check that has failed. */
export const fail = (check: string, found: string, advice: string): Check => ({
  check,
  found,
  verdict: "fail",
  advice,
});

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Returns a size for people: `512 MiB`, `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** step;
  return `${size < 10 ? Number(size.toFixed(1)) : Math.round(size)} ${UNITS[step]}`;
}

/** A check before it runs, or several with the same input. */
export interface Checkup {
  readonly name: string;
  readonly run: () => Promise<readonly Check[]>;
  /** The timeout, for a check that may take longer than 3 s. */
  readonly limitMillis?: number;
}

/** The timeout of a check. */
const LIMIT_MS = 3000;

/** Runs checks at once; one that fails to run, or exceeds its timeout, is a warning that says so. Resolves in their order. */
export async function runChecks(
  clock: Pick<Clock, "after">,
  checkups: readonly Checkup[],
  limitMillis = LIMIT_MS,
): Promise<Check[]> {
  const results = await Promise.all(checkups.map((checkup) => resultOf(clock, { limitMillis, ...checkup })));
  return results.flat();
}

async function resultOf(
  clock: Pick<Clock, "after">,
  { name, run, limitMillis }: Required<Checkup>,
): Promise<readonly Check[]> {
  const late = Promise.withResolvers<readonly Check[]>();
  const advice = "try again when the machine is less busy; a network file system may not respond";
  const timer = clock.after(
    limitMillis,
    () => late.resolve([warn(name, `no result within ${limitMillis / 1000} s`, advice)]),
    { holds: true },
  );
  try {
    return await Promise.race([run(), late.promise]);
  } catch (error) {
    return [warn(name, `could not be checked: ${messageOf(error)}`, "see the message")];
  } finally {
    timer.cancel();
  }
}
