import type { Status } from "../meta/status.ts";
import { pauseCount } from "../util/activity.ts";
import { type Clock, sleep, systemClock } from "../util/clock.ts";
import { JsonNumber } from "../value/value.ts";
import { linesOf, readAll } from "./bodies.ts";
import { StatusError, failureOf } from "./errors.ts";
import { findKind } from "./find-kind.ts";
import type { ApiObject, Kind, KindName, ObjectIn, Scope, ScopeIn, ServedKind, UntypedObject } from "./kind.ts";
import type { Event, WriteListener } from "./queries.ts";
import type { RequestOptions, Requests } from "./requests.ts";
import { ResourceClient } from "./resource-client.ts";
import type { Transport, TransportResponse, TransportRequest } from "./transport.ts";

/** A server in the same process. */
export interface LocalServer {
  /** Calls `listener` after each change of the served kinds. */
  onKindsChange(listener: () => void): Disposable;
  /** Every kind in every version, in the order of discovery; without it discovery is read. */
  readonly kinds?: () => readonly ServedKind[];
}

/** The options of a client. */
export interface ClientOptions {
  readonly userAgent: string;
  readonly token?: string;
  /** The clock for retries; the system clock by default. */
  readonly clock?: Clock;
  /** The server, if it is in the same process. */
  readonly local?: LocalServer | undefined;
  /** Called before and after every write. */
  readonly writes?: WriteListener;
  /** Reads the JSON of responses; `JSON.parse` by default, which rounds integers beyond 2^53. */
  readonly parse?: (text: string) => unknown;
}

/** The options that a derived client replaces. */
export interface DerivedOptions extends Partial<Omit<ClientOptions, "token">> {
  /** Wraps the transport. */
  readonly through?: (transport: Transport) => Transport;
}

/** A document with an entity tag. */
export interface Document<T> {
  readonly value: T;
  /** Empty without one. */
  readonly etag: string;
}

const JSON_TYPE = "application/json";
const MAX_ATTEMPTS = 6;

/**
 * A typed client: the verbs of a resource over a {@link Transport}.
 *
 *     const client = new Client(transport, { userAgent: "my-controller/1.0" });
 *     const configMaps = client.resource(ConfigMap);
 *     const { items } = await configMaps.list({ namespace: "default", labelSelector: "app=web" });
 *
 * A kind determines the path, the scope and the type of the objects. Requests with the response 429 and Retry-After are
 * retried five times; no others are.
 */
export class Client implements Requests {
  readonly #transport: Transport;
  readonly #options: ClientOptions;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** Returns the verbs of a kind. */
  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S>;
  /** Returns the verbs of one of several kinds, with their common type. */
  resource<K extends Kind>(kind: K): ResourceClient<ObjectIn<K>, ScopeIn<K>>;
  /**
   * Returns the verbs of a kind by its apiVersion and name, from discovery.
   *
   * @throws UnknownKindError where the server does not have it
   */
  resource(name: KindName): Promise<ResourceClient<UntypedObject>>;
  resource(kind: Kind | KindName): ResourceClient | Promise<ResourceClient<UntypedObject>> {
    if ("plural" in kind) return new ResourceClient(this, kind);
    return findKind(this, kind).then((found) => new ResourceClient(this, found));
  }

  /** Returns a client of the same server with other options. */
  with({ through, ...options }: DerivedOptions): Client {
    const transport = through?.(this.#transport) ?? this.#transport;
    return new Client(transport, { ...this.#options, ...options });
  }

  /**
   * The server, if it is in the same process: its watches need no silence detection, and it notifies of changed kinds.
   */
  get local(): LocalServer | undefined {
    return this.#options.local;
  }

  /** The clock for retries and {@link ResourceClient.waitFor}. */
  get clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  /** The observer of writes. */
  get writes(): WriteListener | undefined {
    return this.#options.writes;
  }

  /** Sends a request and returns the JSON of the response. @throws StatusError for anything but success */
  async json<T>(method: TransportRequest["method"], path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.#send(method, path, options);
    const { parse = JSON.parse } = this.#options;
    return parse(await readAll(response.body)) as T;
  }

  /**
   * Reads a document with its entity tag; undefined where the tag is unchanged.
   *
   * @param etag the last {@link Document.etag}
   */
  async document<T>(
    path: string,
    accept: string,
    { etag = "", signal }: { readonly etag?: string; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Document<T> | undefined> {
    const response = await this.#send("GET", path, { accept, signal }, etag === "" ? {} : { "if-none-match": etag });
    const text = await readAll(response.body);
    if (response.status === 304) return undefined;
    return { value: JSON.parse(text) as T, etag: String(response.headers?.["etag"] ?? "") };
  }

  /** Opens a watch and yields its events until the server ends it. @throws StatusError for an ERROR event */
  async *events<T>(path: string, options: RequestOptions = {}): AsyncGenerator<Event<T>> {
    const response = await this.#send("GET", path, options);
    options.opened?.();
    const request = { method: "GET", path: path.replace(/\?.*/s, "") };
    for await (const line of linesOf(response.body)) {
      const event = JSON.parse(line) as { type: string; object: unknown };
      if (event.type === "ERROR") throw new StatusError(event.object as Status, { request });
      yield event as Event<T>;
    }
  }

  async #send(
    method: TransportRequest["method"],
    path: string,
    { body, type = JSON_TYPE, accept = JSON_TYPE, signal }: RequestOptions,
    more: TransportRequest["headers"] = {},
  ): Promise<TransportResponse> {
    const { userAgent, token } = this.#options;
    const printed = JsonNumber.printed;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const isOwnJson = text !== body && JsonNumber.printed === printed;
    const request: TransportRequest = {
      method,
      path,
      headers: {
        accept,
        "user-agent": userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": type }),
        ...more,
      },
      ...(text === undefined ? {} : { body: text, isOwnJson }),
      ...(signal === undefined ? {} : { signal }),
    };
    for (let left = MAX_ATTEMPTS - 1; ; left--) {
      const response = await this.#transport(request);
      if (response.status < 300 || response.status === 304) return response;
      const failure = await readAll(response.body);
      const wait = left > 0 ? retryAfter(response) : undefined;
      if (wait === undefined) throw failureOf(response.status, failure, { method, path: path.replace(/\?.*/s, "") });
      {
        using _parked = pauseCount();
        await sleep(this.clock, wait, signal);
      }
      signal?.throwIfAborted();
    }
  }
}

/** Returns the Retry-After of a busy server in milliseconds; undefined without one. */
function retryAfter({ status, headers }: TransportResponse): number | undefined {
  const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
  return status === 429 && seconds >= 0 ? seconds * 1000 : undefined;
}
