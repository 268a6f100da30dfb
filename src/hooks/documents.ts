/**
 * Reads documents of other servers over HTTPS. It does not follow redirects: every status other than 200 is an error, as are
 * a body that is too long and one that is late.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Clock } from "../util/clock.ts";
import { readBody, withTimeout } from "./response.ts";

/** How a document is requested. */
export interface DocumentOptions {
  /** The authorities of the server's certificate, PEM; those that this machine trusts by default. */
  readonly ca?: string | undefined;
  /** The bearer token of the request. */
  readonly token?: string | undefined;
}

/** Reads documents. */
export interface Documents {
  get(url: string, options: DocumentOptions): Promise<string>;
  /** Ends the connections. */
  close(): void;
}

const MAX_BYTES = 1 << 20;
const TIMEOUT_MS = 10_000;
const MAX_SOCKETS = 4;

/** Reads documents over HTTPS, each within 10 s and of at most one mebibyte. */
export function openDocuments({ clock }: { readonly clock: Clock }): Documents {
  const agent = new Agent({ maxSockets: MAX_SOCKETS });
  return {
    get: (url, options) =>
      withTimeout(clock, TIMEOUT_MS, `a response of ${url}`, async (signal) => {
        const response = await send(url, options, agent, signal);
        if (response.statusCode !== 200) {
          response.destroy();
          throw new Error(`expected the status 200 of ${url}, got ${response.statusCode}`);
        }
        return (await readBody(response, MAX_BYTES, `a response of ${url}`)).toString();
      }),
    close: () => agent.destroy(),
  };
}

function send(url: string, options: DocumentOptions, agent: Agent, signal: AbortSignal): Promise<IncomingMessage> {
  const { ca, token } = options;
  const headers = {
    accept: "application/json, application/jwt",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, signal, headers, ...(ca === undefined ? {} : { ca }) }, resolve);
    sent.on("error", reject).end();
  });
}
