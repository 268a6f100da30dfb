/**
 * The client of a {@link Http2Connection}, without a socket.
 *
 * @module
 */
import { type ConnectionOptions, Http2Connection } from "../connection.ts";
import { DEFAULT_FRAME_SIZE, PREFACE } from "../constants.ts";
import { type Frame, FrameReader } from "../frame-reader.ts";
import { HeaderDecoder } from "../header-decoder.ts";
import { outputPages } from "../output.ts";
import type { Http2Stream } from "../stream.ts";
import { FLAG, TYPE, frame, requestBlock, settings } from "./frames.ts";

/** A frame of the server. */
export interface SentFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The frames of the server on a stream. */
export interface PeerResponse {
  /** The statuses and headers of interim responses and of the final one. */
  readonly heads: Readonly<Record<string, string>>[];
  body: string;
  isEnded: boolean;
  /** The code of its reset. */
  reset: number | undefined;
}

type Options = Partial<Omit<ConnectionOptions, "transport" | "later" | "now">>;

/** A connection with a client that reads only when a test tells it to. */
export class Peer {
  readonly connection: Http2Connection;
  /** The requests of the server. */
  readonly requests: Http2Stream[] = [];
  readonly faults: unknown[] = [];
  /** The calls of the socket by the server: `end`, `destroy`, `pause`, `resume`. */
  readonly socket: string[] = [];
  readonly frames: SentFrame[] = [];
  readonly responses = new Map<number, PeerResponse>();
  isEnding = false;
  now = 0;
  /** Whether writes of the server are sent at once. */
  takes = true;
  readonly #untaken: (() => void)[] = [];
  #later: (() => void)[] = [];
  readonly #reader = new FrameReader(DEFAULT_FRAME_SIZE, (got) => this.#take(got), "");
  #block = Buffer.alloc(0);
  readonly #decoder = new HeaderDecoder({ listBytes: 1 << 20, listFields: 1000 });

  constructor(options: Options = {}) {
    const note = (what: string) => (): void => void this.socket.push(what);
    this.connection = new Http2Connection({
      transport: {
        write: (bytes, sent) => this.#read(bytes, sent),
        end: note("end"),
        destroy: note("destroy"),
        pause: note("pause"),
        resume: note("resume"),
      },
      limits: LIMITS,
      pages: outputPages(4),
      headerMemory: { take: () => true, give: () => {} },
      onRequest: (stream) => void this.requests.push(stream),
      onHeaders: () => {},
      onEnding: () => (this.isEnding = true),
      onFault: (error) => void this.faults.push(error),
      ...options,
      later: (work) => void this.#later.push(work),
      now: () => this.now,
    });
  }

  /** Returns a peer that has sent the preface. */
  static open(options: Options = {}, values: Parameters<typeof settings>[0] = []): Peer {
    const peer = new Peer(options);
    peer.send(Buffer.from(PREFACE), settings(values));
    return peer;
  }

  /** Sends bytes, and runs the server until it is idle. */
  send(...pieces: readonly Buffer[]): void {
    this.connection.receive(Buffer.concat(pieces));
    this.turn();
  }

  /** Sends a request without a body, or whose body follows. */
  request(stream: number, { method = "GET", path = "/", headers = [], ends = true }: RequestOptions = {}): void {
    const flags = FLAG.endHeaders | (ends ? FLAG.endStream : 0);
    this.send(frame(TYPE.headers, flags, stream, requestBlock(method, path, headers)));
  }

  /** Sends a piece of a body. */
  data(stream: number, bytes: Uint8Array | string, ends = false): void {
    this.send(frame(TYPE.data, ends ? FLAG.endStream : 0, stream, Buffer.from(bytes)));
  }

  /** Runs what the server does at the end of a pass, until nothing is left. */
  turn(): void {
    while (this.#later.length > 0) {
      const works = this.#later;
      this.#later = [];
      for (const work of works) work();
    }
  }

  /** Reads all that the server has written. */
  takeAll(): void {
    this.takes = true;
    for (const sent of this.#untaken.splice(0)) sent();
    this.turn();
  }

  /** Returns the response on a stream so far. */
  response(stream: number): PeerResponse {
    let response = this.responses.get(stream);
    if (!response) this.responses.set(stream, (response = { heads: [], body: "", isEnded: false, reset: undefined }));
    return response;
  }

  /** Returns the frames of a type. */
  of(type: number): SentFrame[] {
    return this.frames.filter((got) => got.type === type);
  }

  /** The code with which the server ended the connection, if it did. */
  get goAway(): number | undefined {
    return this.of(TYPE.goAway).at(-1)?.payload.readUInt32BE(4);
  }

  #head(response: PeerResponse, flags: number, part: Buffer): void {
    this.#block = Buffer.concat([this.#block, part]);
    if (!(flags & FLAG.endHeaders)) return;
    response.heads.push(fieldsOf(this.#decoder.decode(this.#block, 0, this.#block.length).fields));
    this.#block = Buffer.alloc(0);
  }

  #read(bytes: Uint8Array, sent: () => void): void {
    this.#reader.read(Buffer.from(bytes));
    if (this.takes) sent();
    else this.#untaken.push(sent);
  }

  #take({ type, flags, stream, bytes, from, to }: Frame): boolean {
    this.frames.push({ type, flags, stream, payload: Buffer.from(bytes.subarray(from, to)) });
    const response = this.response(stream);
    if (type === TYPE.headers || type === TYPE.continuation) this.#head(response, flags, bytes.subarray(from, to));
    if (type === TYPE.data) response.body += bytes.toString("latin1", from, to);
    if (type === TYPE.reset) response.reset = bytes.readUInt32BE(from);
    if (type <= TYPE.headers && flags & FLAG.endStream) response.isEnded = true;
    return true;
  }
}

/** The form of a request. */
export interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly ends?: boolean;
}

/** Small limits. */
export const LIMITS: ConnectionOptions["limits"] = {
  streams: 10,
  streamWindow: 65_536,
  headerBytes: 16_384,
  headerFields: 100,
  resets: { burst: 20, perSecond: 1 },
};

const fieldsOf = (fields: readonly string[]): Record<string, string> =>
  Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i]!, fields[2 * i + 1]!]));
