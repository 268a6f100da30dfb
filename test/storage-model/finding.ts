/**
 * A history that shows a fault, made as short as it can be.
 *
 * @module
 */
import { shrink } from "../../src/util/testing/shrink.ts";
import { playHistory } from "./play.ts";
import { type Step, simpler, textOf } from "./steps.ts";
import type { Sabotage } from "./world.ts";

/** What was wrong, without what is another in every run. */
const kindOf = (wrong: string | undefined): string | undefined =>
  wrong?.split(" at /")[0]!.replaceAll(/[0-9a-f-]{36}|\d+/g, "#");

/** The shortest history that has the same fault, with the fault, as it is printed. */
export async function shortest(steps: readonly Step[], wrong: string, sabotage?: Sabotage): Promise<string> {
  let last = wrong;
  const fails = async (shorter: readonly Step[]): Promise<boolean> => {
    const found = await playHistory(shorter, sabotage);
    const isSame = kindOf(found.wrong) === kindOf(wrong);
    if (isSame) last = found.wrong!;
    return isSame;
  };
  const least = await shrink(steps, fails, simpler);
  return `${last}\n${textOf(least)}`;
}
