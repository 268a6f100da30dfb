/**
 * The client's side of an HTTP/2 connection (RFC 9113), without a socket: as much of it as gRPC needs.
 *
 *     stream: waiting (the server takes no more streams) -> open -> over: ended by the server, reset, or lost with the connection
 *
 * What comes is read at once, so the server may always send on. What leaves waits for the windows of the server; frames that
 * may leave are collected while the program works, and leave together.
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
import { PassingMap } from "../util/passing.ts";

/** Bytes that may be under way on a stream and on the connection: a large range or a burst of events in one go. */
const STREAM_WINDOW = 4 << 20;
const CONNECTION_WINDOW = 32 << 20;
/** The server is told of bytes that have been read when it is this part of its window. */
const WINDOW_PART = 4;
/** The headers of an answer; a message for people is among them. */
const HEADERS = { listBytes: 1 << 20, listFields: 1000 } as const;

/** Why a stream is over, unless the server has ended it in order. */
export interface StreamFailure {
  readonly why: string;
  /** Whether the server may have acted on the request. */
  readonly sent: boolean;
}

/** Who listens to a stream. */
export interface StreamListener {
  /** What stands before all data, or behind it: names and values in turn. */
  headers(fields: readonly string[]): void;
  /** Bytes, which are valid during the call. */
  data(bytes: Buffer, from: number, to: number): void;
  /** Nothing follows. */
  over(failure: StreamFailure | undefined): void;
}

/** What a connection needs. */
export interface ConnectionOptions {
  readonly transport: FrameSink & {
    /** Ends the socket at once; {@link ClientConnection.end} is told of it. */
    destroy(): void;
  };
  /** Does some work when everything that has come so far has been looked at. */
  readonly later: (work: () => void) => void;
  readonly headers: RequestHeaders;
}

/** A stream; see {@link ClientConnection}. */
export class ClientStream {
  readonly path: string;
  readonly listener: StreamListener;
  /** 0 as long as it waits to be opened. */
  id = 0;
  /** How often bytes had left when its head was added. */
  handedOver = 0;
  /** Bytes that the server lets us send. */
  window = 0;
  /** Bytes that have come and that the server has not been told of. */
  read = 0;
  /** What waits for windows, and how much of the first piece has gone. */
  pieces: Uint8Array[] = [];
  offset = 0;
  /** Whether nothing is added any more, and whether all of it has been written. */
  isEnding = false;
  isEnded = false;
  isOver = false;

  constructor(path: string, listener: StreamListener) {
    this.path = path;
    this.listener = listener;
  }
}

/** See the head of this file. */
export class ClientConnection {
  readonly #options: ConnectionOptions;
  readonly #reader = new FrameReader(DEFAULT_FRAME_SIZE, (frame) => this.#take(frame), "");
  readonly #decoder = new HeaderDecoder(HEADERS);
  readonly #writer: FrameWriter;
  readonly #streams = new PassingMap<number, ClientStream>();
  /** Streams that the server has no place for. */
  readonly #waiting = new Set<ClientStream>();
  /** Streams whose bytes wait for windows. */
  #blocked = new Set<ClientStream>();
  #block: HeaderBlock | undefined;
  #nextId = 1;
  #window = DEFAULT_WINDOW;
  #streamWindow = DEFAULT_WINDOW;
  #mostStreams = Infinity;
  #read = 0;
  /** Why no stream is opened any more. */
  #ending: string | undefined;
  #isOver = false;

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

  /** Why they cannot. */
  get ending(): string | undefined {
    return this.#ending;
  }

