/**
 * Credentials that change while a client runs: where they come from, and the transport that sends them.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../util/clock.ts";
import { http2Transport } from "../transport-http2.ts";
import type { NodeTransport, NodeTransportOptions } from "../transport-node.ts";
import type { TransportRequest } from "../transport.ts";
import { KubeconfigError } from "./error.ts";

/** What proves who asks, at one moment. */
export interface Credential {
  readonly token?: string | undefined;
  /** A certificate and its key, PEM texts. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Where credentials come from. */
export interface CredentialSource {
  /** Those that count now. @throws KubeconfigError when there are none */
  current(): Promise<Credential>;
  /** The server has not accepted them (401). */
  refused(credential: Credential): void;
}

/** How long the token of a file is not read again: it is written anew long before the old one is over. */
const REREAD_INTERVAL_MS = 60_000;

/**
 * The token of a file, which is read again every minute; while it cannot be read the last one counts.
 *
 * @param fallback the token where the file has never been read
 */
export function fileTokens(file: string, fallback: string | undefined, clock: Clock): CredentialSource {
  let token = fallback;
  let readAt = -Infinity;
  return {
    async current() {
      if (clock.steady() - readAt < REREAD_INTERVAL_MS) return { token };
      readAt = clock.steady();
      try {
        const found = (await readFile(file, "utf8")).trim();
        if (found === "") throw new Error("it is empty");
        token = found;
      } catch (cause) {
        readAt = -Infinity;
        if (token === undefined) {
          throw new KubeconfigError(`expected a token in ${file}: ${(cause as Error).message}`, { cause });
        }
      }
      return { token };
    },
    refused() {
      readAt = -Infinity;
    },
  };
}

/** A transport whose requests have the credentials of their moment; another certificate is another set of connections. */
export function transportWith(options: NodeTransportOptions, source: CredentialSource): NodeTransport {
  let used: { readonly credential: Credential; readonly transport: NodeTransport } | undefined;
  const transportFor = (credential: Credential): NodeTransport => {
    if (used?.credential.cert !== credential.cert || used?.credential.key !== credential.key || !used) {
      used?.transport.close();
      const { cert = options.cert, key = options.key } = credential;
      used = { credential, transport: http2Transport({ ...options, cert, key }) };
    }
    return used.transport;
  };
  const send = async (request: TransportRequest): ReturnType<NodeTransport> => {
    request.signal?.throwIfAborted();
    const credential = await source.current();
    request.signal?.throwIfAborted();
    const { token } = credential;
    const headers = token === undefined ? request.headers : { authorization: `Bearer ${token}`, ...request.headers };
    const answer = await transportFor(credential)({ ...request, headers });
    if (answer.status === 401) source.refused(credential);
    return answer;
  };
  return Object.assign(send, { close: () => used?.transport.close() });
}
