/**
 * What transports over sockets share.
 *
 * @module
 */

/** No answer came: nobody listens, the certificate is not trusted, or the connection broke. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** The address of a server, with the path that is put before every other. @throws TransportError */
export function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol === "https:" || base?.protocol === "http:") return base;
  throw new TransportError(`expected the address of a server such as https://127.0.0.1:6443, got ${url}`);
}

/** What went wrong, also where several addresses of one name were tried in vain. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError) return (error.errors as Error[]).map(({ message }) => message).join("; ");
  return error.message || (error.code ?? "unknown");
}
