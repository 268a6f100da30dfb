/**
 * The buffers of large responses: of one size, and reused.
 *
 * @module
 */
import { BufferPool } from "../../util/buffer-pool.ts";
import type { OutStream } from "../request/exchange.ts";

/** Bytes that are sent together. */
export const PIECE = 131_072;
/** The capacity of a piece: it may grow a little, by the part that fills it. */
export const CAPACITY = PIECE + PIECE / 8;

/** Where pieces come from. */
export const pieces = new BufferPool(CAPACITY, 32);

/** Writes parts one after the other, small ones together. The parts never change. */
export function writeParts(out: OutStream, parts: readonly Uint8Array[]): void {
  let buffer = pieces.take();
  let used = 0;
  const flush = (): void => {
    const full = buffer;
    if (used > 0) out.write(full.subarray(0, used), () => pieces.give(full));
    used = 0;
  };
  for (const part of parts) {
    if (used + part.length > CAPACITY) {
      flush();
      if (part.length > CAPACITY) {
        out.write(part);
        buffer = pieces.take();
        continue;
      }
      buffer = pieces.take();
    }
    buffer.set(part, used);
    used += part.length;
  }
  if (used > 0) flush();
  else pieces.give(buffer);
}
