/** Credentials that change while a client runs: their sources, and the transport that sends them. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../../util/clock.ts";
import { http2Transport } from "../transport-http2.ts";
import type { NodeTransport, NodeTransportOptions } from "../transport-node.ts";
import type { TransportRequest } from "../transport.ts";
import { KubeconfigError } from "./error.ts";
import { messageOf } from "../../util/error.ts";

/** A credential. */
export interface Credential {
  readonly token?: string | undefined;
  /** A certificate and its key, in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A source of credentials. */
export interface CredentialSource {
  /** Returns the current credential. @throws KubeconfigError where there is none */
  current(): Promise<Credential>;
  /** The server has refused a credential (401). */
  refused(credential: Credential): void;
}

/** The interval of reads; a token is rewritten long before its end. */
const REREAD_INTERVAL_MS = 60_000;

/**
 * Returns a source for a token file, which is read again every minute; while that fails the last token counts.
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
          throw new KubeconfigError(`expected a token in ${file}: ${messageOf(cause)}`, { cause });
        }
      }
      return { token };
    },
    refused() {
      readAt = -Infinity;
    },
  };
}

/** Returns a transport that adds the current credential; another certificate has its own connections. */
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
    const response = await transportFor(credential)({ ...request, headers });
    if (response.status === 401) source.refused(credential);
    return response;
  };
  return Object.assign(send, { close: () => used?.transport.close() });
}
