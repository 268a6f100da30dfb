/**
 * What a client can send: the seam between the verbs of a resource and the client that sends them.
 *
 * @module
 */
import type { Clock } from "../util/clock.ts";
import type { Event, WriteListener } from "./queries.ts";
import type { TransportRequest } from "./transport.ts";

/** What a request carries beside its path. */
export interface RequestOptions {
  /** A text is sent as it is, all else as JSON. */
  readonly body?: unknown;
  /** Media type of the body, `application/json` by default. */
  readonly type?: string;
  /** Media types of the answer, `application/json` by default. */
  readonly accept?: string;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the answer of a watch has begun. */
  readonly opened?: (() => void) | undefined;
}

/** Sends requests and reads their answers. */
export interface Requests {
  /** For the waits of what is sent. */
  readonly clock: Clock;
  /** Who hears of writes. */
  readonly writes: WriteListener | undefined;
  /** Sends a request and returns the answer's JSON; throws a StatusError for anything but success. */
  json<T>(method: TransportRequest["method"], path: string, options?: RequestOptions): Promise<T>;
  /** Opens a watch and yields its events; ends when the server ends it. Throws a StatusError for an ERROR event. */
  events<T>(path: string, options?: RequestOptions): AsyncGenerator<Event<T>>;
}
