/**
 * A transport over HTTP/2: many requests share a connection, for clients with thousands of watches.
 *
 * A connection has as many streams as its server allows; then another one is opened. {@link nodeTransport} is used for
 * servers without HTTP/2 or TLS.
 */
import { once } from "node:events";
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import type nodeHttp2 from "node:http2";
import type { TLSSocket } from "node:tls";
import type nodeTls from "node:tls";
import { sleep, systemClock } from "../util/clock.ts";
import { TransportError, baseOf, reasonOf } from "./transport-base.ts";
import {
  type NodeTransport,
  type NodeTransportOptions,
  authorityOf,
  headersOf,
  nodeTransport,
  proxyOf,
  tlsOf,
} from "./transport-node.ts";
import { hostOf, tunnelTo } from "./transport-proxy.ts";
import type { TransportResponse, TransportRequest } from "./transport.ts";
import { messageOf } from "../util/error.ts";

// Loaded with the first connection: most clients never open one.
const http2 = (): Pick<typeof nodeHttp2, "connect" | "constants"> => process.getBuiltinModule("node:http2");
const tls = (): Pick<typeof nodeTls, "connect"> => process.getBuiltinModule("node:tls");

/** The maximum before the server has sent its own. */
const DEFAULT_MAX_STREAMS = 100;
const WINDOW_BYTES = { stream: 1 << 20, connection: 16 << 20 };
/** The interval of pings, and their timeout. */
const PING_INTERVAL_MS = 30_000;
const PING_TIMEOUT_MS = 15_000;
/** The attempts of a request that the server refused unread, and their interval. */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 20;
/** The used share of the allowed streams: the server may count streams that have just ended here. */
const STREAM_SHARE = 0.9;

/** A request that the server has not processed; another connection may send it again. */
class RefusedStreamError extends Error {
  override readonly name = "Refused";
}

/** A connection could not be opened. */
class ConnectError extends Error {
  override readonly name = "Unopened";
}

/** Returns a transport for `options.url`. @throws TransportError where that, or the proxy, is no HTTP URL */
export function http2Transport(options: NodeTransportOptions): NodeTransport {
  const base = baseOf(options.url);
  const older = nodeTransport(options);
  if (base.protocol !== "https:") return older;
  const pool = new Pool(options, base);
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    for (let left = MAX_ATTEMPTS - 1; ; left--) {
      request.signal?.throwIfAborted();
      const connection = await pool.acquire(request.signal).catch((error: unknown) => {
        if (!(error instanceof ConnectError)) throw error;
        throw new TransportError(`no response from ${askedOf(base, request)}: ${error.message}`, {
          cause: error.cause,
        });
      });
      if (!connection) return older(request);
      try {
        return await connection.send(request);
      } catch (error) {
        if (!(error instanceof RefusedStreamError)) throw error;
        if (left === 0) throw new TransportError(error.message, { cause: error });
        await sleep(systemClock, RETRY_MS, request.signal);
      }
    }
  };
  return Object.assign(send, {
    close() {
      pool.close();
      older.close();
    },
  });
}

/** A connection being opened, and the number of requests that wait for it. */
interface Opening {
  readonly done: Promise<void>;
  readonly abort: AbortController;
  waiting: number;
}

class Pool {
  readonly #options: NodeTransportOptions;
  readonly #base: URL;
  readonly #open = new Set<Connection>();
  #opening: Opening | undefined;
  /** Whether the server does not support HTTP/2. */
  #isOlder = false;

  constructor(options: NodeTransportOptions, base: URL) {
    this.#options = options;
    this.#base = base;
  }

