/**
 * The client's side of an HTTP/2 connection (RFC 9113), without a socket: the part of it that gRPC needs.
 *
 *     stream: waiting (the server allows no more streams) -> open -> closed: by the server, by a reset, or with the connection
 *
 * Received bytes are read at once, so the server may always send. Sent bytes wait for the windows of the server; frames are
 * collected during one slice of the event loop and leave together.
 *
 * @module
 */
import { DEFAULT_FRAME_SIZE, DEFAULT_WINDOW, ERROR, FLAG, PREFACE, SETTING, TYPE } from "../http2/constants.ts";
import { ConnectionError } from "../http2/errors.ts";
import { type Frame, FrameReader } from "../http2/frame-reader.ts";
import { SETTINGS_ACK, pingAck, resetFrame, settingsFrame, windowUpdateFrame } from "../http2/frames.ts";
import { HeaderBlock } from "../http2/header-block.ts";
import { HeaderDecoder } from "../http2/header-decoder.ts";
import { peerSettings } from "../http2/settings.ts";
import { type FrameSink, FrameWriter } from "./frame-writer.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { ShortLivedMap } from "../util/short-lived.ts";

/** Flow control windows in bytes: a large range or a burst of events fits. */
const STREAM_WINDOW = 4 << 20;
const CONNECTION_WINDOW = 32 << 20;
/** A WINDOW_UPDATE is sent when this part of a window has been read. */
const WINDOW_PART = 4;
/** Limits of response headers; a message for people is among them. */
const HEADERS = { listBytes: 1 << 20, listFields: 1000 } as const;

/** More headers of a request, by lower-case names. */
export type Metadata = Readonly<Record<string, string>>;

/** Why a stream closed, unless the server ended it in order. */
export interface StreamFailure {
  readonly why: string;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;
}

/** Receives what arrives on a stream. */
export interface StreamListener {
  /** Headers or trailers: names and values alternate. */
  headers(fields: readonly string[]): void;
  /** Bytes, which are valid during the call. */
  data(bytes: Buffer, from: number, to: number): void;
  /** Nothing follows. */
  closed(failure: StreamFailure | undefined): void;
}

/** What a connection needs. */
export interface ConnectionOptions {
  readonly transport: FrameSink & {
    /** Destroys the socket; then calls {@link ClientConnection.end}. */
    destroy(): void;
  };
  /** Runs work after all bytes that have arrived are processed. */
  readonly later: (work: () => void) => void;
  readonly headers: RequestHeaders;
}

/** A stream; see {@link ClientConnection}. */
export class ClientStream {
  readonly path: string;
  readonly listener: StreamListener;
  readonly metadata: Metadata | undefined;
  /** 0 while it waits to be opened. */
  id = 0;
  /** `FrameWriter.flushes` when its headers were added. */
  flushes = 0;
  /** Bytes that the server's window allows. */
  window = 0;
  /** Bytes that were read since the last WINDOW_UPDATE. */
  read = 0;
  /** Bytes that wait for windows, and how much of the first piece was sent. */
  pieces: Uint8Array[] = [];
  offset = 0;
  /** Whether the last piece was added, and whether it was sent. */
  isEnding = false;
  isEnded = false;
  isClosed = false;

  constructor(path: string, listener: StreamListener, metadata: Metadata | undefined) {
    this.path = path;
    this.listener = listener;
    this.metadata = metadata;
  }
}

