/**
 * gRPC over one HTTP/2 connection: unary calls and bidirectional streams, as etcd and KMS plugins need them, without
 * compression and retries.
 *
 * A failed call says whether it may have reached the server ({@link GrpcError.sent}): only then is its outcome unknown.
 *
 * @module
 */
import { type Socket, connect as connectSocket, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Clock } from "../util/clock.ts";
import { shortPath } from "../util/socket-path.ts";
import { ShortLivedSet } from "../util/short-lived.ts";
import {
  ClientConnection,
  type ClientStream,
  type Metadata,
  type StreamFailure,
  type StreamListener,
} from "./connection.ts";
import { CODES, GrpcError } from "./error.ts";
import { Messages } from "./messages.ts";
import { RequestHeaders } from "./request-headers.ts";

/** PEM certificates of a TLS connection; by default the machine's authorities and no client certificate. */
export interface Credentials {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** How to connect, and the metadata of calls. */
export interface SessionOptions {
  readonly credentials?: Credentials;
  /** The path of a unix socket; the URL is not used to connect then. */
  readonly socket?: string;
  /** Metadata of every call. */
  readonly metadata?: Metadata;
}

/** A stream of messages in both directions. */
export interface GrpcStream {
  send(frame: Buffer): void;
  /** Resets the stream; the sink is not called any more. */
  cancel(): void;
}

/** Receives the error or the response of a call. */
export type CallDone = (error: GrpcError | undefined, response: Buffer) => void;

/** Receives the messages of a stream. */
export interface GrpcStreamSink {
  /** A message, whose bytes are valid during the call. Responses to calls that arrived with it were reported before. */
  message(bytes: Buffer): void;
  /** The stream ended and nothing follows. */
  ended(error: GrpcError): void;
}

/** Bytes of one read from a socket. */
const READ_BYTES = 65_536;

/** See the head of this file. */
export class GrpcSession {
  readonly #socket: Socket;
  readonly #connection: ClientConnection;
  readonly #clock: Clock;
  readonly #calls = new ShortLivedSet<Call>();
  /** Messages of streams in the bytes that are being read. */
  readonly #messages: Message[] = [];
  /** Why the connection ended. */
  #cause = "the connection was closed";

