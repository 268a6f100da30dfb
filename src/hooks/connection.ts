/**
 * One TLS connection to a webhook: one request at a time, and its response.
 *
 * The HTTP client of Node makes a dozen objects and streams for each request and takes three times the CPU of this one, which is
 * most of what a webhook costs a write. All connections read into one buffer, and a request is written in one piece.
 *
 * @module
 */
import { type OnReadOpts, isIP } from "node:net";
import { type ConnectionOptions, type SecureContext, type TLSSocket, connect } from "node:tls";
import { codeOf } from "../util/error.ts";
import { ResponseReader } from "./response-reader.ts";

/** Where to connect. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  /** The name in its certificate, where that is not the host. */
  readonly serverName: string | undefined;
  /** The authorities of its certificate. */
  readonly context: SecureContext;
}

/** A request, and what it is told: the body of the response, or why there is none. */
export interface Exchange {
  /** The request with its head. */
  readonly text: string;
  /** The longest body of the response. */
  readonly maxBytes: number;
  succeed(body: Buffer): void;
  /** @param wasUnread whether the other side has closed a kept connection, as it seems before it read the request */
  fail(error: Error, wasUnread: boolean): void;
}

/** Who uses a connection. */
export interface ConnectionUser {
  /** A session of TLS, with which the next connection opens in less time. */
  session: Buffer | undefined;
  freed(connection: Connection): void;
  /** It may be told more than once. */
  closed(connection: Connection): void;
}

/** An unused connection is closed after this time. */
const IDLE_MILLIS = 60_000;
/** A connection is closed so long before the other side does it. */
const MARGIN_MILLIS = 1000;

/** Says that the other side has closed the connection; the code is the one of a connection that was reset. */
class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";
  readonly code = "ECONNRESET";

  constructor() {
    super("expected an answer, the connection was closed before its end");
  }
}

/** See the head of this file. */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #user: ConnectionUser;
  #isOpen = false;
  #isUsed = false;
  #exchange: Exchange | undefined = undefined;
  #reader = new ResponseReader(0);
  #idleMillis = IDLE_MILLIS;

  /** @param buffer what bytes are read into; all of them are taken out of it before others come */
  constructor({ host, port, serverName, context }: Peer, buffer: Buffer, user: ConnectionUser) {
    this.#user = user;
    const name = serverName ?? host;
    const callback = (length: number): boolean => {
      this.#read(buffer.subarray(0, length));
      return true;
    };
    const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
      host,
      port,
      secureContext: context,
      ...(user.session ? { session: user.session } : {}),
      // An address has no place in the extension of TLS.
      ...(isIP(name) === 0 ? { servername: name } : {}),
      ALPNProtocols: ["http/1.1"],
      timeout: IDLE_MILLIS,
      onread: { buffer, callback },
    };
    this.#socket = connect(options).setNoDelay(true);
    // The certificate is verified by now, and nothing was sent before.
    this.#socket.on("secureConnect", () => this.#open());
    this.#socket.on("session", (session) => (user.session = session));
    this.#socket.on("timeout", () => this.#exchange ?? this.end(new ConnectionClosed()));
    this.#socket.on("end", () => this.#readEnd());
    this.#socket.on("error", (error) => this.end(error));
    this.#socket.on("close", () => this.end(new ConnectionClosed()));
  }

  /** Sends a request; until it has succeeded or failed, no other one may begin. */
  begin(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#reader = new ResponseReader(exchange.maxBytes);
    if (!this.#isOpen) return;
    this.#socket.ref();
    this.#socket.write(exchange.text);
  }

  /** Closes the connection; a request that runs fails with the error. */
  end(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (!this.#isOpen) this.#user.session = undefined;
    this.#socket.destroy();
    exchange?.fail(error, this.#isUsed && this.#reader.isEmpty && codeOf(error) === "ECONNRESET");
    // A request that is sent once more has its next connection by now.
    this.#user.closed(this);
  }

  #open(): void {
    this.#isOpen = true;
    if (this.#exchange) this.#socket.write(this.#exchange.text);
  }

  #read(bytes: Buffer): void {
    if (!this.#exchange) return this.end(new Error("expected nothing without a request, got bytes"));
    try {
      if (this.#reader.read(bytes)) this.#succeed(this.#exchange);
    } catch (error) {
      this.end(error as Error);
    }
  }

  #readEnd(): void {
    if (this.#exchange && this.#reader.end()) this.#succeed(this.#exchange);
    else this.end(new ConnectionClosed());
  }

  #succeed(exchange: Exchange): void {
    const body = this.#reader.body();
    this.#exchange = undefined;
    this.#isUsed = true;
    if (this.#reader.isKept) this.#keep(this.#reader.keptMillis);
    else this.end(new ConnectionClosed());
    exchange.succeed(body);
  }

  /** The next request may begin, unless the other side is about to close the connection. */
  #keep(millis = IDLE_MILLIS + MARGIN_MILLIS): void {
    const idleMillis = Math.min(IDLE_MILLIS, millis - MARGIN_MILLIS);
    if (idleMillis <= 0) return this.end(new ConnectionClosed());
    if (idleMillis !== this.#idleMillis) this.#socket.setTimeout((this.#idleMillis = idleMillis));
    this.#socket.unref();
    this.#user.freed(this);
  }
}
