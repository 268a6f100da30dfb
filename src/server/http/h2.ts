/**
 * Exchanges over HTTP/2, on the core `stream` event: the compatibility API costs 5 µs more for each request.
 *
 * @module
 */
import http2 from "node:http2";
import type { Connection, Identity } from "../../auth/contract.ts";
import { drained } from "./drained.ts";
import type { Exchange, OutHeaders, OutStream } from "./exchange.ts";
import { lengthOf } from "./exchange.ts";
import type { Peer } from "./guard.ts";
import { linesOf } from "./header-lines.ts";
import type { BodyRoom } from "../body/body-memory.ts";
import { readBody } from "../body/read-body.ts";

const NO_ERROR = http2.constants.NGHTTP2_NO_ERROR;
const INTERNAL_ERROR = http2.constants.NGHTTP2_INTERNAL_ERROR;

/** What is kept with an HTTP/2 connection. */
export interface SessionState extends Peer {
  /** Streams that have not been answered to their end. */
  open: number;
}

/** What a stream begins with. */
interface Head {
  readonly headers: http2.IncomingHttpHeaders;
  /** The same, names and values in turns. */
  readonly rawHeaders: readonly string[];
  /** Whether nothing follows. */
  readonly ended: boolean;
}

/** An {@link Exchange} on one HTTP/2 stream. */
export class H2Exchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly connection: Connection;
  readonly hasBody: boolean;
  answered = false;
  readonly #stream: http2.ServerHttp2Stream;
  readonly #headers: http2.IncomingHttpHeaders;
  readonly #rawHeaders: readonly string[];
  readonly #session: SessionState;
  /** The connection that ends with this answer. */
  #ending: http2.Http2Session | undefined;

  constructor(stream: http2.ServerHttp2Stream, { headers, rawHeaders, ended }: Head, session: SessionState) {
    this.#stream = stream;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    this.#session = session;
    this.connection = session.connection;
    session.open++;
    this.method = headers[":method"] ?? "GET";
    this.url = headers[":path"] ?? "/";
    this.hasBody = !ended;
    // A reset by the peer arrives as an error of the stream; the answer has nobody to go to then.
    stream.on("error", ignore);
  }

  header(name: string): string {
    const value = this.#headers[name];
    return value === undefined ? "" : typeof value === "string" ? value : value.join(", ");
  }

  lines(name: string): readonly string[] {
    return linesOf(this.#rawHeaders, name);
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  readBody(limit: number, room?: BodyRoom): Promise<Uint8Array> {
    if (!this.hasBody) return Promise.resolve(new Uint8Array(0));
    const { expect, "content-length": length } = this.#headers;
    const announced = length === undefined ? -1 : Number(length);
    if (expect?.toLowerCase() === "100-continue" && announced <= limit) {
      this.#stream.additionalHeaders({ ":status": 100 });
    }
    return readBody(this.#stream, { limit, announced, room });
  }

  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (this.answered) return;
    this.answered = true;
    this.#session.open--;
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) {
      this.#endWithLast();
      return;
    }
    const taken = this.#session.guarded.answers();
    if (taken) stream.once("close", taken);
    const length = lengthOf(body);
    headers[":status"] = code;
    if (code !== 304) headers["content-length"] = length;
    if (length === 0 || this.method === "HEAD") {
      stream.respond(headers, END);
    } else {
      stream.respond(headers);
      if (body instanceof Uint8Array) stream.end(body);
      else this.#end(body!);
    }
    this.#finish();
  }

  #end(pieces: readonly Uint8Array[]): void {
    const stream = this.#stream;
    stream.cork();
    const last = pieces.length - 1;
    for (let i = 0; i < last; i++) stream.write(pieces[i]);
    stream.end(pieces[last]);
  }

  stream(code: number, headers: OutHeaders): OutStream {
    this.answered = true;
    headers[":status"] = code;
    if (!this.#stream.destroyed && !this.#stream.closed) this.#stream.respond(headers);
    return new H2OutStream(this.#stream, this.#session);
  }

  destroy(): void {
    if (!this.answered) {
      this.answered = true;
      this.#session.open--;
    }
    if (!this.#stream.destroyed) {
      this.#stream.close(INTERNAL_ERROR);
      // A peer that takes nothing does not take the reset either; what waits for him is not kept for that.
      this.#stream.destroy();
    }
    this.#endWithLast();
  }

  onOver(listener: () => void): void {
    this.#stream.once("close", listener);
  }

  closeAfterAnswer(): void {
    this.#ending = this.#stream.session;
  }

  trust(owner: Identity): void {
    this.#session.guarded.trust(owner);
  }

  #finish(): void {
    // A body that was not read to its end is not wanted any more; without this the peer would go on sending it.
    if (this.hasBody && !this.#stream.readableEnded) {
      const stream = this.#stream;
      stream.once("finish", () => {
        if (!stream.readableEnded) stream.close(NO_ERROR);
      });
      stream.resume();
    }
    this.#endWithLast();
  }

  /** Ends the connection where this was to be its last answer, also when nobody waits for it any more. */
  #endWithLast(): void {
    if (!this.#ending) return;
    this.#ending.close();
    this.#session.guarded.end();
  }
}

const END = { endStream: true };
const ignore = (): void => {};

class H2OutStream implements OutStream {
  onClose: (() => void) | undefined = undefined;
  readonly #stream: http2.ServerHttp2Stream;

  constructor(stream: http2.ServerHttp2Stream, session: SessionState) {
    this.#stream = stream;
    stream.once("close", () => {
      session.open--;
      this.onClose?.();
    });
    // The request has no body, or its rest does not matter; reading it to its end lets the stream close.
    stream.resume();
  }

  write(bytes: Uint8Array, taken?: () => void): boolean {
    if (this.closed) return false;
    return taken ? this.#stream.write(bytes, taken) : this.#stream.write(bytes);
  }

  get buffered(): number {
    return this.#stream.writableLength;
  }

  get closed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  drained(): Promise<void> {
    return this.closed ? Promise.resolve() : drained(this.#stream);
  }

  end(): void {
    if (!this.closed) this.#stream.end();
  }

  destroy(): void {
    if (!this.#stream.destroyed) this.#stream.close(INTERNAL_ERROR);
  }
}
