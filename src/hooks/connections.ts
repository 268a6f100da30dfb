/**
 * The connections to one server, which are kept for later requests: the one that was used last is used first.
 *
 * A request is sent once: without a response it is not known what the webhook has done.
 *
 * @module
 */
import type { Client, Dispatcher } from "undici";
import type { Loop } from "../util/loop.ts";
import { ShortLivedSet } from "../util/short-lived.ts";
import { BoundedBuffer } from "./bounded-buffer.ts";
import { Connection, type ConnectionUser, type Peer } from "./connection.ts";
import { tooLong } from "./response.ts";

/** The maximum number of connections to one server; further requests wait. */
const MAX_CONNECTIONS = 32;
const OK = 200;
const SWITCHING_PROTOCOLS = 101;
/** The maximum number of interim responses, such as 103, before the final one. */
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

  /** Fails the request. */
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
    // A webhook that responds without reading the requests would make all further ones wait in memory.
    if (connection.isDrained) this.#connections.freed(connection);
    else
      this.#connections.remove(connection, new Error("expected a webhook that reads the request before it responds"));
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

/** The parts of connections. */
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

  /** @param emptied called when there is no connection any more */
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

  /** Begins a request on a new connection, or adds it to the queue. */
  begin(request: SentRequest): void {
    if (this.#all.size < MAX_CONNECTIONS) request.begin(this.#open(), false);
    else this.#waiting.add(request);
  }

  /** Removes a request from the queue. */
  forget(request: SentRequest): void {
    this.#waiting.delete(request);
  }

  /** Handles the end of a request on a connection. */
  freed(connection: Connection): void {
    const next = this.#next();
    if (next) next.begin(connection, true);
    else this.#free.push(connection);
  }

  /** Opens a connection again that has a request. */
  closed(connection: Connection): void {
    if (this.#free.includes(connection)) this.remove(connection, new Error("the connection was closed"));
  }

  /** Closes a connection; its request fails with the error. */
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

  /** Opens connections for waiting requests; later, so that those that time out in this pass are already removed. */
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
