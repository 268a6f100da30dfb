/**
 * gRPC over one HTTP/2 connection: calls with one answer, and streams of both directions. No more of gRPC than etcd and
 * plugins for keys need: no compression, no retries; who calls decides what a failure means.
 *
 * A call that fails says whether it may have reached the server ({@link GrpcError.sent}): only then is its outcome
 * unknown.
 *
 * @module
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
  connect,
  constants,
} from "node:http2";
import { type Socket, connect as connectSocket } from "node:net";
import type { Clock } from "../util/clock.ts";
import { cutText } from "../util/cut-text.ts";
import { shortPath } from "../util/socket-path.ts";
import type { WireWriter } from "../wire/encoding/wire-writer.ts";

/** Status codes of gRPC that mean something here. */
export const CODES = {
  ok: 0,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
} as const;

const MOST_MESSAGE_BYTES = 4000;

/** A call that failed: with the server's status, or because the connection did (`unavailable`). */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;

  /** @param message cut after 4000 bytes: a server says what it likes */
  constructor(code: number, message: string, sent: boolean) {
    super(cutText(message, MOST_MESSAGE_BYTES));
    this.code = code;
    this.sent = sent;
  }
}

/** Certificates for a connection with TLS, as PEM; the machine's authorities and no client certificate by default. */
export interface Credentials {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Begins to connect to a unix socket. @throws {RangeError} where the system takes no path to it */
function connectTo(path: string): Socket {
  using short = shortPath(path);
  return connectSocket(short.path);
}

/** Where a server is, and what is said beside each call. */
export interface SessionOptions {
  readonly credentials?: Credentials;
  /** The path of a unix socket to connect to, whatever the URL names. */
  readonly socket?: string;
  /** Metadata of every call. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Bytes that may be under way on a stream and on the connection: a large range or a burst of events in one go. */
const STREAM_WINDOW = 4 << 20;
const CONNECTION_WINDOW = 32 << 20;

/** A stream of messages in both directions. */
export interface GrpcStream {
  send(frame: Buffer): void;
  /** Ends it from our side; nothing is reported any more. */
  cancel(): void;
}

/** Who listens to a stream. */
export interface GrpcStreamSink {
  message(bytes: Uint8Array): void;
  /** The stream ended and nothing follows. */
  ended(error: GrpcError): void;
}

interface Call {
  readonly stream: ClientHttp2Stream;
  /** When it is given up, on the steady clock. */
  readonly deadline: number;
}

/** See the head of this file. */
export class GrpcSession {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #authority: string;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #calls = new Set<Call>();
  /** Why the connection ended. */
  #cause = "the connection was closed";
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;

  private constructor(
    session: ClientHttp2Session,
    authority: string,
    clock: Clock,
    metadata: Readonly<Record<string, string>>,
  ) {
    this.#metadata = metadata;
    this.#session = session;
    this.#clock = clock;
    this.#authority = authority;
    this.closed = new Promise((resolve) => {
      session.once("close", resolve);
    });
    session.on("error", (error) => {
      this.#cause = error.message;
    });
    session.on("goaway", (code) => {
      this.#cause = `the server ended the connection (code ${code})`;
    });
  }

  /** Connects to `http(s)://host:port`; rejects with GrpcError when there is no connection within `timeoutMs`. */
  static open(
    url: string,
    { credentials, socket, metadata = {} }: SessionOptions,
    clock: Clock,
    timeoutMs: number,
  ): Promise<GrpcSession> {
    const options: SecureClientSessionOptions = {
      ...credentials,
      ...(socket === undefined ? {} : { createConnection: () => connectTo(socket) }),
      settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
      // What Node assumes until the server names a limit; with its own guess of 100, writes would wait for one another.
      peerMaxConcurrentStreams: 10_000,
    };
    return new Promise((resolve, reject) => {
      let session: ClientHttp2Session;
      try {
        session = connect(url, options);
      } catch (error) {
        reject(new GrpcError(CODES.unavailable, `${url}: ${String(error)}`, false));
        return;
      }
      const fail = (why: string): void => {
        timer.cancel();
        session.destroy();
        reject(new GrpcError(CODES.unavailable, `${url}: ${why}`, false));
      };
      const timer = clock.after(timeoutMs, () => fail(`no connection within ${timeoutMs} ms`));
      const onError = (error: Error): void => fail(error.message);
      const onClose = (): void => fail("the connection was closed");
      session.on("error", onError);
      session.once("close", onClose);
      session.once("connect", () => {
        timer.cancel();
        session.off("close", onClose);
        const opened = new GrpcSession(session, new URL(url).host, clock, metadata);
        session.off("error", onError);
        session.setLocalWindowSize(CONNECTION_WINDOW);
        resolve(opened);
      });
    });
  }