  /** Returns a connection with a reserved stream; undefined where the server does not support HTTP/2. */
  async acquire(signal: AbortSignal | undefined): Promise<Connection | undefined> {
    while (!this.#isOlder) {
      for (const connection of this.#open) if (connection.acquire()) return connection;
      await this.#opened(signal);
    }
    return undefined;
  }

  /** Waits for a connection; one without waiting requests is aborted. */
  async #opened(signal: AbortSignal | undefined): Promise<void> {
    const opening = (this.#opening ??= this.#begin());
    opening.waiting++;
    try {
      await during(opening.done, signal);
    } finally {
      if (--opening.waiting === 0) this.#abandon(opening);
    }
  }

  /** Aborts an opening connection; the next request opens another one. */
  #abandon(opening: Opening): void {
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    opening.abort.abort();
  }

  #begin(): Opening {
    const abort = new AbortController();
    const done = this.#connect(abort.signal).finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    const opening: Opening = { abort, waiting: 0, done };
    return opening;
  }

  close(): void {
    for (const connection of this.#open) connection.close();
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const socket = await this.#socket(signal);
    if (socket.alpnProtocol !== "h2") {
      socket.destroy();
      this.#isOlder = true;
      return;
    }
    const connection = new Connection(socket, this.#base, headersOf(this.#options.token, this.#options.headers), () =>
      this.#open.delete(connection),
    );
    this.#open.add(connection);
  }

  async #socket(signal: AbortSignal): Promise<TLSSocket> {
    const [certificates, proxy] = [tlsOf(this.#options), proxyOf(this.#options, this.#base)];
    const host = hostOf(this.#base.hostname);
    const name = this.#options.serverName ?? host;
    const tunnel = proxy && (await tunnelTo(authorityOf(this.#base), proxy, certificates, signal));
    return new Promise((resolve, reject) => {
      const socket = tls().connect({
        ...(tunnel ? { socket: tunnel } : { host, port: Number(this.#base.port || 443) }),
        ALPNProtocols: ["h2", "http/1.1"],
        ...certificates,
        // An IP address is no server name.
        ...(/^[\d.]+$|:/.test(name) ? {} : { servername: name }),
      });
      const giveUp = (): void => void socket.destroy(new Error("no request waits for it any more"));
      signal.addEventListener("abort", giveUp);
      socket.once("secureConnect", () => resolve(socket));
      socket.once("error", (error) => {
        reject(new ConnectError(reasonOf(error), { cause: error }));
      });
    });
  }
}

class Connection {
  readonly #session: ClientHttp2Session;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string | string[]>>;
  readonly #prefix: string;
  #taken = 0;
  #maxStreams = DEFAULT_MAX_STREAMS;
  /** Whether it accepts no more requests. */
  #isOver = false;

  /** @param ended called when it accepts no more requests */
  constructor(socket: TLSSocket, base: URL, headers: Readonly<Record<string, string | string[]>>, ended: () => void) {
    this.#base = base;
    this.#headers = headers;
    this.#prefix = base.pathname.replace(/\/$/, "");
    const end = (): void => {
      this.#isOver = true;
      ended();
    };
    const session = http2().connect(base.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES.stream },
    });
    session.once("connect", () => session.setLocalWindowSize(WINDOW_BYTES.connection));
    session.on("remoteSettings", ({ maxConcurrentStreams = DEFAULT_MAX_STREAMS }) => {
      this.#maxStreams = Math.max(1, Math.floor(maxConcurrentStreams * STREAM_SHARE));
    });
    session.on("goaway", end);
    session.once("close", end);
    // The streams report errors to their requests.
    session.on("error", end);
    this.#session = session;
    session.unref();
    this.#keepAlive();
  }

  /** Reserves a stream; false where there is none. */
  acquire(): boolean {
    if (this.#isOver || this.#taken >= this.#maxStreams) return false;
    // Only a used connection keeps the process alive.
    if (this.#taken++ === 0) this.#session.ref();
    return true;
  }

  close(): void {
    this.#session.close();
  }

  /** Sends a request on a reserved stream. @throws RefusedStreamError where the server has not processed it */
  send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, body, signal } = request;
    const asked = askedOf(this.#base, request);
    return new Promise((resolve, reject) => {
      let stream: ClientHttp2Stream;
      try {
        stream = this.#session.request(
          {
            ":method": method,
            ":path": this.#prefix + path,
            ...this.#headers,
            ...headers,
            ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
          },
          { endStream: body === undefined, ...(signal === undefined ? {} : { signal }) },
        );
      } catch (error) {
        // The connection ended since the place was taken.
        this.#release();
        reject(new RefusedStreamError(`no response from ${asked}: ${messageOf(error)}`, { cause: error }));
        return;
      }
      stream.once("close", () => this.#release());
      stream.once("response", (received) => resolve(responseOf(received, stream, asked)));
      // After the response has begun, the reader gets the error.
      stream.on("error", (error: NodeJS.ErrnoException) => reject(failureOf(error, stream, asked)));
      stream.once("close", () => reject(failureOf(new Error("the connection was closed"), stream, asked)));
      if (body !== undefined) stream.end(body);
    });
  }

  #release(): void {
    if (--this.#taken === 0) this.#session.unref();
  }

  /** Pings the server, and closes a dead connection. */
  #keepAlive(): void {
    systemClock.after(PING_INTERVAL_MS, () => {
      if (this.#session.destroyed) return;
      const late = systemClock.after(PING_TIMEOUT_MS, () =>
        this.#session.destroy(new Error("it did not respond to a ping")),
      );
      const isSent = this.#session.ping((error) => {
        late.cancel();
        if (!error) this.#keepAlive();
      });
      if (!isSent) late.cancel();
    });
  }
}

/** Waits for shared work; an aborted signal rejects, and the work continues. */
function during(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const responseOf = (
  headers: IncomingHttpHeaders & { readonly ":status"?: number | undefined },
  stream: ClientHttp2Stream,
  asked: string,
): TransportResponse => ({ status: headers[":status"] ?? 0, headers, body: wholeBody(stream, asked) });

/** Yields the pieces of a response. Only the error code shows that the stream broke off. */
async function* wholeBody(stream: ClientHttp2Stream, asked: string): AsyncGenerator<Uint8Array, void, void> {
  yield* piecesOf(stream);
  if (stream.errored) throw failureOf(stream.errored, stream, asked);
  if (!stream.closed) await once(stream, "close");
  if (stream.rstCode !== 0) throw failureOf(new Error("the response broke off"), stream, asked);
}

/** Yields the pieces of a stream. It is not iterated directly: iterating a closed stream that still has data fails. */
async function* piecesOf(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array, void, void> {
  let wake = (): void => {};
  for (const event of ["readable", "end", "close"]) stream.on(event, () => wake());
  try {
    for (;;) {
      const piece = stream.read() as Uint8Array | null;
      if (piece !== null) yield piece;
      else if (stream.readableEnded || stream.destroyed) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    // A reader that stops ends the request.
    if (!stream.readableEnded) stream.destroy();
  }
}

const askedOf = ({ origin }: URL, { method, path }: TransportRequest): string =>
  `${origin} to ${method} ${path.split("?")[0]}`;

function failureOf(error: NodeJS.ErrnoException, stream: ClientHttp2Stream, asked: string): Error {
  if (error.name === "AbortError") return error;
  const { NGHTTP2_REFUSED_STREAM, NGHTTP2_ENHANCE_YOUR_CALM } = http2().constants;
  const message = `no response from ${asked}: ${reasonOf(error)}`;
  // With ENHANCE_YOUR_CALM only reads may be sent again.
  const isTooMany = stream.rstCode === NGHTTP2_ENHANCE_YOUR_CALM && stream.sentHeaders?.[":method"] === "GET";
  if (stream.rstCode === NGHTTP2_REFUSED_STREAM || isTooMany) return new RefusedStreamError(message, { cause: error });
  return new TransportError(message, { cause: error });
}
