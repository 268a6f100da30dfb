/**
 * The output of a connection: collects frames during one slice of the event loop, and writes them together.
 *
 * Heads of frames are latin1 strings, bodies are bytes; both are copied to one buffer. So a slow peer costs the bounded bytes that
 * wait for its socket, and the added bytes are released once they are copied.
 *
 * @module
 */

import { BufferPool } from "../util/buffer-pool.ts";
import { attempt } from "../util/attempt.ts";

/** Receives the bytes of a connection. */
export interface Sink {
  /** Sends bytes, which must not change until `sent` is called: they were sent, or never will be. */
  write(bytes: Uint8Array, sent: () => void): void;
}

/** Bytes that are written at once, without waiting for more. */
const BATCH = 65_536;
/** Larger batches are written in a pooled buffer. */
const SMALL = 32_768;
/** The size of such a buffer: a batch, the frame that has filled it, and heads of frames. */
const PAGE = BATCH + 32_768;
/** Unsent bytes above which no more responses are written. */
const MAX_UNSENT_BYTES = 262_144;

/** A pool of buffers that many connections can share. */
export const outputPages = (max: number): BufferPool => new BufferPool(PAGE, max);

/** Runs work after all bytes that have arrived are processed. */
export type Later = (work: () => void) => void;

/** The parts of an output. */
export interface OutputOptions {
  readonly sink: Sink;
  readonly later: Later;
  /** Buffers for large batches; see {@link outputPages}. */
  readonly pages: BufferPool;
  /** Called before bytes are written, to add more; and when more can be added again. */
  readonly fill: () => void;
  /** Called with an error of a listener. */
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
  /** Listeners for the waiting bytes, and for the last written ones. */
  #listeners: (() => void)[] = [];
  #lastListeners: (() => void)[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  /** Whether responses can be written. */
  get hasRoom(): boolean {
    return this.#waiting + this.#unsent < MAX_UNSENT_BYTES;
  }

  /** Bytes that are not sent. */
  get unsent(): number {
    return this.#waiting + this.#unsent;
  }

  /** Adds a latin1 string to the one before it. */
  addText(text: string): void {
    if (this.#isClosed) return;
    const last = this.#parts.length - 1;
    const part = this.#parts[last];
    if (typeof part === "string") this.#parts[last] = part + text;
    else this.#parts.push(text);
    this.#added(text.length);
  }

  /** Adds bytes, which are copied when they are written. */
  addBytes(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#parts.push(bytes);
    this.#added(bytes.length);
  }

  /** Calls a listener when everything that was added was sent, or never will be. */
  whenSent(listener: () => void): void {
    this.#listeners.push(listener);
    this.schedule();
  }

  /** Writes everything, with what `fill` adds, after all bytes that have arrived are processed. */
  schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    this.#options.later(this.#work);
  }

  /** Writes everything. */
  flush(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    if (this.#waiting > 0) this.#send(listeners);
    else if (this.#unsent > 0) this.#lastListeners.push(...listeners);
    else this.#notify(listeners);
  }

  /** Discards waiting bytes, and calls the listeners. */
  close(): void {
    this.#isClosed = true;
    this.#parts = [];
    this.#waiting = 0;
    const listeners = this.#listeners;
    this.#listeners = [];
    this.#notify(listeners);
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
    this.#notify(listeners);
    if (this.hasRoom && !this.#isClosed) this.#options.fill();
  }

  #notify(listeners: readonly (() => void)[]): void {
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
