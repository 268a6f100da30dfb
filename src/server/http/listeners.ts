/**
 * Ports: HTTP/2 and HTTP/1.1 on one TLS port, chosen by ALPN, or plain HTTP/1.1 where encryption is done elsewhere.
 *
 * @module
 */
import type http from "node:http";
import http2 from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ClientCertificate, Connection } from "../../auth/contract.ts";
import type { Clock } from "../../util/clock.ts";
import type { Exchange } from "./exchange.ts";
import { H1Exchange } from "./h1.ts";
import { H2Exchange, type SessionState } from "./h2.ts";
import { nodeHttp } from "./node-http.ts";
import { WebSocketExchange, wantsWebSocket, webSockets } from "./websocket.ts";

/** The key and certificate of the server, and whose client certificates it believes; PEM. */
export interface TlsOptions {
  readonly key: string;
  readonly cert: string;
  readonly clientCa?: string;
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

const HEADER_BYTES = 1 << 20;
const WINDOW_BYTES = 1 << 18;
const IDLE_MILLIS = 90_000;
const HEADERS_MILLIS = 32_000;
const REQUEST_MILLIS = 60_000;
const SWEEP_MILLIS = 50;

const H1_LIMITS = {
  maxHeaderSize: HEADER_BYTES,
  headersTimeout: HEADERS_MILLIS,
  requestTimeout: REQUEST_MILLIS,
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
    maxHeaderListSize: HEADER_BYTES,
  },
  // Many large answers may wait for slow readers on one connection; what is over it is refused, not queued.
  maxSessionMemory: 64,
  // A client that gives up all its watches at once resets 250 streams; who does it again and again is cut off
  // (CVE-2023-44487).
  streamResetBurst: 500,
  streamResetRate: 33,
};

/** Takes a request; answers it in its own time. */
type Handle = (exchange: Exchange) => void;

/** Opens a port; resolves when it accepts connections. */
export async function listen(options: ListenOptions, clock: Clock, handle: Handle): Promise<Listener> {
  const sockets = new Set<Socket>();
  const sessions = new Set<http2.Http2Session>();
  const server = options.tls ? secureServer(options.tls, sessions, handle) : plainServer(handle);
  takeWebSockets(server, options.tls !== undefined, clock, handle);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("clientError", (_error: Error, socket: Socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
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
      if ("setSecureContext" in server) (server as http2.Http2SecureServer).setSecureContext(contextOf(tls));
    },
    close: (graceMillis) => close(server, sockets, sessions, clock, graceMillis),
  };
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

function plainServer(handle: Handle): http.Server {
  const server = nodeHttp.createServer(H1_LIMITS);
  const take = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    handle(new H1Exchange(request, response, connectionOf(request.socket, false)));
  };
  server.on("request", take);
  // The exchange asks for the body itself.
  server.on("checkContinue", take);
  return server;
}

/** HTTP/1.1 requests that become WebSockets; other wishes for an upgrade are not heeded (RFC 9110 7.8). */
function takeWebSockets(server: Server, encrypted: boolean, clock: Clock, handle: Handle): void {
  Object.assign(server, { shouldUpgradeCallback: wantsWebSocket });
  server.on("upgrade", (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
    const upgrade = { request, socket, head, connection: connectionOf(socket, encrypted) };
    socket.on("error", () => socket.destroy());
    webSockets().then(
      (protocol) => handle(new WebSocketExchange(upgrade, protocol, clock)),
      () => socket.destroy(),
    );
  });
}

const contextOf = ({ key, cert, clientCa }: TlsOptions) => ({
  key,
  cert,
  minVersion: "TLSv1.2" as const,
  ...(clientCa === undefined ? {} : { ca: clientCa }),
});

function secureServer(tls: TlsOptions, sessions: Set<http2.Http2Session>, handle: Handle): Server {
  const server = http2.createSecureServer({
    ...H1_LIMITS,
    ...H2_LIMITS,
    ...contextOf(tls),
    allowHTTP1: true,
    // Who has a certificate shows it; who has none may still have a token.
    requestCert: tls.clientCa !== undefined,
    rejectUnauthorized: false,
  });
  const connections = new WeakMap<http2.Http2Session, SessionState>();
  server.on("session", (session) => {
    const state: SessionState = { connection: connectionOf(session.socket, true), open: 0 };
    connections.set(session, state);
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    session.setTimeout(IDLE_MILLIS, () => whenIdle(session, state));
  });
  const take = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): void => {
    if (request.httpVersionMajor > 1) return;
    const plain = request as unknown as http.IncomingMessage;
    handle(new H1Exchange(plain, response as unknown as http.ServerResponse, connectionOf(plain.socket, true)));
  };
  server.on("request", take);
  server.on("checkContinue", take);
  // Listening for HTTP/1.1 requests has put the compatibility layer in front of HTTP/2 streams too; take it away.
  server.removeAllListeners("stream");
  server.on("stream", (stream: http2.ServerHttp2Stream, headers, flags) => {
    const state = connections.get(stream.session!);
    if (!state) return;
    handle(new H2Exchange(stream, headers, (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0, state));
  });
  return server;
}

/** Nothing came or went for a while: a connection without streams ends, one with watches is asked whether it lives. */
function whenIdle(session: http2.Http2Session, state: SessionState): void {
  if (session.closed || session.destroyed) return;
  if (state.open > 0) session.ping(() => {});
  else session.close();
}

const known = new WeakMap<object, Connection>();

/** The connection of a socket; the same object for the life of the socket. */
function connectionOf(socket: Socket | TLSSocket, encrypted: boolean): Connection {
  let connection = known.get(socket);
  if (!connection) {
    connection = {
      encrypted,
      address: socket.remoteAddress ?? "",
      certificate: encrypted ? certificateOf(socket as TLSSocket) : undefined,
    };
    known.set(socket, connection);
  }
  return connection;
}

const asList = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

function certificateOf(socket: TLSSocket): ClientCertificate | undefined {
  if (!socket.authorized) return undefined;
  const { subject, valid_to: validTo } = socket.getPeerCertificate();
  if (!subject) return undefined;
  const [commonName = ""] = asList(subject.CN);
  return { commonName, organizations: asList(subject.O), notAfter: Date.parse(validTo) };
}
