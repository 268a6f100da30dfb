/**
 * Reads documents of other people over HTTPS. What is not whole, not in time or not what was asked for is a failure:
 * another status than 200, so that no redirect is followed, and an answer that is too long.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Clock } from "../util/clock.ts";

/** How a document is asked for. */
export interface DocumentOptions {
  /** Who must have signed the certificate of its server, PEM; whoever this machine trusts where it is missing. */
  readonly ca?: string | undefined;
  /** The bearer token that is sent. */
  readonly token?: string | undefined;
}

/** Reads documents. */
export interface Documents {
  get(url: string, options: DocumentOptions): Promise<string>;
  /** Ends the connections. */
  close(): void;
}

const MOST_BYTES = 1 << 20;
const PATIENCE_MS = 10_000;
const MOST_SOCKETS = 4;

/** Reads documents over HTTPS; each within 10 s, and a mebibyte long at most. */
export function openDocuments({ clock }: { readonly clock: Clock }): Documents {
  const agent = new Agent({ maxSockets: MOST_SOCKETS });
  return {
    async get(url, { ca, token }) {
      const abort = new AbortController();
      const late = new Error(`expected an answer of ${url} within ${PATIENCE_MS / 1000} s, got none`);
      const timer = clock.after(PATIENCE_MS, () => abort.abort(late));
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const headers = {
        accept: "application/json, application/jwt",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const options = { agent, signal: abort.signal, headers, ...(ca === undefined ? {} : { ca }) };
      try {
        request(url, options, resolve).on("error", reject).end();
        return await read(await promise, url);
      } catch (error) {
        throw abort.signal.aborted ? late : error;
      } finally {
        timer.cancel();
      }
    },
    close: () => agent.destroy(),
  };
}

async function read(response: IncomingMessage, url: string): Promise<string> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`expected the status 200 of ${url}, got ${response.statusCode}`);
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BYTES) throw new Error(`expected at most ${MOST_BYTES} bytes of ${url}, got more`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
