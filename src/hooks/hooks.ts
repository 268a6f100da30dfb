/**
 * Calls of webhooks: one JSON request, one JSON response, over HTTPS.
 *
 * A webhook is not trusted. These are errors that say what was expected and what was found: a certificate of an unknown
 * authority, a redirect, a status other than 200, a response that is too long, late, or not JSON. Conversion and admission
 * build on this room; it does not know what a request contains.
 *
 * @module
 */
import { Agent, type RequestOptions, request } from "node:https";
import type { IncomingMessage } from "node:http";
import { posix } from "node:path";
import { codeOf } from "../util/error.ts";
import { inSlices } from "../util/steps.ts";
import { withoutTrailing } from "../util/scan.ts";
import { decodeJsonSteps } from "../value/json.ts";
import type { Value } from "../value/value.ts";
import type { Clock } from "../util/clock.ts";
import { readBody, withTimeout } from "./response.ts";

/** Where a webhook is. */
export interface HookAddress {
  /** `https://HOST[:PORT]/PATH[?QUERY]`: where to connect. */
  readonly url: string;
  /** The name in its certificate, where it differs from the host of the URL. */
  readonly serverName?: string;
  /** The authorities of its certificate, PEM; those that this machine trusts by default. */
  readonly ca?: string;
}

/** Calls webhooks. */
export interface Hooks {
  /**
   * Sends a JSON text and resolves to the JSON value of the response. Rejects when there is no valid one within `millis`, and
   * with the reason of the signal when that is aborted before.
   */
  call(address: HookAddress, body: string | Uint8Array, millis: number, signal?: AbortSignal): Promise<Value>;
  /** Ends the connections. */
  close(): void;
}

/** Connections to one webhook at a time; further requests wait. */
const MAX_SOCKETS = 32;
/** An unused connection is closed after this time. */
const IDLE_MILLIS = 60_000;
/** A response may be twice as long as its request, and this much longer: it is decoded in few slices of the event loop. */
const EXTRA_BYTES = 1 << 20;

/** Calls webhooks over HTTPS; connections are kept for the next request. */
export function openHooks({ clock }: { readonly clock: Clock }): Hooks {
  const settings = {
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    maxFreeSockets: MAX_SOCKETS,
    timeout: IDLE_MILLIS,
    scheduling: "lifo",
  } as const;
  let agent: Agent | undefined;
  return {
    call(address, text, millis, outer) {
      const body = Buffer.from(text as Uint8Array);
      const work = async (signal: AbortSignal): Promise<Value> => {
        const options = optionsOf(address, (agent ??= new Agent(settings)), body.length);
        const response = await send(options, body, signal);
        if (response.statusCode !== 200) {
          response.destroy();
          throw new Error(`expected the status 200, got ${response.statusCode}`);
        }
        const bytes = await readBody(response, 2 * body.length + EXTRA_BYTES, "an answer");
        return (await inSlices(decodeJsonSteps(bytes), clock.loop.slice())).value;
      };
      return withTimeout(clock, millis, "an answer", work, outer);
    },
    close: () => agent?.destroy(),
  };
}

function optionsOf({ url, serverName, ca }: HookAddress, agent: Agent, length: number): RequestOptions {
  const { hostname, port, pathname, search } = new URL(url);
  // A URL puts an IPv6 address in brackets; a socket takes it without them.
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return {
    method: "POST",
    host,
    port: port === "" ? 443 : Number(port),
    path: tidy(pathname) + search,
    agent,
    // Trust a configured certificate also when it is an intermediate one.
    allowPartialTrustChain: true,
    headers: { "content-type": "application/json", "content-length": length, accept: "application/json" },
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** Removes double slashes and the one at the end: a server in Go would respond with a redirect. */
const tidy = (path: string): string => withoutTrailing(posix.normalize(path), "/") || "/";

/** A body of at most this length is sent in one piece with the head, which saves a copy and a packet. */
const MAX_SHORT_BODY = 64 << 10;

/** Sends a request; once more where the webhook has closed a kept connection before it could read the request. */
function send(options: RequestOptions, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  let hasBegun = false;
  const sent = request(options, (response) => {
    hasBegun = true;
    resolve(response);
  });
  // The signal belongs to this call, so that nothing has to be removed from it. A request that waits for a connection tells no
  // error when it is destroyed.
  signal.addEventListener("abort", () => {
    sent.destroy(signal.reason as Error);
    reject(signal.reason as Error);
  });
  sent.on("error", (error) => {
    const isStale = !hasBegun && sent.reusedSocket && codeOf(error) === "ECONNRESET" && !signal.aborted;
    if (isStale) send(options, body, signal).then(resolve, reject);
    else reject(error);
  });
  if (body.length <= MAX_SHORT_BODY) sent.end(body.toString("latin1"), "latin1");
  else sent.end(body);
  return promise;
}
