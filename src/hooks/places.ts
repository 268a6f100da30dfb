/**
 * Where webhooks are: the connections to each place, and the head of the requests for each URL.
 *
 * @module
 */
import { posix } from "node:path";
import { createSecureContext } from "node:tls";
import { BoundedCache } from "../util/bounded-cache.ts";
import { withoutTrailing } from "../util/scan.ts";
import { Connections } from "./connections.ts";

/** Where a webhook is. */
export interface HookAddress {
  /** `https://HOST[:PORT]/PATH[?QUERY]`: where to connect. */
  readonly url: string;
  /** The name in its certificate, where it differs from the host of the URL. */
  readonly serverName?: string;
  /** The authorities of its certificate, PEM; those that this machine trusts by default. */
  readonly ca?: string;
}

/** What follows from a URL. */
interface Target {
  /** The host and the port. */
  readonly authority: string;
  readonly host: string;
  readonly port: number;
  /** The head of a request up to its length. */
  readonly head: string;
}

const HTTPS_PORT = 443;
/** The URLs that are remembered. */
const TARGETS = { entries: 1000, bytes: 1 << 20, weigh: ({ head }: Target) => 2 * head.length };
/** As long as the longest record of TLS and more. */
const BUFFER_BYTES = 64 << 10;

/** See the head of this file. */
export class Places {
  readonly #targets = new BoundedCache<Target>(TARGETS);
  /** The connections by the authorities of certificates, for few texts that are long, and then by host, port and name. */
  readonly #connections = new Map<string, Map<string, Connections>>();
  #buffer: Buffer | undefined = undefined;

  /** The connections to an address, and the head of a request up to its length. */
  of(address: HookAddress): { readonly connections: Connections; readonly head: string } {
    const target = this.#targetOf(address.url);
    return { connections: this.#connectionsOf(target, address), head: target.head };
  }

  /** Closes all connections; requests fail with the error. */
  close(error: Error): void {
    for (const places of this.#connections.values()) for (const one of places.values()) one.close(error);
  }

  #targetOf(url: string): Target {
    let target = this.#targets.get(url);
    if (!target) this.#targets.set(url, (target = targetOf(url)));
    return target;
  }

  #connectionsOf({ authority, host, port }: Target, { serverName, ca }: HookAddress): Connections {
    const authorities = ca ?? "";
    const key = `${authority} ${serverName}`;
    const places = this.#connections.get(authorities) ?? new Map<string, Connections>();
    let connections = places.get(key);
    if (!connections) {
      // Trust a configured certificate also when it is an intermediate one.
      const context = createSecureContext({ ...(ca === undefined ? {} : { ca }), allowPartialTrustChain: true });
      connections = new Connections({ host, port, serverName, context }, (this.#buffer ??= newBuffer()), () => {
        places.delete(key);
        if (places.size === 0) this.#connections.delete(authorities);
      });
      places.set(key, connections);
      this.#connections.set(authorities, places);
    }
    return connections;
  }
}

const newBuffer = (): Buffer => Buffer.allocUnsafeSlow(BUFFER_BYTES);

function targetOf(url: string): Target {
  const { host: authority, hostname, port, pathname, search } = new URL(url);
  const head = [
    `POST ${tidy(pathname)}${search} HTTP/1.1`,
    `Host: ${authority}`,
    "Content-Type: application/json",
    "Accept: application/json",
    "Content-Length: ",
  ].join("\r\n");
  // A URL puts an IPv6 address in brackets; a socket takes it without them.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return { authority, host, port: port === "" ? HTTPS_PORT : Number(port), head };
}

/** Removes double slashes and the one at the end: a server in Go would respond with a redirect. */
const tidy = (path: string): string => withoutTrailing(posix.normalize(path), "/") || "/";
