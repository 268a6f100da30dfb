/**
 * A transport over HTTP/2: many requests share a connection, for clients that keep thousands of watches open.
 *
 * A connection has as many requests at a time as its server allows; when all have, another one is opened. A server that does not speak
 * HTTP/2, or is reached without TLS, is spoken to by {@link nodeTransport}.
 *
 * @module
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
import type { TransportAnswer, TransportRequest } from "./transport.ts";

// Loaded when the first connection is opened: most clients never need them.
const http2 = (): Pick<typeof nodeHttp2, "connect" | "constants"> => process.getBuiltinModule("node:http2");
const tls = (): Pick<typeof nodeTls, "connect"> => process.getBuiltinModule("node:tls");

/** What a server allows until it has said so. */
const DEFAULT_MAX_STREAMS = 100;
/** Bytes that may be under way on a stream and on a connection. */
const WINDOW_BYTES = { stream: 1 << 20, connection: 16 << 20 };
/** How often a connection is asked whether it is alive, and how long it has to answer. */
const PING_INTERVAL_MS = 30_000;
const PING_TIMEOUT_MS = 15_000;
/** How often a request is sent again that a server has not looked at. */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 20;
/** Of what a server allows at a time: what has just ended here has perhaps not yet there. */
const STREAM_SHARE = 0.9;

/** A request that the server has not looked at: it may be sent again, by another connection. */
class RefusedStreamError extends Error {
  override readonly name = "Refused";
}

/** A connection that was not opened. */
class ConnectError extends Error {
  override readonly name = "Unopened";
}

/** A transport to the server at `options.url`. @throws TransportError when that, or the proxy, is no address of HTTP */
export function http2Transport(options: NodeTransportOptions): NodeTransport {
  const base = baseOf(options.url);
  const older = nodeTransport(options);
  if (base.protocol !== "https:") return older;
  const pool = new Pool(options, base);
  const send = async (request: TransportRequest): Promise<TransportAnswer> => {
    for (let left = MAX_ATTEMPTS - 1; ; left--) {
      request.signal?.throwIfAborted();
      const connection = await pool.acquire(request.signal).catch((error: unknown) => {
        if (!(error instanceof ConnectError)) throw error;
        throw new TransportError(`no answer from ${askedOf(base, request)}: ${error.message}`, { cause: error.cause });
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

/** A connection that is being opened, and how many requests wait for it. */
interface Opening {
  readonly done: Promise<void>;
  readonly abort: AbortController;
  waiting: number;
}

/** The connections to a server. */
class Pool {
  readonly #options: NodeTransportOptions;
  readonly #base: URL;
  readonly #open = new Set<Connection>();
  #opening: Opening | undefined;
  /** Whether the server has said that it does not speak HTTP/2. */
  #isOlder = false;

  constructor(options: NodeTransportOptions, base: URL) {
    this.#options = options;
    this.#base = base;
  }

  /** A connection with a place for one request, which is taken; undefined where the server speaks an older protocol. */
  async acquire(signal: AbortSignal | undefined): Promise<Connection | undefined> {
    while (!this.#isOlder) {
      for (const connection of this.#open) if (connection.acquire()) return connection;
      await this.#opened(signal);
    }
    return undefined;
  }

  /** Waits for a connection that is being opened. One that nobody waits for any more is given up. */
  async #opened(signal: AbortSignal | undefined): Promise<void> {
    const opening = (this.#opening ??= this.#begin());
    opening.waiting++;
    try {
      await during(opening.done, signal);
    } finally {
      if (--opening.waiting === 0) this.#abandon(opening);
    }
  }

  /** Ends it, unless it is there: who comes next waits for another one. */
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
        // An address is no name that can be asked for.
        ...(/^[\d.]+$|:/.test(name) ? {} : { servername: name }),
      });
      const giveUp = (): void => void socket.destroy(new Error("nobody waits for it any more"));
      signal.addEventListener("abort", giveUp);
      socket.once("secureConnect", () => resolve(socket));
      socket.once("error", (error) => {
        reject(new ConnectError(reasonOf(error), { cause: error }));
      });
    });
  }
}

/** One connection, and the requests on it. */
class Connection {
  readonly #session: ClientHttp2Session;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string | string[]>>;
  readonly #prefix: string;
  #taken = 0;
  #maxStreams = DEFAULT_MAX_STREAMS;
  /** Whether no request may be begun on it any more. */
  #isOver = false;

  /** @param ended called when it takes no requests any more */
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
    // Each request is told by its own stream.
    session.on("error", end);
    this.#session = session;
    session.unref();
    this.#keepAlive();
  }

  /** Takes a place for a request; false where there is none. */
  acquire(): boolean {
    if (this.#isOver || this.#taken >= this.#maxStreams) return false;
    // It keeps the process only while it is used.
    if (this.#taken++ === 0) this.#session.ref();
    return true;
  }

  close(): void {
    this.#session.close();
  }

  /** Sends a request on the place that was taken. @throws Refused where the server has not looked at it */
  send(request: TransportRequest): Promise<TransportAnswer> {
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
        reject(new RefusedStreamError(`no answer from ${asked}: ${(error as Error).message}`, { cause: error }));
        return;
      }
      stream.once("close", () => this.#release());
      stream.once("response", (answered) => resolve(answerOf(answered, stream, asked)));
      // Also after the answer has begun: then whoever reads it is told.
      stream.on("error", (error: NodeJS.ErrnoException) => reject(failureOf(error, stream, asked)));
      stream.once("close", () => reject(failureOf(new Error("the connection was closed"), stream, asked)));
      if (body !== undefined) stream.end(body);
    });
  }

  #release(): void {
    if (--this.#taken === 0) this.#session.unref();
  }

  /** Ends a connection whose other side has gone without a word. */
  #keepAlive(): void {
    systemClock.after(PING_INTERVAL_MS, () => {
      if (this.#session.destroyed) return;
      const late = systemClock.after(PING_TIMEOUT_MS, () =>
        this.#session.destroy(new Error("it did not answer a ping")),
      );
      const isSent = this.#session.ping((error) => {
        late.cancel();
        if (!error) this.#keepAlive();
      });
      if (!isSent) late.cancel();
    });
  }
}

