/**
 * A typed client: the verbs of a resource over a {@link Transport}.
 *
 *     const client = new Client(transport, { userAgent: "my-controller/1.0" });
 *     const configMaps = client.resource(ConfigMap);
 *     const { items } = await configMaps.list({ namespace: "default", labelSelector: "app=web" });
 *
 * A kind says everything: path, scope and the type of the objects. Requests that the server is too busy for (429 with
 * Retry-After) are sent again, five times at most; nothing else is.
 *
 * @module
 */
import type { Status } from "../meta/status.ts";
import { parked } from "../util/activity.ts";
import { type Clock, sleep, systemClock } from "../util/clock.ts";
import { linesOf, readAll } from "./bodies.ts";
import { StatusError, failureOf } from "./errors.ts";
import { findKind } from "./find-kind.ts";
import type { ApiObject, Kind, KindName, ObjectIn, Scope, ScopeIn, ServedKind, UntypedObject } from "./kind.ts";
import type { Event, WriteListener } from "./queries.ts";
import type { RequestOptions, Requests } from "./requests.ts";
import { ResourceClient } from "./resource-client.ts";
import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

/** A server in the same process, as far as it can be asked without a request. */
export interface LocalServer {
  /** Calls `listener` whenever a kind has come, changed or gone. */
  onKindsChange(listener: () => void): Disposable;
  /** Every kind in every version, in the order of discovery; where it does not tell, discovery does. */
  readonly kinds?: () => readonly ServedKind[];
}

/** What a client is told. */
export interface ClientOptions {
  readonly userAgent: string;
  /** A bearer token. */
  readonly token?: string;
  /** For the waits between tries; the machine's by default. */
  readonly clock?: Clock;
  /** The server, where it is in this process. */
  readonly local?: LocalServer | undefined;
  /** Hears of every write, before and after. */
  readonly writes?: WriteListener;
}

/** What a derived client has of its own; the rest is as with the one that it comes from. */
export interface DerivedOptions extends Partial<Omit<ClientOptions, "token">> {
  /** Puts something between the client and its transport. */
  readonly through?: (transport: Transport) => Transport;
}

/** A document that a server serves with an entity tag. */
export interface Document<T> {
  readonly value: T;
  /** Empty where the server gave none. */
  readonly etag: string;
}

const JSON_TYPE = "application/json";
const MAX_ATTEMPTS = 6;

/** Talks to one server. */
export class Client implements Requests {
  readonly #transport: Transport;
  readonly #options: ClientOptions;

  constructor(transport: Transport, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  /** The verbs of the objects of a kind. */
  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S>;
  /** The verbs of the objects of one of several kinds: what all of them have in common is known. */
  resource<K extends Kind>(kind: K): ResourceClient<ObjectIn<K>, ScopeIn<K>>;
  /**
   * The verbs of the objects of a kind of which only the names are known; the server is asked where they are.
   *
   * @throws Error when the server has no such kind
   */
  resource(name: KindName): Promise<ResourceClient<UntypedObject>>;
  resource(kind: Kind | KindName): ResourceClient | Promise<ResourceClient<UntypedObject>> {
    if ("plural" in kind) return new ResourceClient(this, kind);
    return findKind(this, kind).then((found) => new ResourceClient(this, found));
  }

  /** A client to the same server, with other options. */
  with({ through, ...options }: DerivedOptions): Client {
    const transport = through?.(this.#transport) ?? this.#transport;
    return new Client(transport, { ...this.#options, ...options });
  }

  /** The server, where it is in this process: its watches do not fall silent unnoticed, and it tells when kinds change. */
  get local(): LocalServer | undefined {
    return this.#options.local;
  }

  /** For the waits between tries, and of {@link ResourceClient.waitFor}. */
  get clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  /** Who hears of writes. */
  get writes(): WriteListener | undefined {
    return this.#options.writes;
  }

  /** Sends a request and returns the answer's JSON; throws a {@link StatusError} for anything but success. */
  async json<T>(method: TransportRequest["method"], path: string, options: RequestOptions = {}): Promise<T> {
    const answer = await this.#send(method, path, options);
    return JSON.parse(await readAll(answer.body)) as T;
  }

  /**
   * A document and its entity tag; undefined while it still has the tag that was given.
   *
   * @param etag what {@link Document.etag} was the last time
   */
  async document<T>(
    path: string,
    accept: string,
    { etag = "", signal }: { readonly etag?: string; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Document<T> | undefined> {
    const answer = await this.#send("GET", path, { accept, signal }, etag === "" ? {} : { "if-none-match": etag });
    const text = await readAll(answer.body);
    if (answer.status === 304) return undefined;
    return { value: JSON.parse(text) as T, etag: String(answer.headers?.["etag"] ?? "") };
  }

  /** Opens a watch and yields its events; ends when the server ends it. Throws a {@link StatusError} for an ERROR event. */
  async *events<T>(path: string, options: RequestOptions = {}): AsyncGenerator<Event<T>> {
    const answer = await this.#send("GET", path, options);
    options.opened?.();
    const asked = { method: "GET", path: path.split("?")[0]! };
    for await (const line of linesOf(answer.body)) {
      const event = JSON.parse(line) as { type: string; object: unknown };
      if (event.type === "ERROR") throw new StatusError(event.object as Status, { asked });
      yield event as Event<T>;
    }
  }

  /** The answer of a request that succeeded. */
  async #send(
    method: TransportRequest["method"],
    path: string,
    { body, type = JSON_TYPE, accept = JSON_TYPE, signal }: RequestOptions,
    more: TransportRequest["headers"] = {},
  ): Promise<TransportAnswer> {
    const { userAgent, token } = this.#options;
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
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    for (let left = MAX_ATTEMPTS - 1; ; left--) {
      const answer = await this.#transport(request);
      if (answer.status < 300 || answer.status === 304) return answer;
      const text = await readAll(answer.body);
      const wait = left > 0 ? retryAfter(answer) : undefined;
      if (wait === undefined) throw failureOf(answer.status, text, { method, path: path.split("?")[0]! });
      {
        using _parked = parked();
        await sleep(this.clock, wait, signal);
      }
      signal?.throwIfAborted();
    }
  }
}

/** Milliseconds after which a server that is too busy wants to be asked again; undefined where it does not say. */
function retryAfter({ status, headers }: TransportAnswer): number | undefined {
  const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
  return status === 429 && seconds >= 0 ? seconds * 1000 : undefined;
}
