/** The transport of a client: it sends a request and returns a response, over a socket or in the same process. */

/** A request as a transport sends it. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Whether `JSON.stringify` has made the body, of doubles alone: it has no member twice. A server in the same process spares
   * itself the checks of its bytes.
   */
  readonly isOwnJson?: boolean;
  /** Aborts the request, also while its body is read. */
  readonly signal?: AbortSignal;
}

/** The body of a response, to be read once: in pieces, or as a whole. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** The whole body as text; present where that is cheaper. */
  readonly text?: () => Promise<string>;
}

/** A response. Its body must be read to the end, or the request aborted. */
export interface TransportResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: ResponseBody;
}

/** Sends a request; rejects without a response. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
