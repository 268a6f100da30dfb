import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, FLAG, MAX_WINDOW, TYPE } from "./constants.ts";
import { frameHead, headersFrames } from "./frames.ts";
import { NO_TABLE } from "./header-encoder.ts";
import type { Output } from "./output.ts";
import type { Http2Stream } from "./stream.ts";

/** Sends the responses of a connection within the windows of the peer and the limit of the output: one frame of each stream in turn (RFC 9113 5.2). */
export class Sender {
  readonly #output: Output;
  readonly #onDone: (stream: Http2Stream) => void;
  /** Streams that can send something; the one that has waited longest is first. */
  readonly #ready = new Set<Http2Stream>();
  /** The peer's window of the connection. */
  #window = DEFAULT_WINDOW;
  /** The initial window of a stream. */
  #initialWindow = DEFAULT_WINDOW;
  /** The beginning of the next header block. */
  #prefix = "";
  #hasTable = true;

  /** @param onDone called when the end of a response was written */
  constructor(output: Output, onDone: (stream: Http2Stream) => void) {
    this.#output = output;
    this.#onDone = onDone;
  }

  /** The initial window of a stream. */
  get initialWindow(): number {
    return this.#initialWindow;
  }

  /** Tells a peer with a small table that none is used (RFC 9113 4.3.1). */
  dropTable(): void {
    if (this.#hasTable) this.#prefix = NO_TABLE;
    this.#hasTable = false;
  }

  /** Sends an interim response at once. */
  sendInterim(id: number, block: string): void {
    this.#output.addText(this.#headers(id, block, false));
  }

  /** Sends bytes of a stream, at once or after those of other streams. */
  send(stream: Http2Stream): void {
    const isNext = this.#ready.size === 0 || stream.outbound.head !== undefined;
    if (!isNext || !this.#output.hasRoom || this.#write(stream)) this.#wait(stream);
  }

  /** Sends as much as the output accepts. */
  fill(): void {
    for (let blocked = 0; blocked < this.#ready.size && this.#output.hasRoom;) {
      const stream = this.#ready.values().next().value!;
      this.#ready.delete(stream);
      const isBlocked = this.#isBlocked(stream);
      blocked = isBlocked ? blocked + 1 : 0;
      if (isBlocked || this.#write(stream)) this.#ready.add(stream);
    }
  }

  /** Sends no more of a stream. */
  forget(stream: Http2Stream): void {
    this.#ready.delete(stream);
  }

  /** Extends the window of the connection; returns false where it is then too large. */
  extendAll(bytes: number): boolean {
    this.#window += bytes;
    this.#output.schedule();
    return this.#window <= MAX_WINDOW;
  }

  /** Extends the window of a stream; returns false where it is then too large. */
  extend(stream: Http2Stream, bytes: number): boolean {
    const { outbound } = stream;
    outbound.window += bytes;
    if (outbound.window > MAX_WINDOW) return false;
    if (outbound.window > 0 && outbound.buffered > 0) this.#wait(stream);
    return true;
  }

  /** Changes the initial window, and the windows of all streams with it (RFC 9113 6.9.2); returns false where one is too large. */
  resize(initialWindow: number, streams: Iterable<Http2Stream>): boolean {
    const more = initialWindow - this.#initialWindow;
    this.#initialWindow = initialWindow;
    for (const stream of streams) if (!this.extend(stream, more)) return false;
    return true;
  }

  #wait(stream: Http2Stream): void {
    this.#ready.add(stream);
    this.#output.schedule();
  }

  /** Whether the window of the connection blocks a stream. */
  #isBlocked({ outbound }: Http2Stream): boolean {
    return this.#window <= 0 && outbound.head === undefined && outbound.buffered > 0;
  }

  /** Writes the head of a response and one DATA frame; returns whether the stream can send more. */
  #write(stream: Http2Stream): boolean {
    const { outbound, id } = stream;
    if (outbound.isDone) return false;
    const isEnd = outbound.isEnding && outbound.buffered === 0;
    if (outbound.head !== undefined) {
      this.#output.addText(this.#headers(id, outbound.head, isEnd));
      outbound.head = undefined;
    } else if (isEnd) {
      this.#output.addText(frameHead(0, TYPE.data, FLAG.endStream, id));
    }
    if (outbound.buffered > 0) return this.#writeData(stream);
    if (isEnd) this.#done(stream);
    return false;
  }

  #headers(id: number, block: string, isEnd: boolean): string {
    const prefix = this.#prefix;
    this.#prefix = "";
    return headersFrames(id, prefix + block, isEnd);
  }

  #writeData(stream: Http2Stream): boolean {
    const { outbound, id } = stream;
    const bytes = Math.min(outbound.buffered, outbound.window, this.#window, DEFAULT_FRAME_SIZE);
    if (bytes <= 0) return outbound.window > 0;
    const isEnd = outbound.isEnding && bytes === outbound.buffered;
    this.#output.addText(frameHead(bytes, TYPE.data, isEnd ? FLAG.endStream : 0, id));
    outbound.move(bytes, this.#output);
    outbound.window -= bytes;
    this.#window -= bytes;
    if (isEnd) this.#done(stream);
    return !isEnd && outbound.window > 0 && (outbound.buffered > 0 || outbound.isEnding);
  }

  #done(stream: Http2Stream): void {
    stream.outbound.isDone = true;
    this.#onDone(stream);
  }
}
