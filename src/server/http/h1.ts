/**
 * Exchanges over HTTP/1.1: plain, or on a TLS listener for clients that do not speak HTTP/2.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connection, Identity } from "../../auth/contract.ts";
import type { BodyListener } from "../../http2/index.ts";
import { attempt } from "../../util/attempt.ts";
import { drained } from "../request/drained.ts";
import type { Exchange, OutHeaders, OutStream, Transport } from "../request/exchange.ts";
import { lengthOf } from "../request/exchange.ts";
import type { Peer } from "./guard.ts";
import { linesOf } from "./header-lines.ts";
import { originForm } from "./target.ts";
import type { BodyReservation } from "../shared/body-memory.ts";
import { type BodySource, readBody } from "../body/read-body.ts";

/** An {@link Exchange} on one HTTP/1.1 request. */
export class H1Exchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly connection: Connection;
  readonly hasBody: boolean;
  responded = false;
  #isAskedFor = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #peer: Peer;
  readonly #transport: Transport;

  /** @param response one that has a listener for errors, as `request` has */
  constructor(request: IncomingMessage, response: ServerResponse, peer: Peer, transport: Transport) {
    this.#request = request;
    this.#response = response;
    this.#peer = peer;
    this.#transport = transport;
    this.connection = peer.connection;
    this.method = request.method ?? "GET";
    this.url = originForm(request.url ?? "/");
    const { headers } = request;
    this.hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  header(name: string): string {
    const value = this.#request.headers[name];
    return value === undefined ? "" : typeof value === "string" ? value : value.join(", ");
  }

  lines(name: string): readonly string[] {
    return linesOf(this.#request.rawHeaders, name);
  }

  hasHeaders(prefix: string): boolean {
    for (const name in this.#request.headers) if (name.startsWith(prefix)) return true;
    return false;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#request.headers);
  }

  readBody(limit: number, memory?: BodyReservation): Promise<Uint8Array> {
    if (!this.hasBody) return Promise.resolve(new Uint8Array(0));
    const { expect, "content-length": length } = this.#request.headers;
    const announced = length === undefined ? -1 : Number(length);
    // The client sends the body only when it is asked for it: of a request that was refused before, it is not needed (RFC 9110 10.1.1).
    if (expect !== undefined && announced <= limit && !this.responded) this.#askForBody();
    return readBody(new RequestBody(this.#request, this.#response), { limit, announced, memory });
  }

  /** Asks for the body. Node would write that behind responses that are still waiting, so the request waits for them. */
  #askForBody(): void {
    this.#isAskedFor = true;
    this.#inTurn((response) => response.writeContinue());
  }

  /** Runs work when all earlier requests of the connection have their responses; at once where they have. */
  #inTurn(work: (response: ServerResponse) => void): void {
    const response = this.#response;
    if (response.socket) work(response);
    else response.once("socket", () => work(response));
  }

  respond(code: number, headers: OutHeaders, body?: Uint8Array | readonly Uint8Array[]): void {
    if (this.responded) return;
    this.responded = true;
    if (this.#isAskedFor) this.#inTurn(() => this.#send(code, headers, body));
    else this.#send(code, headers, body);
  }

  #send(code: number, headers: OutHeaders, body: Uint8Array | readonly Uint8Array[] | undefined): void {
    this.#deliver((response) => {
      if (code !== 304) headers["content-length"] = lengthOf(body);
      response.writeHead(code, headers);
      if (body === undefined || body instanceof Uint8Array) {
        response.end(body);
        return;
      }
      response.cork();
      for (const piece of body) response.write(piece);
      response.end();
    });
  }

  stream(code: number, headers: OutHeaders): OutStream {
    if (!this.responded) {
      this.responded = true;
      this.#deliver((response) => {
        response.writeHead(code, headers);
        response.flushHeaders();
      });
    }
    return new H1OutStream(this.#response, this);
  }

  /** Sends a response unless the client has left; one that cannot be sent ends the connection. */
  #deliver(send: (response: ServerResponse) => void): void {
    const response = this.#response;
    if (response.destroyed || response.headersSent) return;
    this.#closeWhenUnread();
    try {
      send(response);
    } catch (error) {
      this.#transport.onFault(error);
      this.destroy();
    }
  }

  destroy(): void {
    this.responded = true;
    this.#request.socket.destroy();
  }

  onOver(listener: () => void): void {
    const notify = (): void => void attempt(listener, this.#transport.onFault);
    if (this.#response.closed) queueMicrotask(notify);
    else this.#response.once("close", notify);
  }

  closeAfterResponse(): void {
    this.#response.shouldKeepAlive = false;
  }

  trust(owner: Identity): void {
    this.#peer.guarded.trust(owner);
  }

  /** The rest of an unread body would be read as the next request; the connection ends instead. */
  #closeWhenUnread(): void {
    if (this.hasBody && !this.#request.complete) this.#response.shouldKeepAlive = false;
  }
}

/** The body of a request: its socket is paused while it is not read. */
class RequestBody implements BodySource {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #listener: BodyListener | undefined = undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
  }

  open(listener: BodyListener): void {
    const broken = (): void => listener.broken();
    this.#listener = listener;
    this.#request.on("aborted", broken).on("error", broken).on("close", broken);
    // A request that got its response early does not emit its end.
    this.#response.once("close", broken);
  }

  start(): void {
    const listener = this.#listener;
    if (!listener) return;
    // The end of an empty body was emitted before there was a listener.
    if (this.#request.readableEnded) listener.end();
    else if (this.#request.destroyed) listener.broken();
    else this.#request.on("data", (piece: Buffer) => listener.data(piece)).on("end", () => listener.end());
  }

  allow(): void {}

  pause(): void {
    this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }
}

class H1OutStream implements OutStream {
  onClose: (() => void) | undefined = undefined;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, exchange: Pick<Exchange, "onOver">) {
    this.#response = response;
    // The request closes as soon as its body is read; only the close of the response counts.
    exchange.onOver(() => this.onClose?.());
  }

  write(bytes: Uint8Array, taken?: () => void): boolean {
    if (this.closed) return false;
    return taken ? this.#response.write(bytes, taken) : this.#response.write(bytes);
  }

  get buffered(): number {
    return this.#response.writableLength;
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  drained(): Promise<void> {
    return this.closed ? Promise.resolve() : drained(this.#response);
  }

  end(): void {
    if (!this.closed) this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}
