import { DEFAULT_FRAME_SIZE, FRAME_HEAD } from "../http2/constants.ts";
import { BufferPool } from "../util/buffer-pool.ts";

/** Bytes that are collected before they leave: the server begins with them while we write more. */
const BATCH = 16_384;
/** A batch, and the frame that fills it with its head. */
const PAGE = BATCH + DEFAULT_FRAME_SIZE + FRAME_HEAD;
/** Pages that are kept to be used again. */
const PAGES = 8;

/** Where the bytes go. */
export interface FrameSink {
  /** Sends bytes, which are not changed until `sent` is called. */
  write(bytes: Uint8Array, sent: () => void): void;
}

/** Collects frames during one slice of the event loop, and writes them to the socket together. */
export class FrameWriter {
  readonly #sink: FrameSink;
  readonly #later: (work: () => void) => void;
  readonly #pages = new BufferPool(PAGE, PAGES);
  #page = this.#pages.take();
  #at = 0;
  #flushes = 0;
  #isScheduled = false;
  readonly #work = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  /** @param later runs work after all bytes that have arrived are processed */
  constructor(sink: FrameSink, later: (work: () => void) => void) {
    this.#sink = sink;
    this.#later = later;
  }

  /** How often bytes were written: what was added since the last time has not left. */
  get flushes(): number {
    return this.#flushes;
  }

  /** Adds a frame; copies the bytes between `from` and `to` as its payload. */
  frame(type: number, flags: number, stream: number, bytes: Uint8Array, from: number, to: number): void {
    const length = to - from;
    const page = this.#page;
    let at = this.#at;
    page[at++] = length >>> 16;
    page[at++] = length >>> 8;
    page[at++] = length;
    page[at++] = type;
    page[at++] = flags;
    page[at++] = stream >>> 24;
    page[at++] = stream >>> 16;
    page[at++] = stream >>> 8;
    page[at++] = stream;
    page.set(length === bytes.length ? bytes : bytes.subarray(from, to), at);
    this.#added(at + length);
  }

  /** Adds whole frames, as a latin1 string. */
  text(frames: string): void {
    this.#added(this.#at + this.#page.write(frames, this.#at, "latin1"));
  }

  /** Writes what was collected. */
  flush(): void {
    if (this.#at === 0) return;
    const page = this.#page;
    const bytes = page.subarray(0, this.#at);
    this.#page = this.#pages.take();
    this.#at = 0;
    this.#flushes++;
    this.#sink.write(bytes, () => this.#pages.give(page));
  }

  #added(at: number): void {
    this.#at = at;
    if (at >= BATCH) this.flush();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#later(this.#work);
    }
  }
}
