/**
 * The connections to one place, which are kept for the next request: the one that was used last is used first.
 *
 * @module
 */
import { ShortLivedSet } from "../util/short-lived.ts";
import { Connection, type ConnectionUser, type Exchange, type Peer } from "./connection.ts";

/** Connections to one place at a time; further requests wait. */
const MAX_CONNECTIONS = 32;

/** A request that is sent, or waits for a connection. */
export class SentRequest implements Exchange {
  readonly text: string;
  readonly maxBytes: number;
  /** The body of the response. */
  readonly response: Promise<Buffer>;
  connection: Connection | undefined = undefined;
  readonly #connections: Connections;
  readonly #settle: Pick<PromiseWithResolvers<Buffer>, "resolve" | "reject">;
  #isResent = false;

  constructor(connections: Connections, text: string, maxBytes: number) {
    const { promise, ...settle } = Promise.withResolvers<Buffer>();
    this.text = text;
    this.maxBytes = maxBytes;
    this.response = promise;
    this.#connections = connections;
    this.#settle = settle;
  }

  /** Gives the request up. */
  end(error: Error): void {
    if (this.connection) this.connection.end(error);
    else this.#connections.forget(this, error);
  }

  succeed(body: Buffer): void {
    this.connection = undefined;
    this.#settle.resolve(body);
  }

  /** Sends the request once more where the webhook has closed a kept connection before it could read it. */
  fail(error: Error, wasUnread: boolean): void {
    this.connection = undefined;
    if (!wasUnread || this.#isResent) return this.#settle.reject(error);
    this.#isResent = true;
    this.#connections.begin(this, true);
  }
}

/** See the head of this file. */
export class Connections implements ConnectionUser {
  session: Buffer | undefined = undefined;
  readonly #peer: Peer;
  readonly #buffer: Buffer;
  readonly #emptied: () => void;
  readonly #all = new Set<Connection>();
  #free: Connection[] = [];
  readonly #waiting = new ShortLivedSet<SentRequest>();

  /**
   * @param buffer what bytes are read into
   * @param emptied is called when there is no connection any more
   */
  constructor(peer: Peer, buffer: Buffer, emptied: () => void) {
    this.#peer = peer;
    this.#buffer = buffer;
    this.#emptied = emptied;
  }

  /** Sends a request with a response of at most `maxBytes`. */
  send(text: string, maxBytes: number): SentRequest {
    const request = new SentRequest(this, text, maxBytes);
    this.begin(request);
    return request;
  }

  /** Begins a request on a connection, on a new one where that `isFresh`, or lets it wait for one. */
  begin(request: SentRequest, isFresh = false): void {
    const kept = isFresh ? undefined : this.#free.pop();
    if (kept) return run(request, kept);
    if (this.#all.size >= MAX_CONNECTIONS) return this.#waiting.add(request);
    try {
      const connection = new Connection(this.#peer, this.#buffer, this);
      this.#all.add(connection);
      run(request, connection);
    } catch (error) {
      request.fail(error as Error, false);
    }
  }

  /** A request does not wait any more. */
  forget(request: SentRequest, error: Error): void {
    if (this.#waiting.delete(request)) request.fail(error, false);
  }

  /** A connection has no request. */
  freed(connection: Connection): void {
    const next = this.#next();
    if (next) run(next, connection);
    else this.#free.push(connection);
  }

  /** A connection cannot be used any more. */
  closed(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    this.#free = this.#free.filter((one) => one !== connection);
    const next = this.#next();
    if (next) this.begin(next);
    if (this.#all.size === 0) this.#emptied();
  }

  /** Closes all connections; requests fail with the error. */
  close(error: Error): void {
    for (const request of this.#waiting) this.forget(request, error);
    for (const connection of this.#all) connection.end(error);
  }

  #next(): SentRequest | undefined {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    return next;
  }
}

function run(request: SentRequest, connection: Connection): void {
  request.connection = connection;
  connection.begin(request);
}
