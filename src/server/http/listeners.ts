/**
 * Ports: HTTP/2 and HTTP/1.1 on one TLS port, selected by ALPN, or plain HTTP/1.1 where another program does the encryption.
 *
 * @module
 */
import type http from "node:http";
import type https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Http2Limits } from "../../http2/index.ts";
import { type Clock, systemClock } from "../../util/clock.ts";
import { STEP } from "../shared/body-memory.ts";
import { type ClientAuthorities, certificateOf, clientAuthorities } from "./client-certificate.ts";
import type { Exchange, Transport } from "../request/exchange.ts";
import type { ConnectionGuard, GuardedConnection, Peer } from "./guard.ts";
import { H1Exchange } from "./h1.ts";
import { H2Server } from "./h2-server.ts";
import { HttpDate } from "./http-date.ts";
import { nodeHttp, nodeHttps } from "./node-http.ts";
import { Pipeline } from "./pipeline.ts";
import { hasOneHost } from "./target.ts";
import { type Upgrade, WebSocketExchange, wantsWebSocket, webSockets } from "./websocket.ts";
import type { Loop } from "../../util/loop.ts";

/** The key and certificate of the server, and the authorities of its clients, one or several; PEM. */
export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  /** Authorities that sign for clients. */
  readonly clientCa?: string;
  /** Authorities that sign for proxies, which send the user in headers. */
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
  /** Stops accepting, lets running requests complete, and breaks off those that have not after `graceMillis`. */
  close(graceMillis: number): Promise<void>;
}

/** The most bytes of the request line and the headers together (LIMIT-1). */
const HEADER_BYTES = 1 << 20;
/** The bytes that kube-apiserver accepts beyond that, in either protocol. */
const HEADER_ROOM = { h1: 4096, h2: 320 };
/** Headers of one request: as many as HTTP/2 permits, where each counts 32 bytes more than its text (RFC 9113 6.5.2). */
const MOST_HEADERS = HEADER_BYTES / 32;
/** Bytes of a body that may arrive before it is read: there is a body for each running request. */
const WINDOW_BYTES = STEP;
const IDLE_MILLIS = 90_000;
const HEADERS_MILLIS = 32_000;
const REQUEST_MILLIS = 60_000;
const CHECK_MILLIS = 5_000;
const SWEEP_MILLIS = 50;
/** Handshakes that begin in one pass of the event loop; each costs about a millisecond. */
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

const H2_LIMITS: Http2Limits = {
  streams: 250,
  streamWindow: WINDOW_BYTES,
  headerBytes: HEADER_BYTES + HEADER_ROOM.h2,
  headerFields: MOST_HEADERS,
  // A client that cancels all its watches at once resets 250 streams; one that does so repeatedly is disconnected (CVE-2023-44487).
  resets: { burst: 500, perSecond: 33 },
};

/** Receives a request, and responds at any later time. */
type Handle = (exchange: Exchange) => void;

/** What listeners share. */
export interface ListenContext {
  readonly clock: Clock;
  /** Guards the connections of all of them. */
  readonly guard: ConnectionGuard;
  /** Receives an error of the program; its stream or connection has ended. */
  readonly onFault: (error: unknown) => void;
}

/** Opens a port; resolves when it accepts connections. */
export async function listen(options: ListenOptions, context: ListenContext, handle: Handle): Promise<Listener> {
  const { clock, guard } = context;
  const isEncrypted = options.tls !== undefined;
  let authorities = clientAuthorities(options.tls);
  const peerOf: PeerOf = (socket) => findPeer(socket, guard, isEncrypted ? authorities : undefined);
  const date = new HttpDate(systemClock);
  const ports: Ports = { peerOf, context, handle, transport: { date: () => date.text, onFault: context.onFault } };
  const { server, http2 } = options.tls
    ? secureServer(options.tls, ports)
    : { server: plainServer(), http2: undefined };
  takeHttp1(server, ports);
  const sockets = takeConnections(server, isEncrypted, context);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // A failure to accept one connection (no free file handles) must not end the server.
  server.on("error", ignore);
  const { port, address } = server.address() as AddressInfo;
  return {
    port,
    address,
    setTls: (tls) => {
      authorities = clientAuthorities(tls);
      if ("setSecureContext" in server) server.setSecureContext(contextOf(tls));
    },
    close: (graceMillis) => close(server, { sockets, http2, clock, graceMillis }),
  };
}

/** What the parts of a port are built from. */
interface Ports {
  readonly peerOf: PeerOf;
  readonly context: ListenContext;
  readonly transport: Transport;
  readonly handle: Handle;
}

