import type { WireWriter } from "../wire/encoding/wire-writer.ts";

/** Bytes in front of each message: whether it is compressed, and its length. */
const HEAD = 5;

/** A message as gRPC sends it: not compressed, with its length in front. */
export function frameOf(message: WireWriter): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(message.length, 1);
  message.raw(head);
  return message.finish();
}

/** Takes a message; unless it is `kept`, its bytes are valid during the call only. */
export type TakeMessage = (message: Buffer, isKept: boolean) => void;

/** Puts the messages of a stream together from its pieces. */
export class Messages {
  readonly #take: TakeMessage;
  /** Copies of pieces that are not yet a whole message, and their bytes. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes that the next message needs, with its head; 0 as long as the head has not come. */
  #needed = 0;

  constructor(take: TakeMessage) {
    this.#take = take;
  }

  /**
   * Reads the bytes between `from` and `to`.
   *
   * @throws RangeError for a message that is compressed, and whatever the taker throws
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

  /** Adds to the message that has begun; where the rest begins. */
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

/** Bytes of the message whose head stands at `at`, with the head. */
function sizeOf(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0) throw new RangeError("Expected a gRPC message that is not compressed");
  return HEAD + bytes.readUInt32BE(at + 1);
}
