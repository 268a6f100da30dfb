/**
 * The server's side of an HTTP/2 connection (RFC 9113): bytes in, requests out; responses in, bytes out.
 *
 * It uses no socket, clock or event loop of its own, so that a test can send any sequence of frames to it. A violation by the peer
 * ends a stream or the connection, as the RFC says. An error of the server in the handling of a frame ends the stream, and goes to
 * {@link ConnectionOptions.onFault}.
 *
 * Its memory is bounded in bytes:
 *
 *     an incomplete frame                 16 KiB
 *     incomplete headers                  the limit of headers, and the shared memory of the server
 *     unread bodies                       the window of each stream; before authentication 64 KiB for all
 *     unsent responses                    256 KiB besides the bytes of the writers; above it no response is written
 *     unsent acknowledgements and resets  64 KiB more; above it nothing is read
 *
 * @module
 */
import type { BufferPool } from "../util/buffer-pool.ts";
import { attempt } from "../util/attempt.ts";
import { ShortLivedMap } from "../util/short-lived.ts";
import { DEFAULT_FRAME_SIZE, DEFAULT_TABLE_SIZE, DEFAULT_WINDOW, ERROR, FLAG, SETTING, TYPE } from "./constants.ts";
import { ConnectionError } from "./errors.ts";
import { type Frame, FrameReader } from "./frame-reader.ts";
import { PING, SETTINGS_ACK, goAwayFrame, pingAck, resetFrame, settingsFrame, windowUpdateFrame } from "./frames.ts";
import { HeaderBlock } from "./header-block.ts";
import { HeaderDecoder, type HeaderList } from "./header-decoder.ts";
import { type Later, Output, type Sink } from "./output.ts";
import { Rate, type RateLimit } from "./rate.ts";
import { areTrailers, requestHead } from "./request-head.ts";
import { Sender } from "./sender.ts";
import { peerSettings } from "./settings.ts";
import { Http2Stream, type StreamOwner } from "./stream.ts";
import { UnreadBodies } from "./unread-bodies.ts";

/** The socket of a connection. */
export interface Transport extends Sink {
  /** Ends the socket after all written bytes. */
  end(): void;
  /** Destroys the socket. */
  destroy(): void;
  /** Stops reading until {@link Transport.resume}. */
  pause(): void;
  resume(): void;
}

/** Limits of a peer. */
export interface Http2Limits {
  /** Concurrent streams. */
  readonly streams: number;
  /** Bytes of a body that may arrive before it is read. */
  readonly streamWindow: number;
  /** Bytes of the names and values of a request, with 32 more for each field; and fields. Above them the response is 431. */
  readonly headerBytes: number;
  readonly headerFields: number;
  /** Streams that the peer resets, or makes the server reset (CVE-2023-44487, CVE-2025-8671). */
  readonly resets: RateLimit;
}

/** A memory budget that connections share. */
export interface SharedMemory {
  /** Reserves bytes; returns false where there are not enough. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** The parts of a connection. */
export interface ConnectionOptions {
  readonly transport: Transport;
  readonly limits: Http2Limits;
  readonly later: Later;
  /** See {@link outputPages}. */
  readonly pages: BufferPool;
  /** The steady clock, in ms. */
  readonly now: () => number;
  /** The memory of incomplete headers. */
  readonly headerMemory: SharedMemory;
  /** Called for each request. */
  readonly onRequest: (stream: Http2Stream) => void;
  /** Called when headers are incomplete, and when they are complete. */
  readonly onHeaders: (areWaitedFor: boolean) => void;
  /** Called when the peer should close the connection: GOAWAY was sent, and no request runs. */
  readonly onEnding: () => void;
  /** Called with an error of the server; the stream has ended. */
  readonly onFault: (error: unknown) => void;
}

/** Unsent bytes of responses and acknowledgements above which nothing is read. */
const MAX_UNSENT_BYTES = 327_680;
/** Remembered streams that were reset or left unread: the peer may have sent frames on them before it knew. */
const MAX_RESET_STREAMS = 1000;

type State = "open" | "closing" | "ended";

/** See the head of this file. */
export class Http2Connection implements StreamOwner {
  readonly #options: ConnectionOptions;
  readonly #reader: FrameReader;
  readonly #decoder: HeaderDecoder;
  readonly #output: Output;
  readonly #sender: Sender;
  readonly #resets: Rate;
  readonly #streams = new ShortLivedMap<number, Http2Stream>();
  readonly #resetStreams = new Set<number>();
  readonly #unreadBodies: UnreadBodies;
  #state: State = "open";
  #isGreeted = false;
  #isTrusted = false;
  #isPaused = false;
  #lastStream = 0;
  #block: HeaderBlock | undefined = undefined;
  /** The peer's window of the connection, and its full size. */
  #window = DEFAULT_WINDOW;
  #fullWindow = DEFAULT_WINDOW;
  /** Unread bytes of bodies; counted until authentication. */
  #unread = 0;

