/** Parts of all transports over sockets. */

/** There was no response: the server does not listen, its certificate is not trusted, or the connection broke. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** Returns the base URL of a server. @throws TransportError for an invalid one */
export function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol === "https:" || base?.protocol === "http:") return base;
  throw new TransportError(`expected the address of a server such as https://127.0.0.1:6443, got ${url}`);
}

/** Returns the message of an error, also where several addresses of a name failed. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError) return (error.errors as Error[]).map(({ message }) => message).join("; ");
  return error.message || (error.code ?? "unknown");
}
