/**
 * The connections to one place, which are kept for the next request: the one that was used last is used first.
 *
 * A request is sent once: nobody knows what a webhook has done that has not answered.
 *
 * @module
 */
import type { Client, Dispatcher } from "undici";
import type { Loop } from "../util/loop.ts";
import { ShortLivedSet } from "../util/short-lived.ts";
import { Connection, type ConnectionUser, type Peer } from "./connection.ts";
import { tooLong } from "./response.ts";

/** Connections to one place at a time; further requests wait. */
const MAX_CONNECTIONS = 32;
const OK = 200;

/** A request that is sent, or waits for a connection. */
export class SentRequest implements Dispatcher.DispatchHandler {
  readonly options: Dispatcher.DispatchOptions;
  /** The body of the response; rejects where there is none with the status 200 and of at most `maxBytes`. */
  readonly response: Promise<Buffer>;
  connection: Connection | undefined = undefined;
  readonly #maxBytes: number;
  readonly #connections: Connections;
  readonly #settle: Pick<PromiseWithResolvers<Buffer>, "resolve" | "reject">;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(connections: Connections, options: Dispatcher.DispatchOptions, maxBytes: number) {
    const { promise, ...settle } = Promise.withResolvers<Buffer>();
    this.options = options;
    this.response = promise;
    this.#maxBytes = maxBytes;
    this.#connections = connections;
    this.#settle = settle;
  }

  /** Gives the request up. */
  end(error: Error): void {
    const { connection } = this;
    this.connection = undefined;
    this.#settle.reject(error);
    if (connection) this.#connections.remove(connection, error);
    else this.#connections.forget(this);
  }

  onRequestStart(): void {}

  /** Interim responses, such as 103, come before. */
  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    if (status >= OK && status !== OK) this.end(new Error(`expected the status 200, got ${status}`));
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) return this.end(tooLong(this.#maxBytes, "an answer"));
    this.#parts.push(part);
  }

  onResponseEnd(): void {
    const { connection } = this;
    this.connection = undefined;
    const [first] = this.#parts;
    this.#settle.resolve(first && this.#parts.length === 1 ? first : Buffer.concat(this.#parts));
    if (connection) this.#connections.freed(connection);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }
}

/** What connections are made with. */
export interface ConnectionParts extends Pick<Loop, "later"> {
  readonly undici: typeof Client;
}

/** See the head of this file. */
export class Connections implements ConnectionUser {
  session: Buffer | undefined = undefined;
  readonly #undici: typeof Client;
  readonly #peer: Peer;
  readonly #later: Loop["later"];
  readonly #emptied: () => void;
  readonly #all = new Set<Connection>();
  #free: Connection[] = [];
  readonly #waiting = new ShortLivedSet<SentRequest>();

  /** @param emptied is called when there is no connection any more */
  constructor({ undici, later }: ConnectionParts, peer: Peer, emptied: () => void) {
    this.#undici = undici;
    this.#later = later;
    this.#peer = peer;
    this.#emptied = emptied;
  }

  /** Sends a request with a response of at most `maxBytes`. */
  send(options: Dispatcher.DispatchOptions, maxBytes: number): SentRequest {
    const request = new SentRequest(this, options, maxBytes);
    const free = this.#free.pop();
    if (free) begin(request, free);
    else if (this.#all.size < MAX_CONNECTIONS) begin(request, this.#open());
    else this.#waiting.add(request);
    return request;
  }

  /** A request does not wait any more. */
  forget(request: SentRequest): void {
    this.#waiting.delete(request);
  }

  /** A connection has no request any more. */
  freed(connection: Connection): void {
    const next = this.#next();
    if (next) begin(next, connection);
    else this.#free.push(connection);
  }

  /** A connection that has a request opens again. */
  closed(connection: Connection): void {
    if (this.#free.includes(connection)) this.remove(connection, new Error("the connection was closed"));
  }

  /** Closes a connection; a request that it has fails with the error. */
  remove(connection: Connection, error: Error): void {
    if (!this.#all.delete(connection)) return;
    connection.close(error);
    this.#free = this.#free.filter((one) => one !== connection);
    this.#later(() => this.#replace());
  }

  /** Closes all connections; requests fail with the error. */
  close(error: Error): void {
    for (const request of this.#waiting) request.end(error);
    for (const connection of this.#all) this.remove(connection, error);
  }

  /** Opens connections for requests that wait: after those have ended whose time is over as well. */
  #replace(): void {
    while (this.#all.size < MAX_CONNECTIONS) {
      const next = this.#next();
      if (!next) break;
      begin(next, this.#open());
    }
    if (this.#all.size === 0) this.#emptied();
  }

  #open(): Connection {
    const connection = new Connection(this.#undici, this.#peer, this);
    this.#all.add(connection);
    return connection;
  }

  #next(): SentRequest | undefined {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    return next;
  }
}

function begin(request: SentRequest, connection: Connection): void {
  request.connection = connection;
  connection.send(request.options, request);
}
