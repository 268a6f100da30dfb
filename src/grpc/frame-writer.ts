import { DEFAULT_FRAME_SIZE, FRAME_HEAD } from "../http2/constants.ts";
import { BufferPool } from "../util/buffer-pool.ts";

/** So many bytes leave at once, so that the server begins with them while we go on. */
const BATCH = 16_384;
/** A batch, the frame that fills it, and its head. */
const PAGE = BATCH + DEFAULT_FRAME_SIZE + FRAME_HEAD;
/** Pages that are kept to be used again. */
const PAGES = 8;

/** Where the bytes go. */
export interface FrameSink {
  /** Sends bytes, which are not changed until `sent` is called. */
  write(bytes: Uint8Array, sent: () => void): void;
}

/** Frames on their way to a socket: collected while the program works, and handed over together. */
export class FrameWriter {
  readonly #sink: FrameSink;
  readonly #later: (work: () => void) => void;
  readonly #pages = new BufferPool(PAGE, PAGES);
  #page = this.#pages.take();
  #at = 0;
  #handedOver = 0;
  #isScheduled = false;
  readonly #work = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  /** @param later does work when everything that has come so far has been looked at */
  constructor(sink: FrameSink, later: (work: () => void) => void) {
    this.#sink = sink;
    this.#later = later;
  }

  /** How often bytes were handed over: what has been added since then has not left. */
  get handedOver(): number {
    return this.#handedOver;
  }

  /** Adds a frame; its payload are the bytes between `from` and `to`, which are copied. */
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

  /** Adds whole frames, as text of one byte a character. */
  text(frames: string): void {
    this.#added(this.#at + this.#page.write(frames, this.#at, "latin1"));
  }

  /** Hands over what there is. */
  flush(): void {
    if (this.#at === 0) return;
    const page = this.#page;
    const bytes = page.subarray(0, this.#at);
    this.#page = this.#pages.take();
    this.#at = 0;
    this.#handedOver++;
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
