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

/** The body of an answer, read once: piece by piece as it comes, or as a whole. */
export interface AnswerBody extends AsyncIterable<Uint8Array> {
  /** The whole of it as text; there where that costs less than its pieces. */
  readonly text?: () => Promise<string>;
}

/** An answer. The body must be read to its end or the request aborted. */
export interface TransportAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: AnswerBody;
}

/** Sends requests. Rejects when no answer came. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;
