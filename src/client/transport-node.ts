/** A transport over HTTP/1.1, with or without TLS, with a pool of connections. */
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
import type { Transport, TransportResponse, TransportRequest } from "./transport.ts";

// An import of `node:http` would load all its exports, some of which load another client (undici): 40 ms of CPU.
const nodeHttp: Pick<typeof http, "Agent" | "request"> = process.getBuiltinModule("node:http");
const nodeHttps: Pick<typeof https, "Agent" | "request"> = process.getBuiltinModule("node:https");

export { TransportError } from "./transport-base.ts";

/** A server and the credentials for it. Certificates and keys are in PEM. */
export interface NodeTransportOptions {
  /** The base URL, `https://127.0.0.1:6443`; its path precedes that of every request. */
  readonly url: string;
  /** The trusted authorities. Default: those of the system. */
  readonly ca?: string | undefined;
  /** The client certificate; it needs a key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** A bearer token for requests without a credential. */
  readonly token?: string | undefined;
  /** Default headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** The expected name in the certificate of the server. Default: the host of the URL. */
  readonly serverName?: string | undefined;
  /** Whether any server certificate is accepted. Default false. */
  readonly insecure?: boolean | undefined;
  /**
   * The URL of an HTTP or HTTPS proxy; empty for none. Default: from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, by the
   * rules of Go clients.
   */
  readonly proxy?: string | undefined;
}

/** A transport with connections. */
export interface NodeTransport extends Transport {
  /** Closes idle connections. */
  close(): void;
}

/** Returns a transport for `options.url`. @throws TransportError where that, or the proxy, is no HTTP URL */
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
  // Plain HTTP goes to the proxy with the whole URL.
  const forward = proxy && !secure ? { ...proxyRequestOptions(proxy, tls), auth: null } : undefined;
  const always = { ...headersOf(token, more), ...(forward && proxy ? proxyAuthorization(proxy) : {}) };
  const { request: begin } = (forward?.protocol ?? base.protocol) === "https:" ? nodeHttps : nodeHttp;
  const prefix = base.pathname.replace(/\/$/, "");
  const send = (request: TransportRequest): Promise<TransportResponse> => {
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
    return responseOf(outgoing, body, `${base.origin} to ${method} ${path.split("?")[0]}`);
  };
  return Object.assign(send, { close: () => agent.destroy() });
}

/** The TLS options. */
export const tlsOf = ({ ca, cert, key, insecure }: NodeTransportOptions): ProxyTls => ({
  rejectUnauthorized: insecure !== true,
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
});

/** Returns the proxy for a server; undefined for none. @throws TransportError for an unsupported one */
export function proxyOf({ proxy }: NodeTransportOptions, base: URL): URL | undefined {
  const address = proxy ?? proxyFor(base, process.env) ?? "";
  return address === "" ? undefined : proxyUrl(address);
}

/** Returns host and port. */
export const authorityOf = ({ hostname, port }: URL): string => `${hostname}:${port || 443}`;

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

/** The default headers by lower-case name. */
export function headersOf(
  token: string | undefined,
  headers: NodeTransportOptions["headers"] = {},
): Record<string, string | string[]> {
  const named = Object.entries(headers).map(([name, value]) => {
    return [name.toLowerCase(), typeof value === "string" ? value : [...value]] as const;
  });
  return { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...Object.fromEntries(named) };
}

function responseOf(
  outgoing: http.ClientRequest,
  body: TransportRequest["body"],
  asked: string,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    outgoing.on("response", (incoming) => {
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.name === "AbortError") reject(error);
      else reject(new TransportError(`no response from ${asked}: ${reasonOf(error)}`, { cause: error }));
    });
    outgoing.end(body);
  });
}
