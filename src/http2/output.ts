/**
 * What leaves on a connection: frames that are collected while the server works, and handed over together.
 *
 * Heads of frames are text of one byte a character, bodies are bytes; what leaves is one buffer. So a peer that was slow costs
 * what waits for its socket, which is bounded, and nothing that was handed in is kept once it is in that buffer.
 *
 * @module
 */

import { BufferPool } from "../util/buffer-pool.ts";
import { attempt } from "../util/attempt.ts";

/** Where bytes of a connection go. */
export interface Sink {
  /** Sends bytes, which are not changed until `sent` is called: they have been taken, or never will be. */
  write(bytes: Uint8Array, sent: () => void): void;
}

/** So many bytes leave at once without waiting for what else is to be said. */
const BATCH = 65_536;
/** What is larger leaves in a buffer that is used again. */
const SMALL = 32_768;
/** The size of such a buffer: a batch, the frame that has filled it, and heads of frames. */
const PAGE = BATCH + 32_768;
/** Bytes that may wait for the socket before no more answers are written. */
const MOST_UNSENT = 262_144;

/** The buffers that many connections may share. */
export const outputPages = (most: number): BufferPool => new BufferPool(PAGE, most);

/** Does some work when everything that has come so far has been looked at. */
export type Later = (work: () => void) => void;

/** What an output needs. */
export interface OutputOptions {
  readonly sink: Sink;
  readonly later: Later;
  /** Buffers for large batches; see {@link outputPages}. */
  readonly pages: BufferPool;
  /** Called before bytes leave, to add to them; and when there is room again. */
  readonly fill: () => void;
  /** A listener has failed. */
  readonly onFault: (error: unknown) => void;
}

/** See the head of this file. */
export class Output {
  readonly #options: OutputOptions;
  readonly #work = (): void => {
    this.#isScheduled = false;
    this.#options.fill();
    this.flush();
  };
  #parts: (string | Uint8Array)[] = [];
  /** Bytes of the parts. */
  #waiting = 0;
  /** Bytes that the sink has not sent. */
  #unsent = 0;
  /** Who wants to hear when what waits has been sent; and when the last that was handed over has been. */
  #listeners: (() => void)[] = [];
  #lastListeners: (() => void)[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** Whether answers may be written. */
  get hasRoom(): boolean {
    return this.#waiting + this.#unsent < MOST_UNSENT;
  }

  /** Bytes that are not sent. */
  get unsent(): number {
    return this.#waiting + this.#unsent;
  }

  /** Adds text of one byte a character; it joins text before it. */
  addText(text: string): void {
    if (this.#isClosed) return;
    const last = this.#parts.length - 1;
    const part = this.#parts[last];
    if (typeof part === "string") this.#parts[last] = part + text;
    else this.#parts.push(text);
    this.#added(text.length);
  }

  /** Adds bytes; they are copied before they leave. */
  addBytes(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#parts.push(bytes);
    this.#added(bytes.length);
  }

  /** Calls a listener when all that has been added so far has been sent, or never will be. */
  whenSent(listener: () => void): void {
    this.#listeners.push(listener);
    this.schedule();
  }

  /** Sends what there is, and what `fill` adds, when everything that has come has been looked at. */
  schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    this.#options.later(this.#work);
  }

  /** Sends what there is. */
  flush(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    if (this.#waiting > 0) this.#send(listeners);
    else if (this.#unsent > 0) this.#lastListeners.push(...listeners);
    else this.#tell(listeners);
  }

  /** Nothing more is sent; whoever waits is told so. */
  close(): void {
    this.#isClosed = true;
    this.#parts = [];
    this.#waiting = 0;
    const listeners = this.#listeners;
    this.#listeners = [];
    this.#tell(listeners);
  }

  #send(listeners: (() => void)[]): void {
    const { sink, pages } = this.#options;
    const length = this.#waiting;
    const page = length > SMALL && length <= pages.size ? pages.take() : Buffer.allocUnsafe(length);
    this.#join(page);
    this.#unsent += length;
    this.#lastListeners = listeners;
    sink.write(page.subarray(0, length), () => {
      pages.give(page);
      this.#sent(length, listeners);
    });
  }

  #added(bytes: number): void {
    this.#waiting += bytes;
    if (this.#waiting >= BATCH) this.flush();
    else this.schedule();
  }

  #sent(bytes: number, listeners: readonly (() => void)[]): void {
    this.#unsent -= bytes;
    this.#tell(listeners);
    if (this.hasRoom && !this.#isClosed) this.#options.fill();
  }

  #tell(listeners: readonly (() => void)[]): void {
    for (const listener of listeners) void attempt(listener, this.#options.onFault);
  }

  #join(page: Buffer): void {
    let at = 0;
    for (const part of this.#parts) {
      if (typeof part === "string") {
        at += page.write(part, at, "latin1");
      } else {
        page.set(part, at);
        at += part.length;
      }
    }
    this.#parts = [];
    this.#waiting = 0;
  }
}