  /** Opens a stream, as soon as the server has a place for it. Only as long as the connection is open. */
  request(path: string, listener: StreamListener): ClientStream {
    const stream = new ClientStream(path, listener);
    if (this.#streams.size < this.#mostStreams) this.#begin(stream);
    else this.#waiting.add(stream);
    return stream;
  }

  /** Sends bytes, which must not be changed, and where nothing follows them the end of our side. */
  send(stream: ClientStream, bytes: Uint8Array, isLast: boolean): void {
    if (stream.isOver) return;
    stream.isEnding = isLast;
    const { length } = bytes;
    const fits = length <= DEFAULT_FRAME_SIZE && length <= stream.window && length <= this.#window;
    if (fits && stream.id > 0 && stream.pieces.length === 0) return this.#data(stream, bytes, 0, length);
    stream.pieces.push(bytes);
    if (stream.id > 0) this.#pump(stream);
  }

  /** Ends a stream from our side; its listener hears no more of it. Says whether the server may have acted on it. */
  cancel(stream: ClientStream): boolean {
    const sent = this.#isSent(stream);
    if (stream.isOver) return sent;
    this.#forget(stream);
    if (stream.id > 0 && !this.#isOver) this.#writer.text(resetFrame(stream.id, ERROR.cancel));
    this.#go();
    return sent;
  }

  /** Takes what has come over the socket. */
  receive(piece: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#reader.read(piece);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.end(error.message);
      this.#options.transport.destroy();
    }
  }

  /** The socket has ended, or will: all streams are over. */
  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ending ??= why;
    for (const stream of [...this.#streams.values(), ...this.#waiting]) {
      this.#over(stream, { why, sent: this.#isSent(stream) });
    }
  }

  #isSent({ id, handedOver }: ClientStream): boolean {
    return id > 0 && handedOver < this.#writer.handedOver;
  }

  // What leaves

  #begin(stream: ClientStream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    stream.window = this.#streamWindow;
    this.#streams.set(stream.id, stream);
    const block = this.#options.headers.block(stream.path);
    stream.handedOver = this.#writer.handedOver;
    this.#writer.frame(TYPE.headers, FLAG.endHeaders, stream.id, block, 0, block.length);
    // Identifiers are used up; a new connection has new ones.
    if (this.#nextId > 0x7fffffff) this.#ending ??= "all streams of the connection have been used";
  }

