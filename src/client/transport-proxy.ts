/**
 * Chooses the proxy for a server and opens tunnels, by the rules of Go clients, so that the environment of kubectl works here.
 *
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy
 */
import type http from "node:http";
import type https from "node:https";
import type nodeNet from "node:net";
import type { Socket } from "node:net";
import { domainToASCII } from "node:url";
import { TransportError, reasonOf } from "./transport-base.ts";

// Loaded only with a proxy.
const net = (): Pick<typeof nodeNet, "BlockList" | "isIP"> => process.getBuiltinModule("node:net");
const requestOf = (protocol: string): typeof http.request | typeof https.request =>
  process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http").request;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy of an environment for a URL; undefined for none.
 *
 * `HTTPS_PROXY` is for https and `HTTP_PROXY` for http, also in lower case; the default scheme of a proxy is http.
 * Loopback addresses have no proxy, nor those in `NO_PROXY`: names with subdomains, `.names` with subdomains only,
 * addresses, CIDRs, each but the last with an optional port, or `*`.
 *
 * @throws TransportError for `HTTP_PROXY` in a CGI program, where a client may have set it
 */
export function proxyFor({ protocol, hostname, port }: URL, env: Env): string | undefined {
  const isSecure = protocol === "https:";
  const proxy = envOf(env, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy === "") return undefined;
  if (!isSecure && (env["REQUEST_METHOD"] ?? "") !== "") {
    throw new TransportError("expected no HTTP_PROXY in a CGI program: a request may have set it");
  }
  const host = hostOf(hostname);
  if (isLoopback(host) || isExcluded(host, port || (isSecure ? "443" : "80"), envOf(env, "NO_PROXY"))) return undefined;
  const address = /^(?:https?|socks5h?):/i.test(proxy) ? proxy : `http://${proxy}`;
  return parsed(address) && address;
}

/** Returns a URL; undefined where it, or its user, is invalid. */
function parsed(address: string): URL | undefined {
  try {
    const url = new URL(address);
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return undefined;
  }
}

const envOf = (env: Env, name: string): string => env[name] || env[name.toLowerCase()] || "";

/** Returns a host without brackets. */
export const hostOf = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

const familyOf = (host: string): "ipv4" | "ipv6" => (net().isIP(host) === 6 ? "ipv6" : "ipv4");

function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  if (net().isIP(host) === 0) return false;
  const machine = new (net().BlockList)();
  machine.addSubnet("127.0.0.0", 8);
  machine.addAddress("::1", "ipv6");
  return machine.check(host, familyOf(host));
}

const isExcluded = (host: string, port: string, list: string): boolean =>
  list.split(",").some((entry) => matches(entry.trim().toLowerCase(), host, port));

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const { isIP, BlockList } = net();
  const isAddress = isIP(host) !== 0;
  const [base = "", bits = ""] = entry.split("/");
  if (isIP(base) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(base) === 6 ? 128 : 32)) {
    const range = new BlockList();
    range.addSubnet(base, Number(bits), familyOf(base));
    return isAddress && range.check(host, familyOf(host));
  }
  const [name, only] = splitPort(entry);
  if (name === "" || (only !== "" && only !== port)) return false;
  if (isIP(name) !== 0) {
    const one = new BlockList();
    one.addAddress(name, familyOf(name));
    return isAddress && one.check(host, familyOf(host));
  }
  const ending = name.startsWith("*.") ? name.slice(1) : name;
  const ascii = domainToASCII(ending) || ending;
  return ascii.startsWith(".") ? host.endsWith(ascii) : host === ascii || host.endsWith(`.${ascii}`);
}

/** `name:80`, `[::1]:80`; an IPv6 address without brackets has no port. */
function splitPort(entry: string): [name: string, port: string] {
  const bracket = entry.startsWith("[") ? entry.indexOf("]:") : -1;
  if (bracket > 0) return [entry.slice(1, bracket), entry.slice(bracket + 2)];
  const colon = entry.indexOf(":");
  return colon >= 0 && colon === entry.lastIndexOf(":") ? [entry.slice(0, colon), entry.slice(colon + 1)] : [entry, ""];
}

/** Returns the URL of a proxy. @throws TransportError where it is not HTTP or HTTPS */
export function proxyUrl(proxy: string): URL {
  const url = parsed(proxy);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new TransportError(
    `expected the address of a proxy such as http://proxy.example:3128 (http or https; SOCKS is not supported), got ${url ? `${url.protocol}//${url.host}` : proxy.slice(proxy.lastIndexOf("@") + 1)}`,
  );
}

/** The timeout of a CONNECT in ms. */
const CONNECT_TIMEOUT_MS = 60_000;

/** The TLS options of an HTTPS proxy, which are those of the server. */
export interface ProxyTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

/** The request options of a proxy. */
export function proxyRequestOptions(proxy: URL, tls: ProxyTls): https.RequestOptions {
  const secure = proxy.protocol === "https:";
  const host = hostOf(proxy.hostname);
  return {
    protocol: proxy.protocol,
    host,
    port: Number(proxy.port || (secure ? 443 : 80)),
    ...(secure ? { ...tls, servername: net().isIP(host) === 0 ? host : "" } : {}),
  };
}

/** The header with the user of a proxy, if it has one. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/**
 * Opens a tunnel through a proxy to `authority`, a host with its port (CONNECT, RFC 9110, 9.3.6).
 *
 * @throws TransportError where the proxy does not respond within a minute, or refuses
 */
export function tunnelTo(authority: string, proxy: URL, tls: ProxyTls, signal?: AbortSignal): Promise<Socket> {
  const asking = requestOf(proxy.protocol)({
    ...proxyRequestOptions(proxy, tls),
    method: "CONNECT",
    path: authority,
    agent: false,
    timeout: CONNECT_TIMEOUT_MS,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    ...(signal === undefined ? {} : { signal }),
  });
  const fail = (why: string, cause?: unknown): TransportError =>
    new TransportError(`expected the proxy ${proxy.host} to lead to ${authority}: ${why}`, { cause });
  return new Promise((resolve, reject) => {
    asking.once("connect", ({ statusCode, statusMessage }, socket: Socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        reject(fail(`it responded ${statusCode} ${statusMessage}`.trim()));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket.setTimeout(0));
    });
    asking.once("timeout", () => asking.destroy(new Error(`no response within ${CONNECT_TIMEOUT_MS / 1000} s`)));
    asking.once("error", (error) => reject(fail(reasonOf(error), error)));
    asking.end();
  });
}
