/**
 * Bytes that are nearly right.
 *
 * @module
 */
import type { Draw } from "../../src/util/testing/draw.ts";

const HOT = [0, 1, 9, 10, 13, 32, 34, 58, 127, 128, 192, 237, 254, 255];
const MOST_OPERATIONS = 4;
const MOST_COPIES = 2000;

/** Changes bytes in a few places: flips, leaves out, repeats, moves, cuts off. */
export function mutateBytes(draw: Draw, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let i = 1 + draw.below(MOST_OPERATIONS); i > 0; i--) mutated = mutateOnce(draw, mutated);
  return mutated;
}

function mutateOnce(draw: Draw, bytes: Buffer): Buffer {
  const at = draw.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + draw.small(64));
  const put = (...middle: readonly Uint8Array[]): Buffer =>
    Buffer.concat([bytes.subarray(0, at), ...middle, bytes.subarray(end)]);
  const part = bytes.subarray(at, end);
  return draw.one(
    () => put(part.map((byte) => byte ^ (1 << draw.below(8)))),
    () => put(Buffer.from([draw.pick(HOT)]), part.subarray(1)),
    () => put(),
    () => put(part, draw.bytes(1 + draw.small(16))),
    () => put(...draw.many(1 + draw.small(MOST_COPIES / Math.max(1, part.length)), () => part)),
    () => put(part, bytes.subarray(draw.below(bytes.length + 1))),
    () => bytes.subarray(0, at),
  );
}