  /** Whether new calls can be made. */
  get open(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** Makes a call and resolves to its answer. Rejects with GrpcError. */
  call(path: string, frame: Buffer, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const stream = this.#request(path);
      if (stream instanceof GrpcError) {
        reject(stream);
        return;
      }
      const call: Call = { stream, deadline: this.#clock.steady() + timeoutMs };
      this.#calls.add(call);
      let answer: Uint8Array | undefined;
      const messages = new Messages((bytes) => (answer = bytes));
      this.#listen(stream, messages, (error) => {
        this.#calls.delete(call);
        if (error === undefined && answer !== undefined) resolve(answer);
        else reject(error ?? new GrpcError(CODES.internal, "Expected an answer, got an empty stream", true));
      });
      stream.end(frame);
    });
  }

  /** Opens a stream. Throws GrpcError when the connection has ended. */
  stream(path: string, sink: GrpcStreamSink): GrpcStream {
    const stream = this.#request(path);
    if (stream instanceof GrpcError) throw stream;
    let over = false;
    const messages = new Messages((bytes) => {
      if (!over) sink.message(bytes);
    });
    this.#listen(stream, messages, (error) => {
      if (over) return;
      over = true;
      sink.ended(error ?? new GrpcError(CODES.unavailable, "the server ended the stream", true));
    });
    return {
      send: (frame) => {
        if (!over && !stream.destroyed) stream.write(frame);
      },
      cancel: () => {
        over = true;
        stream.close(constants.NGHTTP2_CANCEL);
      },
    };
  }

  /** Gives up calls that have waited too long; called every second or so, so that calls need no timers of their own. */
  expire(): void {
    const now = this.#clock.steady();
    for (const { stream, deadline } of this.#calls) {
      if (deadline <= now) stream.destroy(new Error("no answer in time"));
    }
  }

  /** Ends the connection at once; calls under way fail. */
  destroy(why: string): void {
    this.#cause = why;
    this.#session.destroy();
  }

  #request(path: string): ClientHttp2Stream | GrpcError {
    if (!this.open) return new GrpcError(CODES.unavailable, this.#cause, false);
    try {
      return this.#session.request({
        ":method": "POST",
        ":path": path,
        ":authority": this.#authority,
        "content-type": "application/grpc",
        te: "trailers",
        ...this.#metadata,
      });
    } catch (error) {
      return new GrpcError(CODES.unavailable, String(error), false);
    }
  }

  #listen(stream: ClientHttp2Stream, messages: Messages, done: (error: GrpcError | undefined) => void): void {
    let status: GrpcError | undefined;
    let answered = false;
    let failure: Error | undefined;
    const read = (headers: IncomingHttpHeaders): void => {
      const code = headers["grpc-status"];
      if (code !== undefined) {
        answered = true;
        if (code !== "0") status = new GrpcError(Number(code), messageOf(headers), true);
      } else if (headers[":status"] !== undefined && String(headers[":status"]) !== "200") {
        status = new GrpcError(CODES.unavailable, `the server answered HTTP ${String(headers[":status"])}`, true);
      }
    };
    stream.on("response", read);
    stream.on("trailers", read);
    stream.on("data", (chunk: Buffer) => {
      try {
        messages.push(chunk);
      } catch (error) {
        stream.destroy(error as Error);
      }
    });
    stream.on("error", (error) => {
      failure = error;
    });
    stream.once("close", () => {
      if (answered || status) return done(status);
      // The server promises that it has not acted on a stream that it refuses (RFC 9113, 8.7).
      const sent = stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM && !stream.pending;
      done(new GrpcError(CODES.unavailable, failure?.message ?? this.#cause, sent));
    });
  }
}

/** A message as gRPC sends it: not compressed, with its length in front (5 bytes). */
export function frameOf(message: WireWriter): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  message.raw(head);
  return message.finish();
}

/** Puts the messages of a stream together from its chunks. */
class Messages {
  readonly #take: (bytes: Uint8Array) => void;
  /** Chunks that are not yet a whole message, and their bytes. */
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes that the next message needs, with its head. */
  #needed = 5;

  constructor(take: (bytes: Uint8Array) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#needed) {
      const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
      this.#chunks = [bytes];
      if (this.#needed === 5 && (this.#needed = this.#sizeOf(bytes)) > bytes.length) return;
      const message = bytes.subarray(5, this.#needed);
      const rest = bytes.subarray(this.#needed);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#length = rest.length;
      this.#needed = 5;
      this.#take(message);
    }
  }

  #sizeOf(bytes: Buffer): number {
    if (bytes[0] !== 0) throw new RangeError("Expected a gRPC message that is not compressed");
    return 5 + bytes.readUInt32BE(1);
  }
}

function messageOf(headers: IncomingHttpHeaders): string {
  const text = String(headers["grpc-message"] ?? "no message");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
