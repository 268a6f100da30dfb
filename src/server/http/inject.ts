/**
 * Exchanges in the same process, for controllers and tests. They pass the same filters as requests over sockets.
 *
 * @module
 */
import type { Connection, Identity } from "../../auth/contract.ts";
import { type Activity, ActivityCount, currentCount } from "../../util/activity.ts";
import type { Exchange, OutHeaders, OutStream } from "../request/exchange.ts";
import { LINE_END } from "../response/in-form.ts";
import { bodyTooLarge } from "../body/read-body.ts";

/** A request in the same process. */
export interface InjectRequest {
  readonly method?: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name; a list for a header that is sent in several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** Whether the body is what {@link SentRequest.ownJson} describes. */
  readonly isOwnJson?: boolean;
  /** Stands in for the connection of a socket, for instance with a client certificate. */
  readonly connection?: Connection;
  /** The user, where the caller vouches for it; credentials are ignored then. */
  readonly identity?: Identity;
  /** Aborted when the caller does not need the response any more; its promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** A response in the same process. Its body is read once, piece by piece or as a whole. */
export interface InjectResponse {
  readonly code: number;
  readonly headers: OutHeaders;
  /** The pieces as they come; leaving the loop cancels the response. */
  pieces(): AsyncGenerator<Uint8Array, void, undefined>;
  /** The whole body. */
  bytes(): Promise<Buffer>;
  /** The whole body as text. */
  text(): Promise<string>;
  /** Stops listening. */
  cancel(): void;
}

/** The server broke off: there is no response, or it is incomplete. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

const HERE: Connection = { certificate: undefined, address: "", encrypted: true };
const HIGH_WATER = 65_536;

/** An {@link Exchange} whose response is {@link InjectExchange.response}. */
export class InjectExchange implements Exchange, Reading {
  readonly method: string;
  readonly url: string;
  readonly connection: Connection;
  readonly identity: Identity | undefined;
  readonly hasBody: boolean;
  responded = false;
  /** Resolves when the headers of the response are complete; rejects when there will be none. */
  readonly response: Promise<InjectResponse>;
  readonly #request: InjectRequest;
  readonly #body: string | Uint8Array;
  readonly ownJson: string | undefined;
  readonly #activity: Activity | undefined;
  /** The unit that the reader is part of. */
  readonly #reader: ActivityCount | undefined = currentCount();
  readonly #response = Promise.withResolvers<InjectResponse>();
  /** Called when the exchange is over; undefined where no caller needs that. */
  #over: (() => void)[] | undefined = undefined;
  #isOver = false;

  /** @param activity counts the reader while bytes of the response wait for it */
  constructor(request: InjectRequest, activity?: Activity) {
    this.#request = request;
    this.#activity = activity;
    this.response = this.#response.promise;
    this.method = request.method ?? "GET";
    this.url = request.url;
    this.connection = request.connection ?? HERE;
    this.identity = request.identity;
    this.#body = request.body ?? "";
    this.ownJson = request.isOwnJson && typeof this.#body === "string" ? this.#body : undefined;
    this.hasBody = this.#body.length > 0;
    const { signal } = request;
    if (!signal) return;
    const leave = (): void => this.#breakOff(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    this.onOver(() => signal.removeEventListener("abort", leave));
  }

  header(name: string): string {
    return this.lines(name).join(", ");
  }

  lines(name: string): readonly string[] {
    const value = this.#request.headers?.[name];
    return value === undefined ? [] : typeof value === "string" ? [value] : value;
  }

  hasHeaders(prefix: string): boolean {
    for (const name in this.#request.headers) if (name.startsWith(prefix)) return true;
    return false;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#request.headers ?? {});
  }

  readBody(limit: number): Promise<Uint8Array> {
    const bytes = typeof this.#body === "string" ? Buffer.from(this.#body) : this.#body;
    return bytes.length > limit ? Promise.reject(bodyTooLarge(limit)) : Promise.resolve(bytes);
  }

  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (this.responded) return;
    const pipe = this.#begin(code, headers);
    if (body !== undefined && this.method !== "HEAD") {
      for (const piece of body instanceof Uint8Array ? [body] : body) pipe.write(piece);
    }
    pipe.end();
  }

  stream(code: number, headers: OutHeaders): OutStream {
    const isLate = this.responded;
    const pipe = this.#begin(code, headers);
    // No caller reads it: the caller has left meanwhile.
    if (isLate) pipe.destroy();
    return pipe;
  }

  destroy(): void {
    this.#breakOff(new BrokenOff("expected a response, the server broke off"));
  }

