/**
 * Looks for mutants: each is explored in a process of its own, and what it shows is played again without it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type ShownFault, type StoryOrder, type StoryResult, showsWithout } from "./explore-story.ts";
import type { Mutant } from "./mutant.ts";

/** How mutants are looked for. */
export interface PlayOptions {
  readonly seed: number;
  /** How many plans are tried. */
  readonly plans: number;
}

/** What became of a mutant. */
export interface PlayedMutant {
  readonly mutant: Mutant;
  /** A fault that shows with the mutant, and not without it. */
  readonly found?: ShownFault;
  /** What is wasteful or unusual with it. */
  readonly notices: readonly ShownFault[];
  /** How many plans were tried. */
  readonly plans: number;
  readonly seconds: number;
}

/** Faults that a story shows without a mutant are passed over so many times. */
const MAX_KNOWN = 4;

/** Explores the story of a mutant until it shows a fault that it does not show without the mutant. */
export async function playMutant(mutant: Mutant, { seed, plans }: PlayOptions): Promise<PlayedMutant> {
  const { story, name } = mutant;
  const known: string[] = [];
  let seconds = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each knows what the one before has shown
    const result = await exploreInChild({ story, seed, plans, known }, name);
    seconds += result.seconds;
    const notices = result.faults.filter(({ severity }) => severity === "notice");
    const fault = result.faults.find(({ severity, key }) => severity === "fault" && !known.includes(key));
    const played = { mutant, notices, plans: result.plans, seconds };
    if (!fault) return played;
    // oxlint-disable-next-line no-await-in-loop
    if (!(await showsWithout(story, fault.finding))) return { ...played, found: fault };
    known.push(fault.key);
    if (known.length > MAX_KNOWN) return played;
  }
}

async function exploreInChild(order: StoryOrder, mutant: string): Promise<StoryResult> {
  const file = new URL("child.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, ["--no-warnings", file, JSON.stringify({ ...order, mutant })], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`expected the mutant "${mutant}" to be explored, it ended with ${code}: ${said}`);
  return JSON.parse(output) as StoryResult;
}
