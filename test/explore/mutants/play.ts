/**
 * Looks for mutants in a process of its own: it shares nothing with the caller, which may hang or end because of a mutant.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ShownFault } from "./explore-story.ts";
import type { Mutant } from "./mutant.ts";

/** What a child looks for. */
export interface ChildOrder {
  /** Their names. */
  readonly mutants: readonly string[];
  readonly seed: number;
  /** How many plans are tried with each. */
  readonly plans: number;
}

/** What became of a mutant. */
export interface Outcome {
  readonly name: string;
  /** A fault that shows with the mutant, and not without it. */
  readonly found?: ShownFault;
  /** What is wasteful or unusual with it. */
  readonly notices: readonly ShownFault[];
  /** How many plans were tried. */
  readonly plans: number;
  readonly seconds: number;
}

/** Looks for mutants one after another. @throws Error where the process ends before the last one */
export async function* playMutants(
  mutants: readonly Mutant[],
  options: Omit<ChildOrder, "mutants">,
): AsyncGenerator<{ readonly mutant: Mutant } & Outcome> {
  const order: ChildOrder = { ...options, mutants: mutants.map(({ name }) => name) };
  const file = new URL("child.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--no-warnings", file, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const said = text(child.stderr);
  try {
    for await (const line of createInterface(child.stdout)) {
      const outcome = JSON.parse(line) as Outcome;
      yield { ...outcome, mutant: mutants.find(({ name }) => name === outcome.name)! };
    }
    const [code] = await ended;
    if (code !== 0) throw new Error(`expected mutants to be explored, the process ended with ${code}: ${await said}`);
  } finally {
    child.kill();
  }
}
