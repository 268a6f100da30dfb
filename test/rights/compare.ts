import { type Answers, isReason } from "./answers.ts";
import { reasonsAlone } from "./ours.ts";
import type { World } from "./world.ts";

/** Where two servers differ about a world, in a line each. */
export async function differences(world: World, real: Answers, ours: Answers): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [i, question] of world.asked.entries()) {
    const [theirs, own] = [real.asked[i]!, ours.asked[i]!];
    const alone = theirs.allowed && theirs.reason !== own.reason ? await reasonsAlone(world, question) : [];
    if (theirs.allowed === own.allowed && isReason(theirs.reason, own.reason, () => alone)) continue;
    found.push(`${JSON.stringify(question)}: expected ${JSON.stringify(theirs)}, got ${JSON.stringify(own)}`);
  }
  for (const [i, gift] of world.gifts.entries()) {
    const [theirs, own] = [real.gifts[i], ours.gifts[i]];
    if (theirs !== own) found.push(`${JSON.stringify(gift)}: expected ${theirs}, got ${own}`);
  }
  return found;
}
