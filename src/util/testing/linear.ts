/**
 * Whether the time of a function grows with its text and no faster.
 *
 * @module
 */
import { leastCpu } from "./cpu-time.ts";

const SIZES = [2000, 20_000, 200_000];
/** A text of ten times the length may take this many times as long; what grows with the square takes a hundred times. */
const MOST_TIMES = 20;
/** Below this, in ms of CPU, the clock and the collector of garbage decide. */
const SMALL_MS = 3;

/**
 * Throws where ten times the text takes more than twenty times the CPU, at lengths up to 200,000.
 *
 * @param textOf a text of about that many characters
 */
export async function expectLinear(textOf: (size: number) => string, work: (text: string) => unknown): Promise<void> {
  let before = 0;
  for (const size of SIZES) {
    const text = textOf(size);
    const most = size === SIZES[0] ? 0 : SMALL_MS + MOST_TIMES * before;
    const millis = await leastCpu(() => void work(text), most);
    if (most > 0 && millis > most) {
      throw new Error(
        `Expected a time that grows with the text, ${size} characters took ${Math.round(millis)} ms of CPU`,
      );
    }
    before = millis;
  }
}
