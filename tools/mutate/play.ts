/**
 * Plays mutants: each is written into a copy of the checkout, and the tests run there.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { type Mutant, mutated } from "./mutants.ts";

/** How the tests ended with a mutant: one failed, all passed, or they did not end in time. */
export type Outcome = "killed" | "survived" | "timeout";

/** A mutant and how the tests ended with it. */
export interface Played {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
}

/** What is played. */
export interface Plan {
  /** The checkout; nothing in it is changed. */
  readonly root: string;
  readonly mutants: readonly Mutant[];
  /** Folders or files of tests, in the order in which they run: the next ones run where those before have passed. */
  readonly tests: readonly string[];
  /** How long all may take, in seconds; a mutant that has begun is played to its end. */
  readonly seconds: number;
  /** How many ms a mutant may take beside what the tests usually take. */
  readonly graceMs?: number;
  readonly onPlayed?: (played: Played) => void;
}

/** Folders of a checkout that are copied, since their files import each other; all others are linked. */
const COPIED: ReadonlySet<string> = new Set(["src", "test", "tools", "bin", "bench"]);
const UNUSED: ReadonlySet<string> = new Set([".git", ".results", "dist"]);
/** A mutant may take this many times as long as the tests take without one. */
const SLOWER = 5;

/** Plays mutants one after another until the time is over. */
export async function play({ root, mutants, tests, seconds, graceMs = 20_000, onPlayed }: Plan): Promise<Played[]> {
  const copy = copyOf(root);
  try {
    const limits = await limitsOf(copy, tests, graceMs);
    const results: Played[] = [];
    const end = performance.now() + seconds * 1000;
    for (const mutant of mutants) {
      if (performance.now() > end) break;
      const played = { mutant, outcome: await outcomeOf(copy, mutant, limits) };
      results.push(played);
      onPlayed?.(played);
    }
    return results;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function copyOf(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "keelson-mutate-"));
  for (const name of readdirSync(root)) {
    if (COPIED.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
    else if (!UNUSED.has(name)) symlinkSync(join(root, name), join(copy, name));
  }
  return copy;
}

/** How long each folder of tests may take, in ms; they have to pass without a mutant. */
async function limitsOf(copy: string, tests: readonly string[], graceMs: number): Promise<Map<string, number>> {
  const limits = new Map<string, number>();
  for (const folder of tests) {
    const started = performance.now();
    const { outcome, output } = await runTests(copy, folder);
    if (outcome !== "survived") throw new Error(`expected the tests of ${folder} to pass without a mutant:\n${output}`);
    limits.set(folder, SLOWER * (performance.now() - started) + graceMs);
  }
  return limits;
}

async function outcomeOf(copy: string, mutant: Mutant, limits: ReadonlyMap<string, number>): Promise<Outcome> {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, mutated(text, mutant));
  try {
    for (const [folder, limit] of limits) {
      const { outcome } = await runTests(copy, folder, limit);
      if (outcome !== "survived") return outcome;
    }
    return "survived";
  } finally {
    writeFileSync(path, text);
  }
}

async function runTests(copy: string, tests: string, limit?: number): Promise<{ outcome: Outcome; output: string }> {
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const filter = statSync(join(copy, tests)).isDirectory() ? `${tests}/` : tests;
  // The tests of a room may all lie in `test/`.
  const args = [vitest, "run", filter, "--passWithNoTests", "--bail=1", "--retry=0", "--reporter=dot"];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const killing = limit === undefined ? undefined : setTimeout(() => process.kill(-child.pid!, "SIGKILL"), limit);
  const [output, [code, signal]] = await Promise.all([textOf(child.stdout), once(child, "close")]);
  clearTimeout(killing);
  return { outcome: signal !== null ? "timeout" : code === 0 ? "survived" : "killed", output };
}