  private constructor(url: URL, { credentials, socket, metadata }: SessionOptions, clock: Clock) {
    this.#clock = clock;
    this.#connection = new ClientConnection({
      transport: {
        write: (bytes, sent) => void this.#socket.write(bytes, sent),
        destroy: () => void this.#socket.destroy(),
      },
      later: clock.loop.later,
      headers: new RequestHeaders({
        ":method": "POST",
        ":scheme": url.protocol.slice(0, -1),
        ":authority": url.host,
        "content-type": "application/grpc",
        te: "trailers",
        ...metadata,
      }),
    });
    // One buffer for all reads: code that keeps bytes copies them.
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (size: number, buffer: Uint8Array): boolean => {
        this.#connection.receive((buffer as Buffer).subarray(0, size));
        this.#deliver();
        return true;
      },
    };
    this.#socket = socket === undefined ? connectTo(url, credentials, onread) : connectToPath(socket, onread);
    this.#socket.on("error", (error) => (this.#cause = messageOf(error)));
    this.#socket.once("close", () => this.#connection.end(this.#cause));
  }

  /** Connects to `http(s)://host:port`; rejects with GrpcError when that takes longer than `timeoutMs`. */
  static open(url: string, options: SessionOptions, clock: Clock, timeoutMs: number): Promise<GrpcSession> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new GrpcError(CODES.unavailable, `${url}: ${why}`, false));
      let session: GrpcSession;
      try {
        session = new GrpcSession(new URL(url), options, clock);
      } catch (error) {
        fail(String(error));
        return;
      }
      const socket = session.#socket;
      const timer = clock.after(timeoutMs, () => session.destroy(`no connection within ${timeoutMs} ms`));
      const onClose = (): void => {
        timer.cancel();
        fail(session.#cause);
      };
      socket.once("close", onClose);
      socket.once("alpnProtocol" in socket ? "secureConnect" : "connect", () => {
        timer.cancel();
        if ("alpnProtocol" in socket && socket.alpnProtocol !== "h2") {
          session.destroy("the server does not speak HTTP/2");
          return;
        }
        socket.off("close", onClose);
        resolve(session);
      });
    });
  }

  /** Whether new calls can be made. */
  get open(): boolean {
    return this.#connection.open;
  }

  /** Makes a call and resolves to its response. Rejects with GrpcError. */
  call(path: string, frame: Buffer, timeoutMs: number, metadata?: Metadata): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.request(path, frame, timeoutMs, (error, response) => (error ? reject(error) : resolve(response)), metadata);
    });
  }

  /** Makes a call and calls `done` synchronously when its outcome is known. `metadata` is of this call alone. */
  request(path: string, frame: Buffer, timeoutMs: number, done: CallDone, metadata?: Metadata): void {
    if (!this.open) return done(this.#closed(), NOTHING);
    const call = new Call(this.#clock.steady() + timeoutMs, this.#calls, done);
    call.begin(this.#connection, path, frame, metadata);
  }

  /** Opens a stream. Throws GrpcError when the connection is closed. */
  stream(path: string, sink: GrpcStreamSink): GrpcStream {
    if (!this.open) throw this.#closed();
    const stream = new SinkStream(sink, this.#messages, () => this.#deliver());
    stream.open(this.#connection, path);
    return stream;
  }

  /** Fails calls past their deadline. Called every second or so, in place of a timer for each call. */
  expire(): void {
    const now = this.#clock.steady();
    for (const call of this.#calls) {
      if (call.deadline <= now && this.#calls.has(call)) call.fail("no response in time");
    }
  }

  /** Closes the connection at once; calls fail. */
  destroy(why: string): void {
    this.#cause = why;
    this.#connection.end(why);
    this.#socket.destroy();
  }

  /** Delivers messages of streams; their sinks may cancel streams, but no further messages arrive meanwhile. */
  #deliver(): void {
    for (const { stream, bytes } of this.#messages.splice(0)) stream.deliver(bytes);
  }

  #closed(): GrpcError {
    return new GrpcError(CODES.unavailable, this.#connection.ending ?? this.#cause, false);
  }
}

interface Reading {
  readonly buffer: Buffer;
  callback(size: number, buffer: Uint8Array): boolean;
}

function connectTo({ protocol, hostname, port }: URL, credentials: Credentials | undefined, onread: Reading): Socket {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const isSecure = protocol === "https:";
  const where = { host, port: Number(port || (isSecure ? 443 : 80)), onread };
  if (!isSecure) return connectSocket({ ...where, noDelay: true });
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connectTls({ ...where, ...name, ...credentials, ALPNProtocols: ["h2"] });
  return socket.setNoDelay(true);
}

/** Connects to a unix socket. @throws {RangeError} where the path is too long for the system */
function connectToPath(path: string, onread: Reading): Socket {
  using short = shortPath(path);
  return connectSocket({ path: short.path, onread });
}

/** The message of an error; of the first attempt where all addresses of a name failed. */
const messageOf = (error: Error): string =>
  error.message || (error instanceof AggregateError ? String((error.errors[0] as Error).message) : error.name);

/** A request and its response, on one stream. */
abstract class Exchange implements StreamListener {
  readonly #messages = new Messages((message, isKept) => this.take(message, isKept));
  #connection: ClientConnection | undefined;
  #stream: ClientStream | undefined;
  /** The gRPC status of the response, and the HTTP status where the server does not speak gRPC. */
  #code: string | undefined;
  #message = "no message";
  #httpStatus = "200";

  /** Receives a message; unless it `isKept`, its bytes are valid during the call. */
  protected abstract take(message: Buffer, isKept: boolean): void;

  /** Nothing follows. */
  protected abstract done(error: GrpcError | undefined): void;

  open(connection: ClientConnection, path: string, metadata?: Metadata): void {
    this.#connection = connection;
    this.#stream = connection.request(path, this, metadata);
  }

  protected write(frame: Buffer, isLast: boolean): void {
    this.#connection!.send(this.#stream!, frame, isLast);
  }

  /** Resets the stream; nothing is reported. */
  cancel(): void {
    this.#connection!.cancel(this.#stream!);
  }

  /** Resets the stream, and reports an error. */
  fail(why: string): void {
    this.done(new GrpcError(CODES.unavailable, why, this.#connection!.cancel(this.#stream!)));
  }

  headers(fields: readonly string[]): void {
    for (let i = 0; i < fields.length; i += 2) {
      const value = fields[i + 1]!;
      if (fields[i] === "grpc-status") this.#code = value;
      else if (fields[i] === "grpc-message") this.#message = value;
      else if (fields[i] === ":status") this.#httpStatus = value;
    }
  }

  data(bytes: Buffer, from: number, to: number): void {
    try {
      this.#messages.push(bytes, from, to);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  closed(failure: StreamFailure | undefined): void {
    this.done(this.#outcome(failure));
  }

  #outcome(failure: StreamFailure | undefined): GrpcError | undefined {
    if (this.#code === "0") return undefined;
    if (this.#code !== undefined) return new GrpcError(Number(this.#code), decoded(this.#message), true);
    if (this.#httpStatus !== "200") {
      return new GrpcError(CODES.unavailable, `the server responded with HTTP ${this.#httpStatus}`, true);
    }
    const { why, sent } = failure ?? { why: "the server ended the stream without a status", sent: true };
    return new GrpcError(CODES.unavailable, why, sent);
  }
}

/** A unary call. */
class Call extends Exchange {
  /** On the steady clock. */
  readonly deadline: number;
  readonly #calls: ShortLivedSet<Call>;
  readonly #done: CallDone;
  #response: Buffer | undefined;

  /** @param calls all open calls */
  constructor(deadline: number, calls: ShortLivedSet<Call>, done: CallDone) {
    super();
    this.deadline = deadline;
    this.#calls = calls;
    this.#done = done;
    calls.add(this);
  }

  begin(connection: ClientConnection, path: string, frame: Buffer, metadata: Metadata | undefined): void {
    this.open(connection, path, metadata);
    this.write(frame, true);
  }

  protected take(message: Buffer, isKept: boolean): void {
    this.#response = isKept ? message : Buffer.from(message);
  }

  protected done(error: GrpcError | undefined): void {
    this.#calls.delete(this);
    if (error) this.#done(error, NOTHING);
    else if (this.#response) this.#done(undefined, this.#response);
    else this.#done(new GrpcError(CODES.internal, "Expected a response, got an empty stream", true), NOTHING);
  }
}

/** A message of a stream that is not delivered yet. */
interface Message {
  readonly stream: SinkStream;
  readonly bytes: Buffer;
}

/** A stream that delivers its messages to a sink. */
class SinkStream extends Exchange implements GrpcStream {
  readonly #sink: GrpcStreamSink;
  readonly #waiting: Message[];
  readonly #deliver: () => void;
  #isClosed = false;

  /** @param waiting messages until `deliver` is called */
  constructor(sink: GrpcStreamSink, waiting: Message[], deliver: () => void) {
    super();
    this.#sink = sink;
    this.#waiting = waiting;
    this.#deliver = deliver;
  }

  send(frame: Buffer): void {
    this.write(frame, false);
  }

  override cancel(): void {
    this.#isClosed = true;
    super.cancel();
  }

  /** Delivers a message to the sink. */
  deliver(bytes: Buffer): void {
    if (this.#isClosed) return;
    try {
      this.#sink.message(bytes);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  protected take(bytes: Buffer): void {
    this.#waiting.push({ stream: this, bytes });
  }

  protected done(error: GrpcError | undefined): void {
    this.#deliver();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sink.ended(error ?? new GrpcError(CODES.unavailable, "the server ended the stream", true));
  }
}

const NOTHING = Buffer.alloc(0);

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
