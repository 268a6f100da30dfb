/**
 * A transport over sockets: HTTP/1.1, with TLS or without, one pool of connections per transport.
 *
 * @module
 */
import type http from "node:http";
import type https from "node:https";
import type { Duplex } from "node:stream";
import type nodeTls from "node:tls";
import { TransportError, baseOf, reasonOf } from "./transport-base.ts";
import {
  type ProxyTls,
  proxyAuthorization,
  proxyFor,
  proxyUrl,
  proxyRequestOptions,
  tunnelTo,
} from "./transport-proxy.ts";
import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

// Not by their faces as ES modules: to import `node:http` so reads every name that it has, and loads a whole client (undici)
// behind some of them, some 40 ms of CPU to load.
const nodeHttp: Pick<typeof http, "Agent" | "request"> = process.getBuiltinModule("node:http");
const nodeHttps: Pick<typeof https, "Agent" | "request"> = process.getBuiltinModule("node:https");

export { TransportError } from "./transport-base.ts";

/** Where a server is and how to prove who asks. Certificates and keys are PEM texts. */
export interface NodeTransportOptions {
  /** Base address, `https://127.0.0.1:6443`; a path is put before every request's own. */
  readonly url: string;
  /** The authorities that may vouch for the server. Default: those of the machine. */
  readonly ca?: string | undefined;
  /** The client's certificate, with its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** A bearer token, sent where the request does not bring a credential of its own. */
  readonly token?: string | undefined;
  /** Sent with every request that does not bring a header of that name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The name to expect in the server's certificate. Default: the host of the address. */
  readonly serverName?: string | undefined;
  /** Accept any certificate of the server. Default false. */
  readonly insecure?: boolean | undefined;
  /**
   * The address of a proxy of http or https; empty for none. Default: what the environment of the process says, `HTTPS_PROXY`,
   * `HTTP_PROXY` and `NO_PROXY`, by the rules of clients in Go.
   */
  readonly proxy?: string | undefined;
}

/** A transport that holds connections until it is closed. */
export interface NodeTransport extends Transport {
  /** Ends the connections that no request uses. */
  close(): void;
}

/** A transport to the server at `options.url`. @throws TransportError when that, or the proxy, is no address of HTTP */
export function nodeTransport(options: NodeTransportOptions): NodeTransport {
  const base = baseOf(options.url);
  const secure = base.protocol === "https:";
  const { serverName, token, headers: more } = options;
  const tls = tlsOf(options);
  const proxy = proxyOf(options, base);
  const agent = secure
    ? new nodeHttps.Agent({ keepAlive: true, ...tls, ...(serverName === undefined ? {} : { servername: serverName }) })
    : new (proxy?.protocol === "https:" ? nodeHttps : nodeHttp).Agent({ keepAlive: true });
  if (proxy && secure) routeThrough(proxy, agent, tls, authorityOf(base));
  // What is not encrypted is sent to the proxy itself, with the whole address.
  const forward = proxy && !secure ? { ...proxyRequestOptions(proxy, tls), auth: null } : undefined;
  const always = { ...headersOf(token, more), ...(forward && proxy ? proxyAuthorization(proxy) : {}) };
  const { request: begin } = (forward?.protocol ?? base.protocol) === "https:" ? nodeHttps : nodeHttp;
  const prefix = base.pathname.replace(/\/$/, "");
  const send = (request: TransportRequest): Promise<TransportAnswer> => {
    const { method, path, headers, body, signal } = request;
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const url = new URL(prefix + path, base);
    const outgoing = begin(url, {
      method,
      agent,
      ...(forward === undefined
        ? {}
        : { ...forward, hostname: forward.host, path: `${base.origin}${url.pathname}${url.search}` }),
      headers: { ...(forward && { host: base.host }), ...always, ...headers, ...length },
      ...(signal === undefined ? {} : { signal }),
    });
    return answerOf(outgoing, body, `${base.origin} to ${method} ${path.split("?")[0]}`);
  };
  return Object.assign(send, { close: () => agent.destroy() });
}

/** What certificates count, and which one is shown. */
export const tlsOf = ({ ca, cert, key, insecure }: NodeTransportOptions): ProxyTls => ({
  rejectUnauthorized: insecure !== true,
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
});

/** The proxy on the way to a server; undefined for none. @throws TransportError where it is none of HTTP */
export function proxyOf({ proxy }: NodeTransportOptions, base: URL): URL | undefined {
  const address = proxy ?? proxyFor(base, process.env) ?? "";
  return address === "" ? undefined : proxyUrl(address);
}

/** The host of a server with its port. */
export const authorityOf = ({ hostname, port }: URL): string => `${hostname}:${port || 443}`;

/** Has the connections of an agent lead through a proxy. */
function routeThrough(proxy: URL, agent: http.Agent, tls: ProxyTls, authority: string): void {
  const connect: Pick<typeof nodeTls, "connect">["connect"] = process.getBuiltinModule("node:tls").connect;
  agent.createConnection = (options, callback) => {
    const opened = tunnelTo(authority, proxy, tls).then((socket): Duplex =>
      connect({ ...options, socket } as nodeTls.ConnectionOptions),
    );
    opened.then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
}

/** What is sent with every request, by names in lower case. */
export function headersOf(
  token: string | undefined,
  headers: NodeTransportOptions["headers"] = {},
): Record<string, string | string[]> {
  const named = Object.entries(headers).map(([name, value]) => {
    return [name.toLowerCase(), typeof value === "string" ? value : [...value]] as const;
  });
  return { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...Object.fromEntries(named) };
}

function answerOf(outgoing: http.ClientRequest, body: string | undefined, asked: string): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => {
    outgoing.on("response", (incoming) => {
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.name === "AbortError") reject(error);
      else reject(new TransportError(`no answer from ${asked}: ${reasonOf(error)}`, { cause: error }));
    });
    outgoing.end(body);
  });
}
