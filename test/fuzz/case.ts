/**
 * What is sent, as JSON, so that it can be kept and sent again.
 *
 * @module
 */

/** A request that a client library sends. */
export interface RequestCase {
  readonly as: "request";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** base64; none for a request without a body. */
  readonly body?: string;
}

/** A request for people: what can be read is. */
export function show({ method, path, headers, body = "" }: RequestCase): string {
  const length = Buffer.byteLength(body, "base64");
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${length} bytes`;
}
