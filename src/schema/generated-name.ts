import type { Random } from "../util/clock.ts";

const NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const MAX_PREFIX_LENGTH = 58;

/** A name of a prefix and five random characters, without vowels (DEC-1). */
export function generatedName(prefix: string, random: Random): string {
  let name = prefix.slice(0, MAX_PREFIX_LENGTH);
  for (let i = 0; i < 5; i++) name += NAME_LETTERS[Math.floor(random.next() * NAME_LETTERS.length)];
  return name;
}