  #data(stream: ClientStream, bytes: Uint8Array, from: number, to: number): void {
    const isLast = stream.isEnding && to === bytes.length && stream.pieces.length <= 1;
    stream.window -= to - from;
    this.#window -= to - from;
    stream.isEnded = isLast;
    this.#writer.frame(TYPE.data, isLast ? FLAG.endStream : 0, stream.id, bytes, from, to);
  }

  /** Sends what the windows let through. */
  #pump(stream: ClientStream): void {
    this.#blocked.delete(stream);
    while (stream.pieces.length > 0) {
      const piece = stream.pieces[0]!;
      const size = Math.min(piece.length - stream.offset, DEFAULT_FRAME_SIZE, stream.window, this.#window);
      if (size <= 0) {
        // At the end, so that a large message does not keep the window of the connection to itself.
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

  /** Opens streams that have waited, and closes a connection that has come to its end. */
  #go(): void {
    while (this.#waiting.size > 0 && this.#streams.size < this.#mostStreams && this.open) {
      const [stream] = this.#waiting;
      this.#waiting.delete(stream!);
      this.#begin(stream!);
      this.#pump(stream!);
    }
    if (this.open || this.#streams.size > 0 || this.#isOver) return;
    this.end(this.#ending!);
    this.#options.transport.destroy();
  }

  // What comes

  #take(frame: Frame): boolean {
    if (this.#block && (frame.type !== TYPE.continuation || frame.stream !== this.#block.stream)) {
      throw protocolError("expected the rest of the headers");
    }
    switch (frame.type) {
      case TYPE.data:
        this.#onData(frame);
        break;
      case TYPE.headers:
        this.#onHeaders(frame);
        break;
      case TYPE.continuation:
        this.#onContinuation(frame);
        break;
      case TYPE.reset:
        this.#onReset(frame);
        break;
      case TYPE.settings:
        this.#onSettings(frame);
        break;
      case TYPE.pushPromise:
        throw protocolError("expected no stream that was not asked for");
      case TYPE.ping:
        if (frame.to - frame.from !== 8) throw new ConnectionError(ERROR.frameSize, "expected a ping of eight bytes");
        if (!(frame.flags & FLAG.ack)) this.#writer.text(pingAck(frame.bytes.toString("latin1", frame.from, frame.to)));
        break;
      case TYPE.goAway:
        this.#onGoAway(frame);
        break;
      case TYPE.windowUpdate:
        this.#onWindowUpdate(frame);
        break;
      default: // Frames of extensions are passed over (RFC 9113 5.5).
    }
    return !this.#isOver;
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
    // Read whoever they are for: the table of the connection follows from all of them.
    const { fields } = this.#decoder.decode(bytes, from, to);
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#mustBeKnown(frame);
    stream.listener.headers(fields);
    if (isEnd) this.#ended(stream);
  }

  /** A stream that we have given up may still be sent something. */
  #mustBeKnown({ stream }: Frame): void {
    if (stream === 0 || stream >= this.#nextId) throw protocolError(`expected a stream that was opened, got ${stream}`);
  }

  #ended(stream: ClientStream): void {
    if (stream.isOver) return;
    // It does not want the rest of what we say.
    if (!stream.isEnded) this.#writer.text(resetFrame(stream.id, ERROR.cancel));
    this.#over(stream, undefined);
    this.#go();
  }

  #onReset(frame: Frame): void {
    if (frame.to - frame.from !== 4) throw new ConnectionError(ERROR.frameSize, "expected a reset of four bytes");
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#mustBeKnown(frame);
    const code = frame.bytes.readUInt32BE(frame.from);
    // The server promises that it has not acted on a stream that it refuses (RFC 9113, 8.7).
    const sent = code !== ERROR.refusedStream;
    this.#over(stream, { why: `the server reset the stream (code ${code})`, sent });
    this.#go();
  }

  #onSettings(frame: Frame): void {
    if (frame.flags & FLAG.ack) return;
    const { initialWindowSize, headerTableSize, maxConcurrentStreams } = peerSettings(frame);
    if (headerTableSize !== undefined) this.#options.headers.tableSize(headerTableSize);
    if (maxConcurrentStreams !== undefined) this.#mostStreams = maxConcurrentStreams;
    if (initialWindowSize !== undefined) {
      const more = initialWindowSize - this.#streamWindow;
      this.#streamWindow = initialWindowSize;
      for (const stream of this.#streams.values()) stream.window += more;
    }
    this.#writer.text(SETTINGS_ACK);
    this.#go();
    this.#pumpAll();
  }

  #onGoAway(frame: Frame): void {
    if (frame.to - frame.from < 8) throw new ConnectionError(ERROR.frameSize, "expected a last stream and a code");
    const last = frame.bytes.readUInt32BE(frame.from) & 0x7fffffff;
    const code = frame.bytes.readUInt32BE(frame.from + 4);
    const why = `the server ended the connection (code ${code})`;
    this.#ending ??= why;
    for (const stream of this.#waiting) this.#over(stream, { why, sent: false });
    for (const stream of this.#streams.values()) if (stream.id > last) this.#over(stream, { why, sent: false });
    if (code !== ERROR.none) {
      this.end(why);
      this.#options.transport.destroy();
    } else this.#go();
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

  #over(stream: ClientStream, failure: StreamFailure | undefined): void {
    this.#forget(stream);
    stream.listener.over(failure);
  }

  #forget(stream: ClientStream): void {
    stream.isOver = true;
    this.#streams.delete(stream.id);
    if (this.#waiting.size > 0) this.#waiting.delete(stream);
    if (stream.pieces.length === 0) return;
    stream.pieces = [];
    this.#blocked.delete(stream);
  }
}

const protocolError = (why: string): ConnectionError => new ConnectionError(ERROR.protocol, why);