/** The status for bytes that are no request. */
const refusalOf = ({ code }: NodeJS.ErrnoException): string => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "408 Request Timeout";
  return code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
};

/** The last response of a connection; its text is its status. */
const plainResponse = (status: string, text = status): string =>
  `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** Runs work for a connection, which ends where that fails. */
function orEnd(socket: Socket, onFault: (error: unknown) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    onFault(error);
    socket.destroy();
  }
}

/** Puts the guard in front of a server; the connections that it has. */
function takeConnections(
  server: Server,
  encrypted: boolean,
  { clock, guard, onFault }: ListenContext,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const [accept] = server.listeners("connection") as [(this: Server, socket: Socket) => void];
  server.removeAllListeners("connection");
  const begin = (socket: Socket): void => orEnd(socket, onFault, () => accept.call(server, socket));
  const handshakes = new Handshakes(begin, clock.loop);
  server.on("connection", (socket: Socket) => {
    socket.on("error", ignore);
    const held = guard.take(socket);
    if (!held) return;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    if (encrypted) handshakes.take(held);
    else {
      begin(socket);
      readAsStream(socket);
    }
  });
  return sockets;
}

/**
 * Connections on their way to a TLS server. Their handshakes begin when the first bytes are there, so that a silent one costs only a
 * socket, and only a few in each pass of the event loop, so that a thousand at once do not delay other clients.
 */
class Handshakes {
  readonly #loop: Loop;
  readonly #accept: (socket: Socket) => void;
  readonly #waiting: (() => void)[] = [];
  #pumping = false;

  constructor(accept: (socket: Socket) => void, loop: Loop) {
    this.#loop = loop;
    this.#accept = accept;
  }

  take(held: GuardedConnection): void {
    const { socket } = held;
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
      await this.#loop.pass();
    }
    this.#pumping = false;
  }
}

const TLS_HANDSHAKE = 22;
const ignore = (): void => {};

/** Ends a connection that does not begin with a handshake; a client of plain HTTP gets an error in its protocol. */
function endPlain(socket: Socket, first: Buffer | null): void {
  if (!first || !/^[A-Z]{3,7} /.test(first.toString("latin1", 0, 8))) {
    socket.destroy();
    return;
  }
  socket.end(plainResponse("400 Bad Request", "Client sent an HTTP request to an HTTPS server.\n"));
  socket.destroySoon();
}

/** The parts that are closed together. */
interface Closing {
  readonly sockets: ReadonlySet<Socket>;
  readonly http2: H2Server | undefined;
  readonly clock: Clock;
  readonly graceMillis: number;
}

async function close(server: http.Server, { sockets, http2, clock, graceMillis }: Closing): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  http2?.close();
  let over = false;
  // Otherwise a connection of HTTP/1.1 would stay open for its next request.
  const closeIdle = (): void => {
    if (over) return;
    server.closeIdleConnections();
    clock.after(SWEEP_MILLIS, closeIdle);
  };
  closeIdle();
  const timer = clock.after(graceMillis, () => {
    for (const socket of sockets) socket.destroy();
  });
  await ended;
  over = true;
  timer.cancel();
  http2?.[Symbol.dispose]();
}

const plainServer = (): http.Server => nodeHttp.createServer(H1_LIMITS);

/** Requests of HTTP/1.1. Every emitter of a connection has a listener for errors before anything else is done with it. */
function takeHttp1(server: http.Server, ports: Ports): void {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const pipelineOf = (socket: Socket): Pipeline => {
    let pipeline = pipelines.get(socket);
    if (!pipeline) pipelines.set(socket, (pipeline = new Pipeline()));
    return pipeline;
  };
  // More headers than these are refused, or dropped (then `takeH1` refuses the request): the default is a thousand.
  server.maxHeadersCount = MOST_HEADERS;
  const take = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    request.on("error", ignore);
    response.on("error", ignore);
    pipelineOf(request.socket).add(request, response);
    takeH1(request, response, ports);
  };
  server.on("request", take);
  // The exchange sends 100 itself.
  server.on("checkContinue", take);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    refuse(error, { socket, pipeline: pipelineOf(socket), guard: ports.context.guard });
  });
  Object.assign(server, { shouldUpgradeCallback: wantsWebSocket });
  server.on("upgrade", (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
    request.on("error", ignore);
    // Node has removed its own listener.
    socket.on("error", () => socket.destroy());
    // Further bytes stay in it: Node resumes the socket when the earlier responses have been read.
    socket.on("readable", ignore);
    pipelineOf(socket).whenIdle(() => takeUpgrade({ request, socket, head }, ports));
  });
}

/** Where bytes were received that are no request. */
interface Broken {
  readonly socket: Socket;
  readonly pipeline: Pipeline;
  readonly guard: ConnectionGuard;
}

/** Ends a connection that has sent bytes that are no request, after complete responses to the requests before them. */
function refuse(error: NodeJS.ErrnoException, { socket, pipeline, guard }: Broken): void {
  const { isBroken, isIdle, isResponding } = pipeline;
  // A client that has left does not wait for responses.
  if (socket.readableEnded && (isBroken || isResponding || !isIdle)) socket.destroySoon();
  if (isBroken) return;
  pipeline.isBroken = true;
  pipeline.whenIdle(() => {
    // It is the last one, since its body has not been read.
    if (pipeline.isResponding) return;
    guard.of(socket)?.end();
    const status = refusalOf(error);
    if (socket.writable) socket.end(plainResponse(status, pipeline.waitsForHead ? "" : status));
    else socket.destroySoon();
  });
}

function takeH1(request: http.IncomingMessage, response: http.ServerResponse, ports: Ports): void {
  const peer = ports.peerOf(request.socket);
  // Its connection closed while it was read.
  if (!peer) return;
  if (request.rawHeaders.length >= 2 * MOST_HEADERS) {
    response.writeHead(431, { connection: "close" }).end();
    return;
  }
  if (request.httpVersion === "1.1" && !hasOneHost(request.rawHeaders)) {
    response.writeHead(400, { connection: "close" }).end();
    return;
  }
  const exchange = new H1Exchange(request, response, peer, ports.transport);
  if (peer.guarded.asks(request.rawHeaders)) exchange.closeAfterResponse();
  ports.handle(exchange);
}

/** A request that becomes a WebSocket; other upgrades are ignored (RFC 9110 7.8). */
function takeUpgrade(upgrade: Omit<Upgrade, "peer">, { peerOf, context, transport, handle }: Ports): void {
  const { request, socket } = upgrade;
  const peer = peerOf(socket);
  if (!peer) return;
  peer.guarded.asks(request.rawHeaders);
  webSockets().then(
    (protocol) =>
      orEnd(socket, context.onFault, () => {
        if (socket.destroyed) return;
        socket.off("readable", ignore);
        handle(new WebSocketExchange({ ...upgrade, peer }, protocol, context.clock, transport));
      }),
    () => socket.destroy(),
  );
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

/** A server for both protocols; the client chooses (RFC 7301). */
function secureServer(tls: TlsOptions, ports: Ports): { server: https.Server; http2: H2Server } {
  const server = nodeHttps.createServer({
    ...H1_LIMITS,
    ...contextOf(tls),
    ALPNProtocols: ["h2", "http/1.1"],
    // A client without a certificate may still have a token.
    requestCert: tls.clientCa !== undefined || tls.proxyCa !== undefined,
    rejectUnauthorized: false,
  });
  const http2 = new H2Server({
    limits: H2_LIMITS,
    times: { idleMillis: IDLE_MILLIS, headersMillis: HEADERS_MILLIS },
    transport: ports.transport,
    loop: ports.context.clock.loop,
    handle: ports.handle,
  });
  const [takeAsHttp1] = server.listeners("secureConnection") as [(this: Server, socket: TLSSocket) => void];
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket) => {
    socket.on("error", ignore);
    orEnd(socket, ports.context.onFault, () => {
      const peer = ports.peerOf(socket);
      if (!peer) socket.destroy();
      else if (socket.alpnProtocol === "h2") http2.take(socket, peer);
      else {
        takeAsHttp1.call(server, socket);
        readAsStream(socket);
      }
    });
  });
  // A client that fails in the handshake cannot get a response over HTTP.
  server.removeAllListeners("tlsClientError");
  server.on("tlsClientError", (_error, socket) => void socket.destroy());
  return { server, http2 };
}

/**
 * Makes Node read requests from a socket as from any stream. By itself its parser reads beneath the stream. While that is paused, because
 * responses of a pipeline are unread, it refuses bytes over TLS as if they were no request, and a plain socket that becomes a WebSocket is
 * never read again.
 */
function readAsStream(socket: Socket): void {
  // A listener for data gets it, and so does the parser from then on.
  socket.on("data", ignore);
  socket.off("data", ignore);
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
    const certificate =
      authorities && "getPeerX509Certificate" in socket ? certificateOf(socket, authorities) : undefined;
    peer = { guarded, connection: { encrypted: authorities !== undefined, address: guarded.address, certificate } };
    known.set(socket, peer);
  }
  return peer;
}
