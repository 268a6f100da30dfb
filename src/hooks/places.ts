/**
 * The addresses of webhooks: the connections to each server, and the path of the requests for each URL.
 *
 * @module
 */
import { posix } from "node:path";
import { createSecureContext } from "node:tls";
import { BoundedCache } from "../util/bounded-cache.ts";
import { withoutTrailing } from "../util/scan.ts";
import type { Peer } from "./connection.ts";
import type { HookAddress } from "./contract.ts";
import { type ConnectionParts, Connections, type SentRequest } from "./connections.ts";

/** The parsed parts of a URL. */
interface Target extends Pick<Peer, "origin" | "host" | "port"> {
  readonly path: string;
}

const HTTPS_PORT = 443;
/** The maximum number of cached URLs. */
const TARGETS = { entries: 1000, bytes: 1 << 20, weigh: ({ path }: Target) => 2 * path.length };
const HEADERS = { "content-type": "application/json", accept: "application/json" };

/** A JSON text, and additional headers of its request. */
interface HookBody {
  readonly body: string;
  /** By their lower-case names. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** See the head of this file. */
export class Places {
  readonly #targets = new BoundedCache<Target>(TARGETS);
  /** The connections by the authorities of certificates, which are few long texts, and then by host, port and name. */
  #closed: Error | undefined = undefined;
  readonly #connections = new Map<string, Map<string, Connections>>();

  /** Sends a JSON text to an address; the response has at most `maxBytes`. */
  send(parts: ConnectionParts, address: HookAddress, { body, headers }: HookBody, maxBytes: number): SentRequest {
    if (this.#closed) throw this.#closed;
    const target = this.#targetOf(address.url);
    const request = {
      method: "POST",
      path: target.path,
      headers: headers ? { ...HEADERS, ...headers } : HEADERS,
      body,
    } as const;
    return this.#connectionsOf(parts, target, address).send(request, maxBytes);
  }

  /** Closes all connections; running and later requests fail with the error. */
  close(error: Error): void {
    this.#closed = error;
    for (const places of this.#connections.values()) for (const one of places.values()) one.close(error);
  }

  #targetOf(url: string): Target {
    let target = this.#targets.get(url);
    if (!target) this.#targets.set(url, (target = targetOf(url)));
    return target;
  }

  #connectionsOf(parts: ConnectionParts, { origin, host, port }: Target, { serverName, ca }: HookAddress): Connections {
    const authorities = ca ?? "";
    const key = `${origin} ${serverName}`;
    const places = this.#connections.get(authorities) ?? new Map<string, Connections>();
    let connections = places.get(key);
    if (!connections) {
      // Trust a configured certificate also when it is an intermediate one.
      const context = createSecureContext({ ...(ca === undefined ? {} : { ca }), allowPartialTrustChain: true });
      connections = new Connections(parts, { origin, host, port, serverName, context }, () => {
        // The callback may be called more than once, and the map may have a new entry by then.
        if (places.get(key) !== connections) return;
        places.delete(key);
        if (places.size === 0) this.#connections.delete(authorities);
      });
      places.set(key, connections);
      this.#connections.set(authorities, places);
    }
    return connections;
  }
}

function targetOf(url: string): Target {
  const { origin, hostname, port, pathname, search } = new URL(url);
  // A URL has an IPv6 address in brackets; a socket needs it without them.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return { origin, host, port: port === "" ? HTTPS_PORT : Number(port), path: tidy(pathname) + search };
}

/** Removes double slashes and the one at the end: a server in Go would respond with a redirect. */
const tidy = (path: string): string => withoutTrailing(posix.normalize(path), "/") || "/";