  onOver(listener: () => void): void {
    if (this.#isOver) queueMicrotask(listener);
    else (this.#over ??= []).push(listener);
  }

  closeAfterResponse(): void {}

  trust(): void {}

  #breakOff(why: unknown): void {
    if (this.responded) return;
    this.responded = true;
    this.#response.reject(why);
    this.over();
  }

  #begin(code: number, headers: OutHeaders): Pipe {
    this.responded = true;
    const pipe = new Pipe(code, headers, this);
    this.#response.resolve(pipe);
    return pipe;
  }

  unread(): (() => void) | undefined {
    const activity = this.#activity;
    if (!activity) return undefined;
    const begin = (): (() => void) => activity.begin(`the reader of ${this.method} ${this.url}`);
    if (!this.#reader) return begin();
    // A reader may wait for another request, and so for the clock, before it continues to read.
    const count = new ActivityCount(begin);
    const left = this.#reader.leads(count);
    return () => {
      left();
      count.end();
    };
  }

  over(): void {
    this.#isOver = true;
    const listeners = this.#over;
    this.#over = undefined;
    if (listeners) for (const listener of listeners) listener();
  }
}

/** Observes the reader of a response. */
interface Reading {
  /** Called when bytes wait for the reader; the result is called when it wants more. */
  unread(): (() => void) | undefined;
  /** Called when everything has been read, or will not be read. */
  over(): void;
}

/** Both ends of a response: the server writes, the caller reads. */
class Pipe implements OutStream, InjectResponse {
  readonly code: number;
  readonly headers: OutHeaders;
  onClose: (() => void) | undefined = undefined;
  closed = false;
  buffered = 0;
  #pieces: Uint8Array[] = [];
  #broken = false;
  #arrived: (() => void) | undefined;
  #drained: (() => void)[] = [];
  readonly #reading: Reading;
  #read: (() => void) | undefined;

  constructor(code: number, headers: OutHeaders, reading: Reading) {
    this.code = code;
    this.headers = headers;
    this.#reading = reading;
  }

  write(bytes: Uint8Array): boolean {
    if (this.closed) return false;
    this.#read ??= this.#reading.unread();
    this.#pieces.push(bytes);
    this.buffered += bytes.length;
    this.#arrived?.();
    return this.buffered < HIGH_WATER;
  }

  drained(): Promise<void> {
    if (this.closed || this.buffered < HIGH_WATER) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  end(): void {
    if (this.closed) return;
    this.closed = true;
    this.#arrived?.();
    this.#wake();
    // As with a socket, the server learns of the end after the call, not during it.
    queueMicrotask(() => {
      this.onClose?.();
      if (this.#pieces.length === 0) this.#allRead();
    });
  }

  destroy(): void {
    this.#broken = true;
    this.end();
  }

  cancel(): void {
    this.#pieces = [];
    this.buffered = 0;
    this.end();
    this.#allRead();
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let more = this.#more(); more !== false; more = this.#more()) {
        if (more) yield this.#take();
        else await this.#next();
      }
    } finally {
      this.cancel();
    }
  }

  async bytes(): Promise<Buffer> {
    const all: Uint8Array[] = [];
    try {
      for (let more = this.#more(); more !== false; more = this.#more()) {
        if (more) all.push(this.#take());
        else await this.#next();
      }
    } finally {
      this.cancel();
    }
    return Buffer.concat(all);
  }

  async text(): Promise<string> {
    const [first, end] = this.#pieces;
    // Most responses are one object and the end of a line, which need no copy.
    if (this.closed && !this.#broken && first && end === LINE_END && this.#pieces.length === 2) {
      const text = `${Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString("utf8")}\n`;
      this.cancel();
      return text;
    }
    return (await this.bytes()).toString("utf8");
  }

  /** Whether a piece is available; undefined where it may still arrive. Throws where the response was broken off. */
  #more(): boolean | undefined {
    if (this.#pieces.length > 0) return true;
    if (this.#broken) throw new BrokenOff("expected the whole response, the server broke off");
    return this.closed ? false : undefined;
  }

  #take(): Uint8Array {
    const piece = this.#pieces.shift()!;
    this.buffered -= piece.length;
    if (this.buffered < HIGH_WATER) this.#wake();
    return piece;
  }

  #allRead(): void {
    this.#caughtUp();
    this.#reading.over();
  }

  #caughtUp(): void {
    this.#read?.();
    this.#read = undefined;
  }

  #next(): Promise<void> {
    this.#caughtUp();
    return new Promise((resolve) => {
      this.#arrived = () => {
        this.#arrived = undefined;
        resolve();
      };
    });
  }

  #wake(): void {
    if (this.#drained.length === 0) return;
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }
}
