/**
 * The port of a server.
 *
 * @module
 */
import type { Listener, ServerHandle, TlsOptions } from "../../server/index.ts";
import { isAny } from "../certificates/certificates.ts";
import { OptionError } from "../options/error.ts";
import type { ServerParts } from "./server-parts.ts";

/** Opens the port; from now on the server has an address. @throws OptionError for one that cannot be opened */
export async function listen(server: ServerHandle, parts: ServerParts): Promise<Listener> {
  const { bind, port, insecureHttp } = parts.options;
  const tls = insecureHttp ? {} : { tls: tlsOf(parts) };
  try {
    const listener = await server.listen({ host: bind, port, ...tls });
    parts.address.url = `${insecureHttp ? "http" : "https"}://${reachable(bind)}:${listener.port}`;
    return listener;
  } catch (error) {
    const why = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ""];
    throw why ? new OptionError(why(bind, port)) : error;
  }
}

/** What the port shows and asks of its clients. */
export const tlsOf = ({ pki: { server, ca }, authentication: { clientCa, proxyCa } }: ServerParts): TlsOptions => ({
  key: server.key,
  cert: server.cert,
  clientCa: ca.cert + clientCa,
  ...(proxyCa === "" ? {} : { proxyCa }),
});

const LISTEN_ERRORS: Readonly<Record<string, (bind: string, port: number) => string>> = {
  EADDRINUSE: (bind, port) => `expected port ${port} of ${bind} to be free, another process listens there`,
  EACCES: (bind, port) => `expected to be allowed to listen on port ${port} of ${bind}`,
  EADDRNOTAVAIL: (bind) => `expected --bind to be an address of this machine, got ${bind}`,
  ENOTFOUND: (bind) => `expected --bind to be an address or a known name, got ${bind}`,
};

/** How this machine reaches an address to listen on. */
function reachable(bind: string): string {
  if (isAny(bind)) return "127.0.0.1";
  return bind.includes(":") ? `[${bind}]` : bind;
}
