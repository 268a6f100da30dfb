/**
 * The memory in which large answers leave: pieces of one size, used again and again.
 *
 * @module
 */
import type { OutStream } from "../http/exchange.ts";

/** Bytes that leave together. */
export const PIECE = 131_072;
/** What a piece has room for: it may grow a little, by the part that fills it. */
export const ROOM = PIECE + PIECE / 8;

/** Buffers that are kept for the next answer: big ones would else allocate as fast as they are sent, and V8 look for garbage all the time. */
export class Pool {
  readonly size: number;
  readonly #most: number;
  readonly #kept: Buffer[] = [];

  constructor(size: number, most: number) {
    this.size = size;
    this.#most = most;
  }

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  give(buffer: Buffer): void {
    if (buffer.length === this.size && this.#kept.length < this.#most) this.#kept.push(buffer);
  }
}

/** Where pieces come from. */
export const pieces = new Pool(ROOM, 32);

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
    if (used + part.length > ROOM) {
      flush();
      if (part.length > ROOM) {
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
