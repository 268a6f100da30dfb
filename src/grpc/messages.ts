import type { WireWriter } from "../wire/encoding/wire-writer.ts";

/** Bytes of the prefix of each message: a flag for compression, and the length. */
const HEAD = 5;

/** A message as gRPC sends it: not compressed, with its length in front. */
export function frameOf(message: WireWriter): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(message.length, 1);
  message.raw(head);
  return message.finish();
}

/** Receives a message; unless it `isKept`, its bytes are valid during the call only. */
export type TakeMessage = (message: Buffer, isKept: boolean) => void;

/** Joins the pieces of a stream to messages. */
export class Messages {
  readonly #take: TakeMessage;
  /** Copies of the pieces of an incomplete message, and their bytes. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes of the incomplete message with its prefix; 0 while the prefix is incomplete. */
  #needed = 0;

  constructor(take: TakeMessage) {
    this.#take = take;
  }

  /**
   * Reads the bytes between `from` and `to`.
   *
   * @throws RangeError for a compressed message, and what the receiver throws
   */
  push(bytes: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#length > 0) at = this.#complete(bytes, at, to);
      else if (to - at >= HEAD) {
        const end = at + sizeOf(bytes, at);
        if (end > to) return this.#keep(bytes, at, to);
        this.#take(bytes.subarray(at + HEAD, end), false);
        at = end;
      } else return this.#keep(bytes, at, to);
    }
  }

  /** Adds to the incomplete message; returns where the next one begins. */
  #complete(bytes: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + (this.#needed || HEAD) - this.#length);
    this.#keep(bytes, from, end);
    if (this.#needed === 0 || this.#length < this.#needed) return end;
    const whole = this.#whole();
    this.#pieces = [];
    this.#length = 0;
    this.#needed = 0;
    this.#take(whole.subarray(HEAD), true);
    return end;
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    this.#pieces.push(Buffer.from(bytes.subarray(from, to)));
    this.#length += to - from;
    if (this.#needed > 0 || this.#length < HEAD) return;
    const whole = this.#whole();
    this.#pieces = [whole];
    this.#needed = sizeOf(whole, 0);
  }

  #whole(): Buffer {
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#length);
  }
}

/** Bytes of the message at `at`, with its prefix. */
function sizeOf(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0) throw new RangeError("Expected a gRPC message that is not compressed");
  return HEAD + bytes.readUInt32BE(at + 1);
}
