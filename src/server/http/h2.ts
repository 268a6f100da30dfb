/**
 * Exchanges over HTTP/2.
 *
 * @module
 */
import type { Connection, Identity } from "../../auth/contract.ts";
import { ERROR, type Http2Connection, type Http2Stream } from "../../http2/index.ts";
import type { BodyReservation } from "../shared/body-memory.ts";
import { type BodySource, readBody } from "../body/read-body.ts";
import type { Exchange, OutHeaders, OutStream, Transport } from "../request/exchange.ts";
import { lengthOf } from "../request/exchange.ts";
import type { Peer } from "./guard.ts";
import { linesOf } from "./header-lines.ts";

/** The state of a connection. */
export interface H2Session extends Peer {
  readonly http2: Http2Connection;
}

/** An {@link Exchange} on one HTTP/2 stream. */
export class H2Exchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly connection: Connection;
  readonly hasBody: boolean;
  responded = false;
  readonly #stream: Http2Stream;
  readonly #fields: readonly string[];
  readonly #session: H2Session;
  readonly #transport: Transport;
  #isLast = false;

  constructor(stream: Http2Stream, session: H2Session, transport: Transport) {
    this.#stream = stream;
    this.#fields = stream.head.fields;
    this.#session = session;
    this.#transport = transport;
    this.connection = session.connection;
    this.method = stream.head.method;
    this.url = stream.head.path === "" ? "/" : stream.head.path;
    this.hasBody = stream.hasBody;
  }

  header(name: string): string {
    const fields = this.#fields;
    let found: string | undefined;
    for (let i = 0; i < fields.length; i += 2) {
      if (fields[i] === name) found = found === undefined ? fields[i + 1] : `${found}, ${fields[i + 1]}`;
    }
    return found ?? "";
  }

  lines(name: string): readonly string[] {
    return linesOf(this.#fields, name);
  }

  hasHeaders(prefix: string): boolean {
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i += 2) if (fields[i]!.startsWith(prefix)) return true;
    return false;
  }

  headerNames(): readonly string[] {
    const names = new Set<string>();
    for (let i = 0; i < this.#fields.length; i += 2) names.add(this.#fields[i]!);
    return [...names];
  }

  readBody(limit: number, memory?: BodyReservation): Promise<Uint8Array> {
    if (!this.hasBody) return Promise.resolve(new Uint8Array(0));
    const announced = this.#stream.head.contentLength;
    if (announced <= limit && this.header("expect").toLowerCase() === "100-continue") this.#stream.interim(100);
    return readBody(sourceOf(this.#stream), { limit, announced, memory });
  }

  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (this.responded) return;
    this.responded = true;
    const taken = this.#stream.isClosed ? undefined : this.#session.guarded.responds();
    if (taken) this.#stream.onOver(taken);
    if (code !== 304) headers["content-length"] = lengthOf(body);
    this.#deliver(headers, () => this.#stream.respond(code, headers, this.method === "HEAD" ? undefined : body));
    this.#endWithLast();
  }

  stream(code: number, headers: OutHeaders): OutStream {
    this.responded = true;
    this.#deliver(headers, () => {
      if (this.method === "HEAD") this.#stream.respond(code, headers);
      else this.#stream.begin(code, headers);
    });
    return new H2OutStream(this.#stream);
  }

  destroy(): void {
    this.responded = true;
    this.#stream.reset(ERROR.internal);
    this.#endWithLast();
  }

  onOver(listener: () => void): void {
    this.#stream.onOver(listener);
  }

  closeAfterResponse(): void {
    this.#isLast = true;
  }

  trust(owner: Identity): void {
    this.#session.guarded.trust(owner);
    this.#session.http2.trust();
  }

  /** Sends a response; one that cannot be sent ends the stream. */
  #deliver(headers: OutHeaders, send: () => void): void {
    headers["date"] = this.#transport.date();
    try {
      send();
    } catch (error) {
      this.#transport.onFault(error);
      this.#stream.reset(ERROR.internal);
    }
  }

  /** Ends the connection where this was its last response, also when its client has left. */
  #endWithLast(): void {
    if (!this.#isLast) return;
    this.#session.http2.close();
    this.#session.guarded.end();
  }
}

/** A body that is paused by its window; the bytes that the window permits still arrive. */
const sourceOf = (stream: Http2Stream): BodySource => ({
  open: (listener) => stream.open(listener),
  start: () => stream.start(),
  allow: (bytes) => stream.allow(bytes),
  pause: ignore,
  resume: ignore,
});

const ignore = (): void => {};

class H2OutStream implements OutStream {
  onClose: (() => void) | undefined = undefined;
  readonly #stream: Http2Stream;

  constructor(stream: Http2Stream) {
    this.#stream = stream;
    stream.onOver(() => this.onClose?.());
  }

  write(bytes: Uint8Array, taken?: () => void): boolean {
    return this.#stream.write(bytes, taken);
  }

  get buffered(): number {
    return this.#stream.buffered;
  }

  get closed(): boolean {
    return this.#stream.isClosed;
  }

  drained(): Promise<void> {
    return this.#stream.drained();
  }

  end(): void {
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.reset(ERROR.internal);
  }
}
