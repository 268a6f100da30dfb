/**
 * One connection to a webhook, with undici: one request at a time. Its first request opens it.
 *
 * @module
 */
import { isIP } from "node:net";
import { type SecureContext, type TLSSocket, connect } from "node:tls";
import type { Client, Dispatcher, buildConnector } from "undici";
import { once } from "../util/once.ts";

/** The server of a connection. */
export interface Peer {
  /** `https://HOST:PORT`. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** The name in its certificate, where that is not the host. */
  readonly serverName: string | undefined;
  /** The authorities of its certificate. */
  readonly context: SecureContext;
}

/** The owner of a connection. */
export interface ConnectionUser {
  /** A TLS session, with which the next connection opens in less time. */
  session: Buffer | undefined;
  /** The connection was closed; it may open again for its next request. */
  closed(connection: Connection): void;
}

/** An unused connection is closed after this time. */
const IDLE_MILLIS = 60_000;

/** The sender of a request bounds its time and its length. */
const OPTIONS = {
  allowH2: false,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: IDLE_MILLIS,
  keepAliveMaxTimeout: IDLE_MILLIS,
} satisfies Client.Options;

/** Loads undici, which a server without webhooks does not need. */
export const loadUndici = once(() => import("undici/lib/dispatcher/client.js"));

/** See the head of this file. */
export class Connection {
  readonly #client: Client;
  readonly #user: ConnectionUser;
  #socket: TLSSocket | undefined = undefined;

  constructor(Undici: typeof Client, peer: Peer, user: ConnectionUser) {
    this.#user = user;
    this.#client = new Undici(peer.origin, { ...OPTIONS, connect: (_, opened) => this.#connect(peer, opened) }).on(
      "disconnect",
      () => user.closed(this),
    );
  }

  /** Whether all bytes were passed to the operating system. */
  get isDrained(): boolean {
    return this.#socket?.writableLength === 0;
  }

  /** Sends a request; until it has ended, no other one may be sent. */
  send(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Ends the connection; a running request fails with the error. */
  close(error: Error): void {
    void this.#client.destroy(error);
    // The socket may not be open yet, and then undici does not have it.
    this.#socket?.destroy();
  }

  #connect({ host, port, serverName, context }: Peer, opened: buildConnector.Callback): void {
    const name = serverName ?? host;
    const { session } = this.#user;
    const socket = connect({
      host,
      port,
      secureContext: context,
      ALPNProtocols: ["http/1.1"],
      ...(session ? { session } : {}),
      // The server name of TLS cannot be an address.
      ...(isIP(name) === 0 ? { servername: name } : {}),
    }).setNoDelay(true);
    this.#socket = socket;
    const failed = (error: Error): void => {
      this.#user.session = undefined;
      opened(error, null);
    };
    socket.once("error", failed);
    // Once the socket is open, undici handles errors.
    socket.on("error", () => {});
    socket.on("session", (made) => (this.#user.session = made));
    // The certificate is verified now, and nothing was sent before.
    socket.once("secureConnect", () => {
      socket.off("error", failed);
      opened(null, socket);
    });
  }
}
