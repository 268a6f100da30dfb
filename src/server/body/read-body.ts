import type { BodyListener } from "../../http2/index.ts";
import { badRequest, tooLarge } from "../../meta/status.ts";
import { type BodyReservation, STEP } from "../shared/body-memory.ts";

/** Where a body comes from: a stream of HTTP/2, or a request of HTTP/1.1. */
export interface BodySource {
  /** Sets its listener, once, which is notified when the body breaks off. */
  open(listener: BodyListener): void;
  /** Delivers the body, from its beginning; not called where it has broken off. */
  start(): void;
  /** Lets the sender send so many bytes in all. */
  allow(bytes: number): void;
  /** Pauses the sender, and lets it continue. */
  pause(): void;
  resume(): void;
}

/** How a body is read. */
export interface ReadOptions {
  /** Bytes that it may have. */
  readonly limit: number;
  /** Its Content-Length; -1 where there is none. */
  readonly announced: number;
  /** The reservation of its memory; without one it is not bounded but by the limit. */
  readonly memory?: BodyReservation | undefined;
}

const EMPTY = new Uint8Array(0);

const brokenOff = (): Error => badRequest("expected the whole body, the client broke off");

/** The response to a body that is over the limit (DEC-18). */
export const bodyTooLarge = (limit: number): Error => tooLarge(`limit is ${limit}`, "body size");

/**
 * Collects a body; a body whose announced length is over the limit is refused before it is read, and of any other no byte beyond the limit
 * is kept. Rejects with 413, with 400 when the client breaks off, and with 429 when there is no memory for it.
 */
export function readBody(source: BodySource, options: ReadOptions): Promise<Uint8Array> {
  const { limit, announced } = options;
  if (announced > limit) return Promise.reject(bodyTooLarge(limit));
  return new Promise((resolve, reject) => new BodyReader(source, options, { resolve, reject }).begin());
}

/** The promise of a body. */
interface Reader {
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Reads a body. A single piece is used without a copy; several are copied together, because a small piece may keep a large buffer alive.
 */
class BodyReader implements BodyListener {
  readonly #source: BodySource;
  readonly #options: ReadOptions;
  readonly #reader: Reader;
  /** Blocks of {@link STEP} bytes; only the last one has space left. */
  readonly #blocks: Uint8Array[] = [];
  /** The first piece, as long as it is the only one. */
  #only: Uint8Array = EMPTY;
  #length = 0;
  /** Bytes that it may have. */
  readonly #most: number;
  #done = false;

  constructor(source: BodySource, options: ReadOptions, reader: Reader) {
    this.#source = source;
    this.#options = options;
    this.#reader = reader;
    this.#most = options.announced < 0 ? options.limit : options.announced;
  }

  begin(): void {
    const { memory } = this.#options;
    this.#source.open(this);
    if (memory) memory.onRefused = (why) => this.#fail(why);
    const wait = memory?.take("start", Math.min(STEP, this.#most));
    if (wait) this.#after(wait, () => this.#start());
    else this.#start();
  }

  #start(): void {
    if (this.#done) return;
    if (!this.#options.memory) this.#allowAll();
    this.#source.start();
  }

  /** One byte more than announced shows that the body is too long. */
  #allowAll(): void {
    this.#source.allow(this.#options.announced < 0 ? this.#most + 1 : this.#most);
  }

  #after(wait: Promise<void>, go: () => void): void {
    wait.then(
      () => {
        if (!this.#done) go();
      },
      (error: Error) => this.#fail(error),
    );
  }

  data(chunk: Uint8Array): void {
    if (this.#done) return;
    const length = this.#length + chunk.length;
    if (length > this.#options.limit) {
      this.#source.pause();
      this.#fail(bodyTooLarge(this.#options.limit));
      return;
    }
    this.#keep(chunk);
    const isStart = this.#length < STEP;
    this.#length = length;
    const { memory } = this.#options;
    memory?.sent(chunk.length);
    if (!isStart || length < STEP || this.#most <= STEP) return;
    const wait = memory?.take("rest", this.#most - STEP);
    if (!wait) {
      this.#allowAll();
      return;
    }
    this.#source.pause();
    this.#after(wait, () => {
      this.#allowAll();
      this.#source.resume();
    });
  }

  #keep(chunk: Uint8Array): void {
    if (this.#length === 0) {
      this.#only = chunk;
      return;
    }
    if (this.#blocks.length === 0) this.#copy(this.#only, 0);
    this.#only = EMPTY;
    this.#copy(chunk, this.#length);
  }

  /** Copies bytes that come after `at` others. */
  #copy(bytes: Uint8Array, at: number): void {
    const start = at % STEP;
    if (start === 0) this.#blocks.push(Buffer.allocUnsafeSlow(Math.min(STEP, this.#most - at)));
    const block = this.#blocks.at(-1)!;
    const part = bytes.subarray(0, block.length - start);
    block.set(part, start);
    if (part.length < bytes.length) this.#copy(bytes.subarray(part.length), at + part.length);
  }

  broken(): void {
    this.#fail(brokenOff());
  }

  end(): void {
    if (this.#done) return;
    this.#done = true;
    this.#reader.resolve(this.#whole());
  }

  #whole(): Uint8Array {
    const [first] = this.#blocks;
    if (!first) return this.#only;
    return this.#length <= first.length ? first.subarray(0, this.#length) : Buffer.concat(this.#blocks, this.#length);
  }

  #fail(why: Error): void {
    if (this.#done) return;
    this.#done = true;
    this.#reader.reject(why);
  }
}