/** See the head of this file. */
export class ClientConnection {
  readonly #options: ConnectionOptions;
  readonly #reader = new FrameReader(DEFAULT_FRAME_SIZE, (frame) => this.#take(frame), "");
  readonly #decoder = new HeaderDecoder(HEADERS);
  readonly #writer: FrameWriter;
  readonly #streams = new ShortLivedMap<number, ClientStream>();
  /** Streams above the server's limit. */
  readonly #waiting = new Set<ClientStream>();
  /** Streams whose bytes wait for windows. */
  #blocked = new Set<ClientStream>();
  #block: HeaderBlock | undefined;
  #nextId = 1;
  #window = DEFAULT_WINDOW;
  #streamWindow = DEFAULT_WINDOW;
  #maxStreams = Infinity;
  #read = 0;
  /** Why no more streams can be opened. */
  #ending: string | undefined;
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#writer = new FrameWriter(options.transport, options.later);
    const settings = settingsFrame([
      [SETTING.enablePush, 0],
      [SETTING.initialWindowSize, STREAM_WINDOW],
    ]);
    this.#writer.text(PREFACE + settings + windowUpdateFrame(0, CONNECTION_WINDOW - DEFAULT_WINDOW));
  }

  /** Whether streams can be opened. */
  get open(): boolean {
    return this.#ending === undefined;
  }

  /** Why no streams can be opened. */
  get ending(): string | undefined {
    return this.#ending;
  }

  /** Opens a stream, as soon as the server allows one more. Requires an open connection. */
  request(path: string, listener: StreamListener, metadata?: Metadata): ClientStream {
    const stream = new ClientStream(path, listener, metadata);
    if (this.#streams.size < this.#maxStreams) this.#begin(stream);
    else this.#waiting.add(stream);
    return stream;
  }

  /** Sends bytes, which must not change afterwards. `isLast` ends our side of the stream. */
  send(stream: ClientStream, bytes: Uint8Array, isLast: boolean): void {
    if (stream.isClosed) return;
    stream.isEnding = isLast;
    const { length } = bytes;
    const fits = length <= DEFAULT_FRAME_SIZE && length <= stream.window && length <= this.#window;
    if (fits && stream.id > 0 && stream.pieces.length === 0) return this.#data(stream, bytes, 0, length);
    stream.pieces.push(bytes);
    if (stream.id > 0) this.#pump(stream);
  }

  /** Resets a stream; its listener is not called any more. Returns whether the server may have acted on it. */
  cancel(stream: ClientStream): boolean {
    const sent = this.#isSent(stream);
    if (stream.isClosed) return sent;
    this.#forget(stream);
    if (stream.id > 0 && !this.#isClosed) this.#writer.text(resetFrame(stream.id, ERROR.cancel));
    this.#openWaiting();
    return sent;
  }

  /** Processes bytes from the socket. */
  receive(piece: Buffer): void {
    if (this.#isClosed) return;
    try {
      this.#reader.read(piece);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.end(error.message);
      this.#options.transport.destroy();
    }
  }

  /** Closes all streams: the socket has ended, or will. */
  end(why: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ending ??= why;
    for (const stream of [...this.#streams.values(), ...this.#waiting]) {
      this.#close(stream, { why, sent: this.#isSent(stream) });
    }
  }

  #isSent({ id, flushes }: ClientStream): boolean {
    return id > 0 && flushes < this.#writer.flushes;
  }

  // Sending

  #begin(stream: ClientStream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    stream.window = this.#streamWindow;
    this.#streams.set(stream.id, stream);
    const block = this.#options.headers.block(stream.path, stream.metadata);
    stream.flushes = this.#writer.flushes;
    this.#writer.frame(TYPE.headers, FLAG.endHeaders, stream.id, block, 0, block.length);
    // The identifiers are used up; a new connection starts again at 1.
    if (this.#nextId > 0x7fffffff) this.#ending ??= "all streams of the connection have been used";
  }

  #data(stream: ClientStream, bytes: Uint8Array, from: number, to: number): void {
    const isLast = stream.isEnding && to === bytes.length && stream.pieces.length <= 1;
    stream.window -= to - from;
    this.#window -= to - from;
    stream.isEnded = isLast;
    this.#writer.frame(TYPE.data, isLast ? FLAG.endStream : 0, stream.id, bytes, from, to);
  }

  /** Sends what the windows allow. */
  #pump(stream: ClientStream): void {
    this.#blocked.delete(stream);
    while (stream.pieces.length > 0) {
      const piece = stream.pieces[0]!;
      const size = Math.min(piece.length - stream.offset, DEFAULT_FRAME_SIZE, stream.window, this.#window);
      if (size <= 0) {
        // Last in the set, so that one large message does not use the connection's window alone.
        this.#blocked.add(stream);
        return;
      }
      const from = stream.offset;
      stream.offset += size;
      this.#data(stream, piece, from, stream.offset);
      if (stream.offset < piece.length) continue;
      stream.pieces.shift();
      stream.offset = 0;
    }
  }

  /** Opens streams that wait, and closes a connection that is ending and has no streams. */
  #openWaiting(): void {
    while (this.#waiting.size > 0 && this.#streams.size < this.#maxStreams && this.open) {
      const [stream] = this.#waiting;
      this.#waiting.delete(stream!);
      this.#begin(stream!);
      this.#pump(stream!);
    }
    if (this.open || this.#streams.size > 0 || this.#isClosed) return;
    this.end(this.#ending!);
    this.#options.transport.destroy();
  }

  // Receiving

  #take(frame: Frame): boolean {
    if (this.#block && (frame.type !== TYPE.continuation || frame.stream !== this.#block.stream)) {
      throw protocolError("expected the rest of the headers");
    }
    this.#dispatch(frame);
    return !this.#isClosed;
  }

  #dispatch(frame: Frame): void {
    switch (frame.type) {
      case TYPE.data:
        return this.#onData(frame);
      case TYPE.headers:
        return this.#onHeaders(frame);
      case TYPE.continuation:
        return this.#onContinuation(frame);
      case TYPE.reset:
        return this.#onReset(frame);
      case TYPE.settings:
        return this.#onSettings(frame);
      case TYPE.pushPromise:
        throw protocolError("expected no pushed stream");
      case TYPE.ping:
        return this.#onPing(frame);
      case TYPE.goAway:
        return this.#onGoAway(frame);
      case TYPE.windowUpdate:
        return this.#onWindowUpdate(frame);
      default: // Unknown frames are ignored (RFC 9113 5.5).
    }
  }

  #onPing({ flags, bytes, from, to }: Frame): void {
    if (to - from !== 8) throw new ConnectionError(ERROR.frameSize, "expected a ping of eight bytes");
    if (!(flags & FLAG.ack)) this.#writer.text(pingAck(bytes.toString("latin1", from, to)));
  }

  #onData(frame: Frame): void {
    const size = frame.to - frame.from;
    this.#read += size;
    if (this.#read >= CONNECTION_WINDOW / WINDOW_PART) {
      this.#writer.text(windowUpdateFrame(0, this.#read));
      this.#read = 0;
    }
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#mustBeKnown(frame);
    const from = frame.flags & FLAG.padded ? frame.from + 1 : frame.from;
    const to = frame.flags & FLAG.padded ? frame.to - frame.bytes[frame.from]! : frame.to;
    if (to < from) throw protocolError("expected less padding than the frame has bytes");
    stream.read += size;
    const isEnd = (frame.flags & FLAG.endStream) !== 0;
    if (!isEnd && stream.read >= STREAM_WINDOW / WINDOW_PART) {
      this.#writer.text(windowUpdateFrame(stream.id, stream.read));
      stream.read = 0;
    }
    if (to > from) stream.listener.data(frame.bytes, from, to);
    if (isEnd) this.#ended(stream);
  }

  #onHeaders(frame: Frame): void {
    let { from, to } = frame;
    if (frame.flags & FLAG.padded) to -= frame.bytes[from++]!;
    if (frame.flags & FLAG.priority) from += 5;
    if (to < from) throw protocolError("expected less padding than the frame has bytes");
    const isEnd = (frame.flags & FLAG.endStream) !== 0;
    if (frame.flags & FLAG.endHeaders) return this.#onBlock(frame, isEnd, frame.bytes, from, to);
    this.#block = new HeaderBlock(frame.stream, isEnd, HEADERS.listBytes);
    this.#block.add(frame.bytes, from, to);
  }

  #onContinuation(frame: Frame): void {
    const block = this.#block;
    if (!block) throw protocolError("expected headers before their continuation");
    block.add(frame.bytes, frame.from, frame.to);
    if (!(frame.flags & FLAG.endHeaders)) return;
    this.#block = undefined;
    const whole = block.whole();
    this.#onBlock(frame, block.isEnd, whole, 0, whole.length);
  }

  #onBlock(frame: Frame, isEnd: boolean, bytes: Buffer, from: number, to: number): void {
    // Decode for every stream, also unknown ones: blocks change the table of the connection.
    const { fields } = this.#decoder.decode(bytes, from, to);
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#mustBeKnown(frame);
    stream.listener.headers(fields);
    if (isEnd) this.#ended(stream);
  }

  /** The server may still send on a stream that was cancelled, but not on one that was never opened. */
  #mustBeKnown({ stream }: Frame): void {
    if (stream === 0 || stream >= this.#nextId) throw protocolError(`expected a stream that was opened, got ${stream}`);
  }

  #ended(stream: ClientStream): void {
    if (stream.isClosed) return;
    // The server needs no more of the request.
    if (!stream.isEnded) this.#writer.text(resetFrame(stream.id, ERROR.cancel));
    this.#close(stream, undefined);
    this.#openWaiting();
  }

  #onReset(frame: Frame): void {
    if (frame.to - frame.from !== 4) throw new ConnectionError(ERROR.frameSize, "expected a reset of four bytes");
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#mustBeKnown(frame);
    const code = frame.bytes.readUInt32BE(frame.from);
    // The server has not acted on a stream that it refuses (RFC 9113, 8.7).
    const sent = code !== ERROR.refusedStream;
    this.#close(stream, { why: `the server reset the stream (code ${code})`, sent });
    this.#openWaiting();
  }

  #onSettings(frame: Frame): void {
    if (frame.flags & FLAG.ack) return;
    const { initialWindowSize, headerTableSize, maxConcurrentStreams } = peerSettings(frame);
    if (headerTableSize !== undefined) this.#options.headers.tableSize(headerTableSize);
    if (maxConcurrentStreams !== undefined) this.#maxStreams = maxConcurrentStreams;
    if (initialWindowSize !== undefined) {
      const more = initialWindowSize - this.#streamWindow;
      this.#streamWindow = initialWindowSize;
      for (const stream of this.#streams.values()) stream.window += more;
    }
    this.#writer.text(SETTINGS_ACK);
    this.#openWaiting();
    this.#pumpAll();
  }

  #onGoAway(frame: Frame): void {
    if (frame.to - frame.from < 8) throw new ConnectionError(ERROR.frameSize, "expected a last stream and a code");
    const last = frame.bytes.readUInt32BE(frame.from) & 0x7fffffff;
    const code = frame.bytes.readUInt32BE(frame.from + 4);
    const why = `the server ended the connection (code ${code})`;
    this.#ending ??= why;
    for (const stream of this.#waiting) this.#close(stream, { why, sent: false });
    for (const stream of this.#streams.values()) if (stream.id > last) this.#close(stream, { why, sent: false });
    if (code !== ERROR.none) {
      this.end(why);
      this.#options.transport.destroy();
    } else this.#openWaiting();
  }

  #onWindowUpdate(frame: Frame): void {
    if (frame.to - frame.from !== 4) throw new ConnectionError(ERROR.frameSize, "expected a window of four bytes");
    const more = frame.bytes.readUInt32BE(frame.from) & 0x7fffffff;
    if (frame.stream === 0) {
      this.#window += more;
      return this.#pumpAll();
    }
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#mustBeKnown(frame);
    stream.window += more;
    if (this.#blocked.has(stream)) this.#pump(stream);
  }

  #pumpAll(): void {
    const blocked = this.#blocked;
    this.#blocked = new Set();
    for (const stream of blocked) this.#pump(stream);
  }

  #close(stream: ClientStream, failure: StreamFailure | undefined): void {
    this.#forget(stream);
    stream.listener.closed(failure);
  }

  #forget(stream: ClientStream): void {
    stream.isClosed = true;
    this.#streams.delete(stream.id);
    if (this.#waiting.size > 0) this.#waiting.delete(stream);
    if (stream.pieces.length === 0) return;
    stream.pieces = [];
    this.#blocked.delete(stream);
  }
}

const protocolError = (why: string): ConnectionError => new ConnectionError(ERROR.protocol, why);
