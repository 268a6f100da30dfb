/**
 * What is sent: a request, or bytes on a connection; as JSON, so that it can be kept and sent again.
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

/** Bytes on a connection of their own, written piece by piece. */
export interface BytesCase {
  readonly as: "h1" | "h2";
  /** base64 */
  readonly pieces: readonly string[];
}

/** One of them. */
export type Case = RequestCase | BytesCase;

/** The bytes of a case for people: what can be read is. */
export function show(sent: Case): string {
  if (sent.as === "request") {
    const body = Buffer.from(sent.body ?? "", "base64");
    return `${sent.method} ${sent.path.slice(0, 300)} ${JSON.stringify(sent.headers).slice(0, 300)} ${body.length} bytes`;
  }
  const bytes = Buffer.concat(sent.pieces.map((piece) => Buffer.from(piece, "base64")));
  return `${sent.as} ${JSON.stringify(bytes.toString("latin1").slice(0, 300))} ${bytes.length} bytes`;
}
