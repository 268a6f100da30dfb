import type { Listener, ServerHandle, TlsOptions } from "../../server/index.ts";
import { isAny } from "../certificates/certificates.ts";
import { tryPort } from "../../cli/try-port.ts";
import { OptionError } from "../options/error.ts";
import type { ServeOptions } from "../options/options.ts";
import type { ServerParts } from "./server-parts.ts";
import { codeOf } from "../../util/error.ts";

/** Opens the port of a server and sets its address. @throws OptionError for a port that cannot be opened */
export async function listen(server: ServerHandle, parts: ServerParts): Promise<Listener> {
  const { bind, port, insecureHttp } = parts.options;
  const tls = insecureHttp ? {} : { tls: tlsOf(parts) };
  try {
    const listener = await server.listen({ host: bind, port, ...tls });
    parts.address.url = `${insecureHttp ? "http" : "https"}://${isAny(bind) ? "127.0.0.1" : urlHost(bind)}:${listener.port}`;
    return listener;
  } catch (error) {
    throw listenError(codeOf(error), bind, port) ?? error;
  }
}

/** Tries the port of a first start, which then creates no data directory that the next start would find. @throws OptionError as {@link listen} */
export async function checkPort({ bind, port }: Pick<ServeOptions, "bind" | "port">): Promise<void> {
  if (port === 0) return;
  const error = listenError(await tryPort(bind, port), bind, port);
  if (error) throw error;
}

/** The error for the code of an error of listening; undefined for codes that are not known. */
function listenError(code: string | undefined, bind: string, port: number): OptionError | undefined {
  const why = LISTEN_ERRORS[code ?? ""];
  return why && new OptionError(why(bind, port));
}

/** Returns the certificates of the port: its own, and the CAs of clients. */
export const tlsOf = ({ pki: { server, ca }, authentication: { clientCa, proxyCa } }: ServerParts): TlsOptions => ({
  key: server.key,
  cert: server.cert,
  clientCa: ca.cert + clientCa,
  ...(proxyCa === "" ? {} : { proxyCa }),
});

const LISTEN_ERRORS: Readonly<Record<string, (bind: string, port: number) => string>> = {
  EADDRINUSE: (bind, port) =>
    `expected port ${port} of ${bind} to be free, another process listens on it; choose another one with --port, 0 for any`,
  EACCES: (bind, port) => `expected permission to listen on port ${port} of ${bind}`,
  EADDRNOTAVAIL: (bind) => `expected --bind to be an address of this machine, got ${bind}`,
  ENOTFOUND: (bind) => `expected --bind to be an address or a known name, got ${bind}`,
};

/** Returns the host of a URL for an address to listen on. */
export const urlHost = (bind: string): string => (bind.includes(":") ? `[${bind}]` : bind);
