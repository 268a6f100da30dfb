/** The interface between the verbs of a resource and the client that sends them. */
import type { Clock } from "../util/clock.ts";
import type { Event, WriteListener } from "./queries.ts";
import type { TransportRequest } from "./transport.ts";

/** The options of a request. */
export interface RequestOptions {
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  /** Media type of the body, `application/json` by default. */
  readonly type?: string;
  /** The accepted media types, `application/json` by default. */
  readonly accept?: string;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the response of a watch has begun. */
  readonly opened?: (() => void) | undefined;
}

/** Sends requests and reads responses. */
export interface Requests {
  /** The clock for waits. */
  readonly clock: Clock;
  /** The observer of writes. */
  readonly writes: WriteListener | undefined;
  /** Sends a request and returns the JSON of the response. @throws StatusError for anything but success */
  json<T>(method: TransportRequest["method"], path: string, options?: RequestOptions): Promise<T>;
  /** Opens a watch and yields its events until the server ends it. @throws StatusError for an ERROR event */
  events<T>(path: string, options?: RequestOptions): AsyncGenerator<Event<T>>;
}
