/**
 * Checks whether a function takes linear time.
 *
 * @module
 */
import { leastCpu } from "./cpu-time.ts";

const SIZES = [2000, 20_000, 200_000];
/** How many times as long a text of ten times the length may take; quadratic time takes a hundred times as long. */
const MAX_FACTOR = 20;
/** Shorter CPU times depend on the clock and the garbage collector. */
const MIN_MEASURED_MS = 3;

/**
 * Throws where ten times the text takes more than twenty times the CPU, at lengths up to 200,000.
 *
 * @param textOf returns a text of about so many characters
 */
export async function expectLinear(textOf: (size: number) => string, work: (text: string) => unknown): Promise<void> {
  let before = 0;
  for (const size of SIZES) {
    const text = textOf(size);
    const maxMillis = size === SIZES[0] ? 0 : MIN_MEASURED_MS + MAX_FACTOR * before;
    const millis = await leastCpu(() => void work(text), maxMillis);
    if (maxMillis > 0 && millis > maxMillis) {
      throw new Error(`Expected linear time, ${size} characters took ${Math.round(millis)} ms of CPU`);
    }
    before = millis;
  }
}
