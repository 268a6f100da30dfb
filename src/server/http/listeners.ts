/**
 * Ports: HTTP/2 and HTTP/1.1 on one TLS port, chosen by ALPN, or plain HTTP/1.1 where encryption is done elsewhere.
 *
 * @module
 */
import type http from "node:http";
import http2 from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Clock, systemClock, turn } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";
import { STEP } from "../body/body-memory.ts";
import { type ClientAuthorities, certificateOf, clientAuthorities } from "./client-certificate.ts";
import type { Exchange } from "./exchange.ts";
import type { ConnectionGuard, GuardedConnection, Peer } from "./guard.ts";
import { H1Exchange } from "./h1.ts";
import { H2Exchange, type SessionState } from "./h2.ts";
import { nodeHttp } from "./node-http.ts";
import { hasOneHost } from "./target.ts";
import { WebSocketExchange, wantsWebSocket, webSockets } from "./websocket.ts";

/** The key and certificate of the server, and whose client certificates it believes; PEM, authorities one or several. */
export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  /** Authorities that sign for clients. */
  readonly clientCa?: string;
  /** Authorities that sign for proxies, who say in headers who their clients are. */
  readonly proxyCa?: string;
}

/** Where to listen. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Plain HTTP without it. */
  readonly tls?: TlsOptions;
}

/** A port that is open. */
export interface Listener {
  readonly port: number;
  readonly address: string;
  /** Uses another key and certificate for new connections. */
  setTls(tls: TlsOptions): void;
  /** Stops accepting, lets what runs come to its end, and breaks off what has not after `graceMillis`. */
  close(graceMillis: number): Promise<void>;
}

/** What the request line and the headers may have together (LIMIT-1). */
const HEADER_BYTES = 1 << 20;
/** What kube-apiserver lets pass beyond that, in either protocol. */
const HEADER_ROOM = { h1: 4096, h2: 320 };
/** Headers of one request: as many as HTTP/2 has room for, where each counts 32 bytes beside its text (RFC 9113 6.5.2). */
const MOST_HEADERS = HEADER_BYTES / 32;
/** Headers may come in nine frames, no more; so each may be large enough for all that they may have. */
const FRAME_BYTES = 128 * 1024;
/** What may come of a body before anybody has decided to read it: there are as many as requests that run. */
const WINDOW_BYTES = STEP;
const IDLE_MILLIS = 90_000;
const HEADERS_MILLIS = 32_000;
const REQUEST_MILLIS = 60_000;
const CHECK_MILLIS = 5_000;
const SWEEP_MILLIS = 50;
/** Handshakes that begin in one turn of the event loop; each costs about a millisecond. */
const HANDSHAKES = 8;

const H1_LIMITS = {
  maxHeaderSize: HEADER_BYTES + HEADER_ROOM.h1,
  headersTimeout: HEADERS_MILLIS,
  requestTimeout: REQUEST_MILLIS,
  connectionsCheckingInterval: CHECK_MILLIS,
  keepAliveTimeout: IDLE_MILLIS,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};

const H2_LIMITS = {
  settings: {
    enablePush: false,
    initialWindowSize: WINDOW_BYTES,
    maxConcurrentStreams: 250,
    maxHeaderListSize: HEADER_BYTES + HEADER_ROOM.h2,
    maxFrameSize: FRAME_BYTES,
  },
  maxHeaderListPairs: MOST_HEADERS,
  // Many large answers may wait for slow readers on one connection. They are not copies, and how many there are, and for
  // how long, is bounded elsewhere: what is over this would be reset, done or not.
  maxSessionMemory: 4096,
  // A client that gives up all its watches at once resets 250 streams; who does it again and again is cut off
  // (CVE-2023-44487).
  streamResetBurst: 500,
  streamResetRate: 33,
};

/** Takes a request; answers it in its own time. */
type Handle = (exchange: Exchange) => void;

/** What listeners share: the clock, and the guard of the connections of all of them. */
export interface ListenContext {
  readonly clock: Clock;
  readonly guard: ConnectionGuard;
}

/** Opens a port; resolves when it accepts connections. */
export async function listen(options: ListenOptions, context: ListenContext, handle: Handle): Promise<Listener> {
  const sessions = new Set<http2.Http2Session>();
  const { clock, guard } = context;
  const isEncrypted = options.tls !== undefined;
  let authorities = clientAuthorities(options.tls);
  const peerOf: PeerOf = (socket) => findPeer(socket, guard, isEncrypted ? authorities : undefined);
  const server = options.tls ? secureServer(options.tls, sessions, peerOf, handle) : plainServer(peerOf, handle);
  // What is more is refused, or left out (then `takeH1` refuses it): a thousand unless it is said.
  Object.assign(server, { maxHeadersCount: MOST_HEADERS });
  takeWebSockets(server, peerOf, context, handle);
  const sockets = takeConnections(server, isEncrypted, guard);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    guard.of(socket)?.end();
    if (socket.writable) socket.end(plainAnswer(refusalOf(error)));
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // A failure to accept one connection (no file handles left) must not end the server.
  server.on("error", () => {});
  const { port, address } = server.address() as AddressInfo;
  return {
    port,
    address,
    setTls: (tls) => {
      authorities = clientAuthorities(tls);
      if ("setSecureContext" in server) (server as http2.Http2SecureServer).setSecureContext(contextOf(tls));
    },
    close: (graceMillis) => close(server, sockets, sessions, clock, graceMillis),
  };
}

