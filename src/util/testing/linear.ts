/**
 * Checks whether a function takes linear time.
 *
 * @module
 */
import { leastCpu } from "./cpu-time.ts";

const SIZES = [2000, 20_000, 200_000];
/** How many times as long a text of ten times the length may take; quadratic time takes a hundred times as long. */
const MAX_FACTOR = 30;
/** Shorter CPU times depend on the clock and the garbage collector. */
const MIN_MEASURED_MS = 5;
/** How often a pair of lengths that seems too slow is measured: other work of the machine slows one measurement, not all. */
const ATTEMPTS = 3;

/**
 * Throws where ten times the text takes more than thirty times the CPU, at lengths up to 200,000.
 *
 * @param textOf returns a text of about so many characters
 */
export async function expectLinear(textOf: (size: number) => string, work: (text: string) => unknown): Promise<void> {
  const millisOf = (size: number, enough: number): Promise<number> => {
    const text = textOf(size);
    return leastCpu(() => void work(text), enough);
  };
  for (const [i, size] of SIZES.slice(1).entries()) {
    let millis = Infinity;
    let maxMillis = 0;
    for (let attempt = 0; attempt < ATTEMPTS && millis > maxMillis; attempt++) {
      maxMillis = MIN_MEASURED_MS + MAX_FACTOR * (await millisOf(SIZES[i]!, 0));
      millis = await millisOf(size, maxMillis);
    }
    if (millis > maxMillis) {
      throw new Error(`Expected linear time, ${size} characters took ${Math.round(millis)} ms of CPU`);
    }
  }
}