/** Waits for work that others may wait for too. Rejects as the signal says when it is aborted; the work goes on. */
function during(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const answerOf = (
  headers: IncomingHttpHeaders & { readonly ":status"?: number | undefined },
  stream: ClientHttp2Stream,
  asked: string,
): TransportAnswer => ({ status: headers[":status"] ?? 0, headers, body: wholeBody(stream, asked) });

/** The pieces of an answer. A stream whose connection ends looks as if it had come to its end: only its code tells. */
async function* wholeBody(stream: ClientHttp2Stream, asked: string): AsyncGenerator<Uint8Array, void, void> {
  yield* piecesOf(stream);
  if (stream.errored) throw failureOf(stream.errored, stream, asked);
  if (!stream.closed) await once(stream, "close");
  if (stream.rstCode !== 0) throw failureOf(new Error("the answer broke off"), stream, asked);
}

/**
 * What a stream brings until it ends or breaks. It is not iterated over as it is: a stream that is closed has perhaps not been read
 * yet, and who begins to iterate then is told that it was closed too early.
 */
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
    // Whoever has read enough ends the request.
    if (!stream.readableEnded) stream.destroy();
  }
}

/** What is asked, for messages. */
const askedOf = ({ origin }: URL, { method, path }: TransportRequest): string =>
  `${origin} to ${method} ${path.split("?")[0]}`;

function failureOf(error: NodeJS.ErrnoException, stream: ClientHttp2Stream, asked: string): Error {
  if (error.name === "AbortError") return error;
  const { NGHTTP2_REFUSED_STREAM, NGHTTP2_ENHANCE_YOUR_CALM } = http2().constants;
  const message = `no answer from ${asked}: ${reasonOf(error)}`;
  // With the second one a server says that it has too many; only a reading may be sent again then.
  const isTooMany = stream.rstCode === NGHTTP2_ENHANCE_YOUR_CALM && stream.sentHeaders?.[":method"] === "GET";
  if (stream.rstCode === NGHTTP2_REFUSED_STREAM || isTooMany) return new RefusedStreamError(message, { cause: error });
  return new TransportError(message, { cause: error });
}