/** What is answered to bytes that are no request. */
const refusalOf = ({ code }: NodeJS.ErrnoException): string => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "408 Request Timeout";
  return code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
};

/** An answer on a connection that ends with it, whose text is its status. */
const plainAnswer = (status: string, text = status): string =>
  `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** Puts the guard in front of a server; the connections that it has. */
function takeConnections(server: Server, encrypted: boolean, guard: ConnectionGuard): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const [accept] = server.listeners("connection") as [(this: Server, socket: Socket) => void];
  server.removeAllListeners("connection");
  const handshakes = new Handshakes((socket) => accept.call(server, socket));
  server.on("connection", (socket: Socket) => {
    const held = guard.take(socket);
    if (!held) return;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    if (encrypted) handshakes.take(held);
    else accept.call(server, socket);
  });
  return sockets;
}

/**
 * Connections on their way to a TLS server. They are handed over when their first bytes are there, so that a silent one
 * costs a socket alone, and a few in each turn of the event loop, so that a thousand at once keep nobody waiting.
 */
class Handshakes {
  readonly #accept: (socket: Socket) => void;
  readonly #waiting: (() => void)[] = [];
  #pumping = false;

  constructor(accept: (socket: Socket) => void) {
    this.#accept = accept;
  }

  take(held: GuardedConnection): void {
    const { socket } = held;
    socket.on("error", ignore);
    socket.once("readable", () => {
      const first = socket.read() as Buffer | null;
      if (!first || first[0] !== TLS_HANDSHAKE) {
        endPlain(socket, first);
        return;
      }
      socket.unshift(first);
      const served = held.waits();
      this.#waiting.push(() => {
        served();
        if (!socket.destroyed) this.#accept(socket);
      });
      if (!this.#pumping) void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    while (this.#waiting.length > 0) {
      for (const begin of this.#waiting.splice(0, HANDSHAKES)) begin();
      await turn();
    }
    this.#pumping = false;
  }
}

const TLS_HANDSHAKE = 22;
const ignore = (): void => {};

/** Ends a connection that does not begin with a handshake; plain HTTP is told that it has the wrong port. */
function endPlain(socket: Socket, first: Buffer | null): void {
  if (!first || !/^[A-Z]{3,7} /.test(first.toString("latin1", 0, 8))) {
    socket.destroy();
    return;
  }
  socket.end(plainAnswer("400 Bad Request", "Client sent an HTTP request to an HTTPS server.\n"));
  socket.destroySoon();
}

async function close(
  server: Server,
  sockets: ReadonlySet<Socket>,
  sessions: ReadonlySet<http2.Http2Session>,
  clock: Clock,
  graceMillis: number,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const session of sessions) session.close();
  let over = false;
  // A connection of HTTP/1.1 that has been answered would stay open for its next request.
  const closeIdle = (): void => {
    if (over) return;
    (server as http.Server).closeIdleConnections();
    clock.after(SWEEP_MILLIS, closeIdle);
  };
  closeIdle();
  const timer = clock.after(graceMillis, () => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
  });
  await ended;
  over = true;
  timer.cancel();
}

function plainServer(peerOf: PeerOf, handle: Handle): http.Server {
  const server = nodeHttp.createServer(H1_LIMITS);
  const take = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    takeH1(request, response, peerOf(request.socket), handle);
  };
  server.on("request", take);
  // The exchange asks for the body itself.
  server.on("checkContinue", take);
  return server;
}

function takeH1(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  peer: Peer | undefined,
  handle: Handle,
): void {
  // Its connection has gone while it was read.
  if (!peer) return;
  if (request.rawHeaders.length >= 2 * MOST_HEADERS) {
    response.writeHead(431, { connection: "close" }).end();
    return;
  }
  if (request.httpVersion === "1.1" && !hasOneHost(request.rawHeaders)) {
    response.writeHead(400, { connection: "close" }).end();
    return;
  }
  const exchange = new H1Exchange(request, response, peer);
  if (peer.guarded.asks(request.rawHeaders)) exchange.closeAfterAnswer();
  handle(exchange);
}

/** HTTP/1.1 requests that become WebSockets; other wishes for an upgrade are not heeded (RFC 9110 7.8). */
function takeWebSockets(server: Server, peerOf: PeerOf, { clock }: ListenContext, handle: Handle): void {
  Object.assign(server, { shouldUpgradeCallback: wantsWebSocket });
  server.on("upgrade", (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const peer = peerOf(socket);
    if (!peer) return;
    peer.guarded.asks(request.rawHeaders);
    const upgrade = { request, socket, head, peer };
    webSockets().then(
      (protocol) => handle(new WebSocketExchange(upgrade, protocol, clock)),
      () => socket.destroy(),
    );
  });
}

/** What encrypts and authenticates in one step; with TLS 1.2 no suite with CBC, and none without forward secrecy. */
const CIPHERS = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE+AESGCM",
  "ECDHE+CHACHA20",
].join(":");

const contextOf = ({ key, cert, clientCa, proxyCa }: TlsOptions) => ({
  key,
  cert,
  minVersion: "TLSv1.2" as const,
  ciphers: CIPHERS,
  ...(clientCa === undefined && proxyCa === undefined ? {} : { ca: [clientCa, proxyCa].flatMap((pem) => pem ?? []) }),
});

function secureServer(tls: TlsOptions, sessions: Set<http2.Http2Session>, peerOf: PeerOf, handle: Handle): Server {
  const server = http2.createSecureServer({
    ...H1_LIMITS,
    ...H2_LIMITS,
    ...contextOf(tls),
    allowHTTP1: true,
    // Who has a certificate shows it; who has none may still have a token.
    requestCert: tls.clientCa !== undefined || tls.proxyCa !== undefined,
    rejectUnauthorized: false,
  });
  const connections = new WeakMap<http2.Http2Session, IdleState>();
  // The timeout of a session itself would keep one that has been destroyed until its time is over. A peer is idle by the
  // time of the machine, also where the clock of a cluster moves by days.
  const idling = new Deadlines<IdleState>({
    clock: systemClock,
    millis: IDLE_MILLIS,
    owner: "connections",
    over: (idle) => {
      if (!isOver(idle)) idling.add(idle);
    },
  });
  server.on("close", () => idling[Symbol.dispose]());
  // Who fails in the handshake speaks no HTTP that could be answered.
  server.removeAllListeners("tlsClientError");
  server.on("tlsClientError", (_error, socket) => void socket.destroy());
  server.on("session", (session) => {
    const peer = peerOf(session.socket);
    if (!peer) {
      session.destroy();
      return;
    }
    const state: SessionState = { ...peer, open: 0 };
    const idle: IdleState = { session, state, asked: 0, seen: -1 };
    // At once: requests that came in one piece with the last one are not looked at any more.
    peer.guarded.destroy = () => session.destroy();
    connections.set(session, idle);
    sessions.add(session);
    idling.add(idle);
    session.on("close", () => {
      sessions.delete(session);
      idling.delete(idle);
    });
    session.on("error", (error) => {
      forgetFrames(error);
      session.destroy();
    });
  });
  const take = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): void => {
    if (request.httpVersionMajor > 1) return;
    const plain = request as unknown as http.IncomingMessage;
    takeH1(plain, response as unknown as http.ServerResponse, peerOf(plain.socket), handle);
  };
  server.on("request", take);
  server.on("checkContinue", take);
  // Listening for HTTP/1.1 requests has put the compatibility layer in front of HTTP/2 streams too; take it away.
  server.removeAllListeners("stream");
  type Head = [http2.ServerHttp2Stream, http2.IncomingHttpHeaders, number, readonly string[]];
  server.on("stream", (...[stream, headers, flags, rawHeaders]: Head) => {
    const idle = stream.session && connections.get(stream.session);
    if (!idle) return;
    const { state } = idle;
    idle.asked++;
    const ended = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    const exchange = new H2Exchange(stream, { headers, rawHeaders, ended }, state);
    if (state.guarded.asks(rawHeaders)) exchange.closeAfterAnswer();
    handle(exchange);
  });
  return server;
}

/**
 * Lets go of what the stack of an error refers to, which is text from then on. Until somebody reads it, the stack holds the
 * native half of the session that has failed; that one holds the settings which its peer never acknowledged, they the
 * session, and its socket the error: V8 cannot see through the native half, and would keep them all for ever.
 */
function forgetFrames(error: Error): void {
  void error.stack;
}

/** A session, and what has come on it since it was last looked at. */
interface IdleState {
  readonly session: http2.Http2Session;
  readonly state: SessionState;
  /** Requests on it, and how many there had been the last time. */
  asked: number;
  seen: number;
}

/** Whether a session has ended: one without streams does when nothing came since the last look, one with watches is asked whether it lives. */
function isOver(idle: IdleState): boolean {
  const { session, state, asked, seen } = idle;
  if (session.closed || session.destroyed) return true;
  idle.seen = asked;
  if (state.open > 0) session.ping(() => {});
  if (state.open > 0 || asked !== seen) return false;
  session.close();
  state.guarded.end();
  return true;
}

const known = new WeakMap<object, Peer>();

/** The peer of a socket of one port. */
type PeerOf = (socket: Socket | TLSSocket) => Peer | undefined;

/** The peer of a socket, the same object for the life of the socket; undefined when the connection is gone. */
function findPeer(
  socket: Socket | TLSSocket,
  guard: ConnectionGuard,
  authorities: ClientAuthorities | undefined,
): Peer | undefined {
  let peer = known.get(socket);
  if (!peer) {
    const guarded = guard.of(socket);
    if (!guarded) return undefined;
    const certificate = authorities && certificateOf(socket as TLSSocket, authorities);
    peer = { guarded, connection: { encrypted: authorities !== undefined, address: guarded.address, certificate } };
    known.set(socket, peer);
  }
  return peer;
}
