/**
 * Connections of HTTP/2 on a port: connects a socket, the protocol (`http2/`) and the guard of connections.
 *
 * @module
 */
import type { TLSSocket } from "node:tls";
import { Http2Connection, type Http2Limits, type Http2Stream, outputPages } from "../../http2/index.ts";
import { systemClock } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";
import type { Exchange, Transport } from "../request/exchange.ts";
import type { Peer } from "./guard.ts";
import { H2Exchange } from "./h2.ts";
import { SharedMemory } from "./shared-memory.ts";
import type { Loop } from "../../util/loop.ts";

/** Memory of incomplete headers, of all connections together. */
const HEADER_MEMORY = 64 * 1024 * 1024;
/** Buffers that are kept for large batches of responses. */
const PAGES = 32;

/** How long a connection may be idle, and how long headers may take, in ms. */
export interface H2Times {
  readonly idleMillis: number;
  readonly headersMillis: number;
}

/** What connections of one port share. */
export interface H2ServerOptions {
  readonly limits: Http2Limits;
  readonly times: H2Times;
  readonly transport: Transport;
  readonly loop: Loop;
  /** Takes a request. */
  readonly handle: (exchange: Exchange) => void;
}

/** A connection, and the bytes received on it since the last check. */
interface Session extends Peer {
  readonly http2: Http2Connection;
  /** Requests on it, and how many there had been the last time. */
  asked: number;
  seen: number;
}

/** See the head of this file. */
export class H2Server implements Disposable {
  readonly #options: H2ServerOptions;
  readonly #sessions = new Set<Session>();
  readonly #pages = outputPages(PAGES);
  readonly #headerMemory = new SharedMemory(HEADER_MEMORY);
  /** A peer is idle by the time of the machine, even where the clock of a cluster moves by days. */
  readonly #idle: Deadlines<Session>;
  readonly #headers: Deadlines<Session>;

  constructor(options: H2ServerOptions) {
    const { idleMillis, headersMillis } = options.times;
    const each = { clock: systemClock, owner: "connections" };
    this.#options = options;
    this.#idle = new Deadlines({ ...each, millis: idleMillis, over: (session) => this.#look(session) });
    this.#headers = new Deadlines({ ...each, millis: headersMillis, over: ({ http2 }) => http2.destroy() });
  }

  /** Takes a connection whose handshake is done. */
  take(socket: TLSSocket, peer: Peer): void {
    const session = this.#open(socket, peer);
    const { http2 } = session;
    // At once: requests that arrived together with the last one are not read any more.
    peer.guarded.destroy = () => http2.destroy();
    this.#sessions.add(session);
    this.#idle.add(session);
    socket.on("data", (piece: Buffer) => http2.receive(piece));
    socket.on("close", () => {
      http2.closed();
      this.#sessions.delete(session);
      this.#idle.delete(session);
    });
  }

  /** Takes no further requests on any connection. */
  close(): void {
    for (const { http2 } of this.#sessions) http2.close();
  }

  [Symbol.dispose](): void {
    this.#idle[Symbol.dispose]();
    this.#headers[Symbol.dispose]();
  }

  #open(socket: TLSSocket, peer: Peer): Session {
    const { limits, transport } = this.#options;
    const http2 = new Http2Connection({
      transport: {
        write: (bytes, sent) => void socket.write(bytes, sent),
        end: () => void socket.end(),
        destroy: () => void socket.destroy(),
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
      },
      limits,
      later: this.#options.loop.later,
      now: () => systemClock.steady(),
      pages: this.#pages,
      headerMemory: this.#headerMemory,
      onRequest: (stream) => this.#request(stream, session),
      onHeaders: (areWaitedFor) => {
        if (areWaitedFor) this.#headers.add(session);
        else this.#headers.delete(session);
      },
      onEnding: () => peer.guarded.end(),
      onFault: (error) => transport.onFault(error),
    });
    const session: Session = { ...peer, http2, asked: 0, seen: -1 };
    return session;
  }

  #request(stream: Http2Stream, session: Session): void {
    session.asked++;
    const exchange = new H2Exchange(stream, session, this.#options.transport);
    const { fields, refusal } = stream.head;
    if (session.guarded.asks(fields)) exchange.closeAfterResponse();
    if (refusal) exchange.respond(refusal.status, { "content-type": TEXT }, Buffer.from(`${refusal.message}\n`));
    else this.#options.handle(exchange);
  }

  /** Ends a connection without requests that has received nothing since the last check; pings one with watches. */
  #look(session: Session): void {
    const { http2, asked, seen } = session;
    session.seen = asked;
    const isIdle = http2.openStreams === 0 && asked === seen;
    if (isIdle) {
      http2.close();
      return;
    }
    if (http2.openStreams > 0) http2.ping();
    this.#idle.add(session);
  }
}

const TEXT = "text/plain; charset=utf-8";
