/**
 * The bytes that are still in use after a collection: what a test of what something keeps should count.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Bytes in use, on the heap and outside of it, after all that is not has been collected. */
export function bytesInUse(): number {
  if (!collect) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  // What a first collection finds may only then let go of something else.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
