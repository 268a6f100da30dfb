/**
 * How a client reaches a server: one request, one answer whose body may go on for hours.
 *
 * The client knows only this; whether a socket is behind it or the server of the same process is the transport's affair.
 *
 * @module
 */

/** A request. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request, also while its body is read. */
  readonly signal?: AbortSignal;
}

/** An answer. The body must be read to its end or the request aborted. */
export interface TransportAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests. Rejects when no answer came. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;