  constructor(options: ConnectionOptions) {
    const { transport, limits } = options;
    this.#options = options;
    this.#reader = new FrameReader(DEFAULT_FRAME_SIZE, (frame) => this.#receive(frame));
    this.#decoder = new HeaderDecoder({ listBytes: limits.headerBytes, listFields: limits.headerFields });
    this.#output = new Output({ ...options, sink: transport, fill: () => this.#fill() });
    this.#sender = new Sender(this.#output, (stream) => this.#responded(stream));
    this.#resets = new Rate(limits.resets, options.now);
    this.#unreadBodies = new UnreadBodies({
      maxBodies: limits.streams,
      extend: (id, bytes) => this.#control(windowUpdateFrame(id, bytes)),
      stop: (id) => this.#control(resetFrame(id, ERROR.none)),
    });
    this.#control(
      settingsFrame([
        [SETTING.maxConcurrentStreams, limits.streams],
        [SETTING.initialWindowSize, limits.streamWindow],
        [SETTING.maxHeaderListSize, limits.headerBytes],
      ]),
    );
  }

  /** Requests without a complete response. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Whether no further request is accepted. */
  get isEnding(): boolean {
    return this.#state !== "open";
  }

  /** Processes bytes from the socket. */
  receive(piece: Buffer): void {
    if (this.#state === "ended") return;
    try {
      this.#reader.read(piece);
    } catch (error) {
      if (!(error instanceof ConnectionError)) this.#options.onFault(error);
      const { code, message } = error instanceof ConnectionError ? error : new ConnectionError(ERROR.internal, "");
      this.fail(code, message);
    }
  }

  /** Opens the window of the connection for bodies on all streams; called after authentication. */
  trust(): void {
    if (this.#isTrusted) return;
    const { streams, streamWindow } = this.#options.limits;
    this.#isTrusted = true;
    this.#unread = 0;
    this.#fullWindow = streams * streamWindow;
    this.#openWindow();
  }

  /** Sends a ping, which makes a dead socket fail. */
  ping(): void {
    this.#control(PING);
  }

  /** Accepts no further requests, and ends after the responses to those that run. */
  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#control(goAwayFrame(this.#lastStream, ERROR.none, ""));
    this.#endIfDone();
  }

  /** Ends with an error; running requests are aborted. */
  fail(code: number, message: string): void {
    if (this.#state === "ended") return;
    this.#control(goAwayFrame(this.#lastStream, code, message));
    this.#end();
    this.#dropAll();
  }

  /** Destroys the connection. */
  destroy(): void {
    this.#options.transport.destroy();
    this.closed();
  }

  /** Releases everything after the socket was closed. */
  closed(): void {
    this.#state = "ended";
    this.#dropAll();
    this.#output.close();
  }

  send(stream: Http2Stream): void {
    if (this.#state !== "ended") this.#sender.send(stream);
  }

  sendInterim({ id }: Http2Stream, block: string): void {
    if (this.#state !== "ended") this.#sender.sendInterim(id, block);
  }

  reset(stream: Http2Stream, code: number): void {
    this.#remember(stream.id);
    this.#control(resetFrame(stream.id, code));
    this.#drop(stream);
  }

  extend({ id }: Http2Stream, bytes: number): void {
    this.#control(windowUpdateFrame(id, bytes));
  }

  consumed(stream: Http2Stream): void {
    if (this.#isTrusted) return;
    this.#unread += stream.inbound.unread - stream.counted;
    stream.counted = stream.inbound.unread;
    this.#openWindow();
  }

  fault(error: unknown): void {
    this.#options.onFault(error);
  }

  // Receiving

  #receive(frame: Frame): boolean {
    this.#check(frame);
    this.#dispatch(frame);
    return this.#state !== "ended";
  }

  /** Settings come first, and no frame comes between the parts of a header block (RFC 9113 3.4 and 6.10). */
  #check({ type, flags, stream }: Frame): void {
    if (!this.#isGreeted && (type !== TYPE.settings || flags & FLAG.ack)) {
      throw new ConnectionError(ERROR.protocol, "expected the settings of the peer first");
    }
    this.#isGreeted = true;
    const isExpected = this.#block
      ? type === TYPE.continuation && stream === this.#block.stream
      : type !== TYPE.continuation;
    if (!isExpected)
      throw new ConnectionError(ERROR.protocol, "expected the rest of the headers that have begun, and nothing else");
  }

  #dispatch(frame: Frame): void {
    switch (frame.type) {
      case TYPE.data:
        return this.#onData(frame);
      case TYPE.headers:
        return this.#onHeaders(frame);
      case TYPE.priority:
        return this.#onPriority(frame);
      case TYPE.reset:
        return this.#onReset(frame);
      case TYPE.settings:
        return this.#onSettings(frame);
      case TYPE.pushPromise:
        throw new ConnectionError(ERROR.protocol, "expected no PUSH_PROMISE of a client");
      case TYPE.ping:
        return this.#onPing(frame);
      case TYPE.goAway:
        return this.#onGoAway(frame);
      case TYPE.windowUpdate:
        return this.#onWindowUpdate(frame);
      case TYPE.continuation:
        return this.#onContinuation(frame);
      default: // Unknown frames are ignored (RFC 9113 4.1).
    }
  }

  #onData(frame: Frame): void {
    const { stream: id, flags, bytes } = frame;
    this.#mustBeKnown(frame);
    const length = frame.to - frame.from;
    this.#window -= length;
    if (this.#window < 0)
      throw new ConnectionError(ERROR.flowControl, "expected no more bytes than the window of the connection");
    const [from, to] = unpadded(frame, 0);
    const isEnd = (flags & FLAG.endStream) !== 0;
    const stream = this.#streams.get(id);
    if (stream) this.#onBody(stream, length, { bytes, from, to, isEnd });
    else if (this.#unreadBodies.has(id)) this.#unreadBodies.take(id, length, isEnd);
    else if (id <= this.#lastStream && !this.#resetStreams.has(id)) this.#refuse(id, ERROR.streamClosed);
    this.#openWindow();
  }

  #onBody(
    stream: Http2Stream,
    counted: number,
    { bytes, from, to, isEnd }: { bytes: Buffer; from: number; to: number; isEnd: boolean },
  ): void {
    const { inbound } = stream;
    const code = inbound.count(counted) || inbound.take(bytes, from, to, isEnd);
    // The reader may have ended the stream before it knew that the body was complete.
    if (stream.isClosed) {
      if (isEnd) this.#unreadBodies.delete(stream.id);
      return;
    }
    if (code !== ERROR.none) return this.#refuseFrame(stream, code);
    const padding = counted - (to - from);
    if (padding > 0 && !inbound.isEnded) {
      inbound.giveBack(padding);
      this.extend(stream, padding);
    }
    this.consumed(stream);
  }

  #onHeaders(frame: Frame): void {
    const { stream: id, flags, bytes } = frame;
    this.#mustBeStream(frame);
    const priority = flags & FLAG.priority ? 5 : 0;
    const [from, to] = unpadded(frame, priority);
    if (priority > 0 && (bytes.readUInt32BE(from - priority) & 0x7fffffff) === id) {
      throw new ConnectionError(ERROR.protocol, "expected no stream to depend on itself");
    }
    const isEnd = (flags & FLAG.endStream) !== 0;
    if (flags & FLAG.endHeaders) return this.#onBlock(id, isEnd, this.#decoder.decode(bytes, from, to));
    this.#block = new HeaderBlock(id, isEnd, this.#options.limits.headerBytes * 2);
    this.#options.onHeaders(true);
    this.#addToBlock(this.#block, bytes, from, to);
  }

  #onContinuation({ flags, bytes, from, to }: Frame): void {
    const block = this.#block!;
    this.#addToBlock(block, bytes, from, to);
    if (!(flags & FLAG.endHeaders)) return;
    const whole = block.whole();
    this.#dropBlock();
    this.#onBlock(block.stream, block.isEnd, this.#decoder.decode(whole, 0, whole.length));
  }

  #addToBlock(block: HeaderBlock, bytes: Buffer, from: number, to: number): void {
    if (!this.#options.headerMemory.take(to - from)) {
      throw new ConnectionError(ERROR.enhanceYourCalm, "no memory for headers that are not whole; try again");
    }
    block.add(bytes, from, to);
  }

  #dropBlock(): void {
    if (!this.#block) return;
    this.#options.headerMemory.give(this.#block.bytes);
    this.#block = undefined;
    this.#options.onHeaders(false);
  }

  /** Processes the complete headers of a request, or its trailers. */
  #onBlock(id: number, isEnd: boolean, list: HeaderList): void {
    const stream = this.#streams.get(id);
    if (stream) return this.#onTrailers(stream, isEnd, list);
    if (isEnd) this.#unreadBodies.delete(id);
    if (this.#resetStreams.has(id)) return;
    if (id % 2 === 0) throw new ConnectionError(ERROR.protocol, `expected an odd number for a stream, got ${id}`);
    if (id <= this.#lastStream) throw new ConnectionError(ERROR.streamClosed, `expected stream ${id} to be a new one`);
    // GOAWAY has told the peer that this stream is not processed.
    if (this.#state !== "open") return;
    this.#lastStream = id;
    if (this.#streams.size >= this.#options.limits.streams) this.#refuse(id, ERROR.refusedStream);
    else this.#begin(id, isEnd, list);
  }

  #begin(id: number, isEnd: boolean, list: HeaderList): void {
    const head = requestHead(list);
    if (!head || (isEnd && head.contentLength > 0)) {
      this.#refuse(id, ERROR.protocol);
      this.#countReset();
      return;
    }
    const windows = { inbound: this.#options.limits.streamWindow, outbound: this.#sender.initialWindow };
    const stream = new Http2Stream(id, head, windows, !isEnd, this);
    if (isEnd) stream.inbound.end();
    this.#streams.set(id, stream);
    void attempt(
      () => this.#options.onRequest(stream),
      (error) => stream.fault(error),
    );
  }

  #onTrailers(stream: Http2Stream, isEnd: boolean, list: HeaderList): void {
    const isRight = isEnd && areTrailers(list);
    const code = stream.inbound.isEnded ? ERROR.streamClosed : isRight ? stream.inbound.end() : ERROR.protocol;
    if (code !== ERROR.none) this.#refuseFrame(stream, code);
  }

  #onPriority(frame: Frame): void {
    this.#mustBeStream(frame);
    const { stream: id, bytes, from, to } = frame;
    const isRight = to - from === 5 && (bytes.readUInt32BE(from) & 0x7fffffff) !== id;
    if (isRight) return;
    const code = to - from === 5 ? ERROR.protocol : ERROR.frameSize;
    const stream = this.#streams.get(id);
    if (stream) this.#refuseFrame(stream, code);
    else throw new ConnectionError(code, "expected a priority of five bytes that is not of its own stream");
  }

  #onReset(frame: Frame): void {
    this.#mustBeKnown(frame);
    mustHave(frame, 4);
    const stream = this.#streams.get(frame.stream);
    if (!stream) return this.#unreadBodies.delete(frame.stream);
    this.#drop(stream);
    this.#countReset();
  }

  #onSettings(frame: Frame): void {
    this.#mustBeConnection(frame);
    if (frame.flags & FLAG.ack) return mustHave(frame, 0);
    const { initialWindowSize, headerTableSize = DEFAULT_TABLE_SIZE } = peerSettings(frame);
    if (headerTableSize < DEFAULT_TABLE_SIZE) this.#sender.dropTable();
    if (initialWindowSize !== undefined && !this.#sender.resize(initialWindowSize, this.#streams.values())) {
      throw new ConnectionError(ERROR.flowControl, "expected windows that a stream can have");
    }
    this.#control(SETTINGS_ACK);
  }

  #onPing(frame: Frame): void {
    this.#mustBeConnection(frame);
    mustHave(frame, 8);
    if (!(frame.flags & FLAG.ack)) this.#control(pingAck(frame.bytes.toString("latin1", frame.from, frame.to)));
  }

  #onGoAway(frame: Frame): void {
    this.#mustBeConnection(frame);
    if (frame.to - frame.from < 8) throw new ConnectionError(ERROR.frameSize, "expected GOAWAY to have eight bytes");
    this.close();
  }

  #onWindowUpdate(frame: Frame): void {
    mustHave(frame, 4);
    const more = frame.bytes.readUInt32BE(frame.from) & 0x7fffffff;
    if (frame.stream === 0) {
      if (more === 0) throw new ConnectionError(ERROR.protocol, "expected a window to grow");
      if (!this.#sender.extendAll(more))
        throw new ConnectionError(ERROR.flowControl, "expected a window that a connection can have");
      return;
    }
    this.#mustBeKnown(frame);
    const stream = this.#streams.get(frame.stream);
    if (!stream) return;
    if (more === 0) this.#refuseFrame(stream, ERROR.protocol);
    else if (!this.#sender.extend(stream, more)) this.#refuseFrame(stream, ERROR.flowControl);
  }

  #mustBeConnection({ stream }: Frame): void {
    if (stream !== 0)
      throw new ConnectionError(ERROR.protocol, "expected a frame of the connection, got one of a stream");
  }

  #mustBeStream({ stream }: Frame): void {
    if (stream === 0)
      throw new ConnectionError(ERROR.protocol, "expected a frame of a stream, got one of the connection");
  }

  /** Checks that a stream has begun (RFC 9113 5.1). */
  #mustBeKnown(frame: Frame): void {
    this.#mustBeStream(frame);
    const { stream } = frame;
    if (stream % 2 === 0 || (stream > this.#lastStream && this.#state === "open")) {
      throw new ConnectionError(ERROR.protocol, `expected stream ${stream} to have begun`);
    }
  }

  // Sending
  #control(text: string): void {
    if (this.#state === "ended") return;
    this.#output.addText(text);
    if (this.#isPaused || this.#output.unsent <= MAX_UNSENT_BYTES) return;
    this.#isPaused = true;
    this.#options.transport.pause();
  }

  #fill(): void {
    this.#sender.fill();
    if (!this.#isPaused || !this.#output.hasRoom) return;
    this.#isPaused = false;
    this.#options.transport.resume();
  }

  /** Extends the window of the connection, when that is worth a frame. */
  #openWindow(): void {
    const more = this.#fullWindow - this.#unread - this.#window;
    if (more < this.#fullWindow >> 4) return;
    this.#window += more;
    this.#control(windowUpdateFrame(0, more));
  }

  /** Handles the end of a response. */
  #responded(stream: Http2Stream): void {
    const { id, inbound } = stream;
    if (!inbound.isEnded) {
      this.#remember(id);
      if (this.#state === "open") this.#unreadBodies.add(id, inbound.window, inbound.missing);
      else this.#control(resetFrame(id, ERROR.none));
    }
    this.#remove(stream);
    this.#output.whenSent(() => stream.over());
    this.#endIfDone();
  }

  /** Resets a stream that has not begun. */
  #refuse(id: number, code: number): void {
    this.#remember(id);
    this.#control(resetFrame(id, code));
  }

  /** Resets a stream after a violation of the peer. */
  #refuseFrame(stream: Http2Stream, code: number): void {
    this.reset(stream, code);
    this.#countReset();
  }

  #countReset(): void {
    if (!this.#resets.take()) throw new ConnectionError(ERROR.enhanceYourCalm, "expected fewer streams to be reset");
  }

  /** Remembers a reset stream, on which frames may still arrive. */
  #remember(id: number): void {
    this.#resetStreams.add(id);
    if (this.#resetStreams.size <= MAX_RESET_STREAMS) return;
    const [oldest] = this.#resetStreams;
    this.#resetStreams.delete(oldest!);
  }

  #drop(stream: Http2Stream): void {
    this.#remove(stream);
    queueMicrotask(() => stream.over());
    this.#endIfDone();
  }

  #remove(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#sender.forget(stream);
    stream.close();
    this.consumed(stream);
  }

  #dropAll(): void {
    this.#dropBlock();
    for (const stream of this.#streams.values()) this.#drop(stream);
  }

  #endIfDone(): void {
    if (this.#state === "closing" && this.#streams.size === 0) this.#end();
  }

  #end(): void {
    this.#state = "ended";
    this.#options.onEnding();
    this.#output.whenSent(() => this.#options.transport.end());
  }
}

/** Where the payload of a frame begins and ends, without padding and `fixed` bytes in front (RFC 9113 6.1 and 6.2). */
function unpadded({ flags, bytes, from, to }: Frame, fixed: number): [from: number, to: number] {
  const isPadded = (flags & FLAG.padded) !== 0;
  const start = from + (isPadded ? 1 : 0) + fixed;
  if (start > to) throw new ConnectionError(ERROR.frameSize, "expected a frame to have all of its fields");
  const end = isPadded ? to - bytes[from]! : to;
  if (end < start) throw new ConnectionError(ERROR.protocol, "expected padding to be shorter than its frame");
  return [start, end];
}

function mustHave({ from, to }: Frame, bytes: number): void {
  if (to - from !== bytes)
    throw new ConnectionError(ERROR.frameSize, `expected a frame of ${bytes} bytes, got ${to - from}`);
}
