/**
 * Whether a round passed: no promise broken, and enough done that this means something.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Round } from "./round.ts";

/** Figures of many rounds. */
export interface Totals {
  rounds: number;
  seconds: number;
  readonly figures: Map<string, number>;
  readonly faults: Map<string, number>;
}

export const newTotals = (): Totals => ({ rounds: 0, seconds: 0, figures: new Map(), faults: new Map() });

/** Least operations in a second: a round that does less shows nothing. A fifth of them must be acknowledged writes. */
const LEAST_RATE = 10;
/** Most of what a history says must be decided. */
const MOST_SKIPPED = 0.2;

const RESULTS = join(import.meta.dirname, "../../.results/histories");

/** Prints a round and adds it up; what is wrong with it, with the way to see it again, or nothing. */
export function judge(
  store: string,
  seed: number,
  seconds: number,
  round: Round,
  totals: Totals,
  least: number = LEAST_RATE,
): string | undefined {
  const { report, history, faults } = round;
  const figures = {
    operations: round.operations,
    "acknowledged writes": round.acknowledged,
    refused: round.refused,
    "unknown outcomes": round.unknown,
    watches: round.watches,
    changes: report.changes,
    "events compared": report.events,
    "statements proven": report.checked,
    "not decidable": report.skipped,
    "operations in searches": report.searched,
    "keys given up": report.undecided,
    faults: [...faults.values()].reduce((sum, n) => sum + n, 0),
  };
  totals.rounds++;
  totals.seconds += round.seconds;
  for (const [name, value] of Object.entries(figures)) add(totals.figures, name, value);
  for (const [name, value] of faults) add(totals.faults, name, value);
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  console.log(`${store} seed ${seed}, ${round.seconds.toFixed(0)} s: ${text.join(", ")}`);
  const wrong = report.violations.map(({ property, message }) => `${property}: ${message}`);
  if (round.operations < least * seconds) wrong.push(`only ${round.operations} operations in ${seconds} s`);
  if (round.acknowledged < (least / 5) * seconds) wrong.push(`only ${round.acknowledged} writes in ${seconds} s`);
  if (report.skipped > report.checked * MOST_SKIPPED) wrong.push(`only ${report.checked} statements could be decided`);
  if (wrong.length === 0) return undefined;
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${store}-${seed}.json`);
  writeFileSync(file, JSON.stringify(history));
  return [
    `FAILED: ${store} with seed ${seed}; faults: ${JSON.stringify(Object.fromEntries(faults))}`,
    ...wrong.slice(0, 30),
    again(store, seed, seconds),
    `the history: npm run soak -- --check ${file}`,
  ].join("\n");
}

/** How to run a round again: the same choices, not the same moments. */
export const again = (store: string, seed: number, seconds: number): string =>
  `again: npm run soak -- --store ${store} --seed ${seed} --seconds ${seconds} --minutes 0`;

/** All rounds together. */
export function summary({ rounds, seconds, figures, faults }: Totals): string {
  const lines = [`${rounds} rounds, ${(seconds / 60).toFixed(1)} minutes`];
  for (const [name, value] of figures) lines.push(`  ${name}: ${value}`);
  lines.push("faults:");
  for (const [name, value] of faults) lines.push(`  ${name}: ${value}`);
  return lines.join("\n");
}

const add = (map: Map<string, number>, name: string, value: number): void =>
  void map.set(name, (map.get(name) ?? 0) + value);
