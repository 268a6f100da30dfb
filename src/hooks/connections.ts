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
import { BoundedBuffer } from "./bounded-buffer.ts";
import { Connection, type ConnectionUser, type Peer } from "./connection.ts";
import { tooLong } from "./response.ts";

/** Connections to one place at a time; further requests wait. */
const MAX_CONNECTIONS = 32;
const OK = 200;
const SWITCHING_PROTOCOLS = 101;
/** Interim responses, such as 103, before the one that counts. */
const MAX_INTERIM = 16;

/** A request that is sent, or waits for a connection. */
export class SentRequest implements Dispatcher.DispatchHandler {
  readonly options: Dispatcher.DispatchOptions;
  /** The body of the response; rejects where there is none with the status 200 and of at most `maxBytes`. */
  readonly response: Promise<Buffer>;
  readonly #connections: Connections;
  readonly #settle: Pick<PromiseWithResolvers<Buffer>, "resolve" | "reject">;
  readonly #body: BoundedBuffer;
  #connection: Connection | undefined = undefined;
  /** Whether its connection was open before it. */
  #isKept = false;
  /** Whether a part of it may have been sent. */
  #hasBegun = false;
  #interim = 0;

  constructor(connections: Connections, options: Dispatcher.DispatchOptions, maxBytes: number) {
    const { promise, ...settle } = Promise.withResolvers<Buffer>();
    this.options = options;
    this.response = promise;
    this.#body = new BoundedBuffer(maxBytes);
    this.#connections = connections;
    this.#settle = settle;
  }

  begin(connection: Connection, isKept: boolean): void {
    this.#connection = connection;
    this.#isKept = isKept;
    connection.send(this.options, this);
  }

  /** Gives the request up. */
  end(error: Error): void {
    this.#settle.reject(error);
    this.#release(error);
  }

  onRequestStart(): void {
    this.#hasBegun = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    if (status === OK) return;
    const isInterim = status < OK && status !== SWITCHING_PROTOCOLS && ++this.#interim <= MAX_INTERIM;
    if (!isInterim) this.end(new Error(`expected the status 200, got ${status}`));
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    if (!this.#body.add(part)) this.end(tooLong(this.#body.maxBytes, "a response"));
  }

  onResponseEnd(): void {
    this.#settle.resolve(this.#body.bytes());
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    // Who answers without having read the request would have all further ones wait in memory.
    if (connection.isDrained) this.#connections.freed(connection);
    else this.#connections.remove(connection, new Error("expected a webhook that reads the request before it answers"));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#hasBegun || !this.#isKept || !this.#connection) return this.end(error);
    // The webhook had closed the kept connection before.
    this.#release(error);
    this.#connections.begin(this);
  }

  #release(error: Error): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#connections.remove(connection, error);
    else this.#connections.forget(this);
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
    const kept = this.#free.pop();
    if (kept) request.begin(kept, true);
    else this.begin(request);
    return request;
  }

  /** Begins a request on a new connection, or lets it wait for one. */
  begin(request: SentRequest): void {
    if (this.#all.size < MAX_CONNECTIONS) request.begin(this.#open(), false);
    else this.#waiting.add(request);
  }

  /** A request does not wait any more. */
  forget(request: SentRequest): void {
    this.#waiting.delete(request);
  }

  /** A connection has no request any more. */
  freed(connection: Connection): void {
    const next = this.#next();
    if (next) next.begin(connection, true);
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

  /** Opens connections for requests that wait; later, so that those whose time ends in this pass are gone. */
  #replace(): void {
    while (this.#all.size < MAX_CONNECTIONS) {
      const next = this.#next();
      if (!next) break;
      this.begin(next);
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
