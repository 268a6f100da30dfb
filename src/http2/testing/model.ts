/**
 * A model of an HTTP/2 server on one connection, written from RFC 9113 alone. It receives every byte of both directions, and
 * throws a {@link Violation} for what a server must not send, or must send and does not.
 *
 * Frames of the client make expectations: a stream or the connection must or may end with one of some codes. The frames of
 * the server must match one of them. The model does not see when the server reads a frame; `position` counts the frames of the
 * client, and {@link Http2Model.sync} says which of them the server has read, and that all its frames until then have arrived.
 * The acknowledgement of a ping says so, too.
 *
 * @module
 */
import { FrameCutter, type CutFrame } from "./frame-cutter.ts";
import { FLAG, PREFACE, SETTING, TYPE } from "./frames.ts";
import { type Field, HpackDecoder, HpackError } from "./hpack.ts";
import { type Verdict, judgeRequest, judgeTrailers, listSize } from "./request-rules.ts";

/** Says which rule a server has violated. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Error codes (RFC 9113 7). */
export const CODE = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSize: 6,
  refused: 7,
  cancel: 8,
  compression: 9,
  connect: 10,
  calm: 11,
} as const;

/** The limits of a server, announced or not. */
export interface ModelLimits {
  readonly streams: number;
  readonly headerBytes: number;
  readonly headerFields: number;
  /** How many streams may be reset in a burst. */
  readonly resets: number;
}

/** What a server must or may do about a frame. */
interface Expectation {
  readonly what: string;
  readonly at: number;
  /** Whether it must do one of these. */
  readonly must: boolean;
  /** The codes of a GOAWAY, and of a RST_STREAM of `stream`. */
  readonly goAway: readonly number[];
  readonly reset: readonly number[];
  readonly stream: number;
}

const MAX_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 65_535;
const FRAME_BYTES = 16_384;
/** The number of parts of a header block, and its length in multiples of the header limit, from which a server may refuse it. */
const MOST_PARTS = 256;
/** A reset stream may be forgotten when it is older than the newest one by so much. */
const LONG_AGO = 2000;

/** A stream from the view of the client. */
export class ModelStream {
  readonly id: number;
  fields: readonly Field[] = [];
  method = "";
  verdict: Verdict = "right";
  isTooLarge = false;
  /** The bytes of the body: announced, -1 where they are not, and sent. */
  length = -1;
  sent = 0;
  /** Bytes that the client may send. */
  window: number;
  /** The positions of END_STREAM and RST_STREAM of the client; 0 for none. */
  endedAt = 0;
  resetAt = 0;
  /** Bytes that the server may send. */
  room: number;
  /** The status of the response, 0 before it; its announced length, -1 where it is not; its bytes. */
  status = 0;
  responseLength = -1;
  responseBytes = 0;
  interim = 0;
  hasResponded = false;
  /** The code of the server's RST_STREAM. */
  resetCode: number | undefined = undefined;
  /** Whether the server has announced that it ignores the stream. */
  isVoid = false;
  /** Whether the client has sent an error on it. */
  isBroken = false;
  /** The codes with which the server may reset it at any time, because a step told it to. */
  readonly told = new Set<number>();

  constructor(id: number, windows: { readonly window: number; readonly room: number }) {
    this.id = id;
    this.window = windows.window;
    this.room = windows.room;
  }

  /** Whether the client may send more of a body. */
  get isOpen(): boolean {
    return (
      this.endedAt === 0 && this.resetAt === 0 && this.resetCode === undefined && !this.hasResponded && !this.isVoid
    );
  }

  /** Whether both sides have ended it, or one has reset it. */
  get isClosed(): boolean {
    return this.resetAt > 0 || this.resetCode !== undefined || this.isVoid || (this.hasResponded && this.endedAt > 0);
  }
}

/** A header block in several frames. */
interface Block {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly pieces: Buffer[];
}

/** Settings of the client without an acknowledgement. */
interface PendingSettings {
  readonly at: number;
  readonly values: readonly (readonly [name: number, value: number])[];
}

/** Receives the content of frames. */
export interface ModelListener {
  /** Bytes of a body. */
  body?(stream: ModelStream, bytes: Buffer): void;
  /** Bytes of a response. */
  data?(stream: ModelStream, bytes: Buffer): void;
  /** The fields of a final response. */
  response?(stream: ModelStream, fields: readonly Field[]): void;
}

/** See the head of this file. */
export class Http2Model {
  readonly streams = new Map<number, ModelStream>();
  /** The number of frames of the client so far. */
  position = 0;
  /** Whether the server has read all of them, and all its frames have arrived. */
  isExact = true;
  highest = 0;
  /** The windows of the connection, of the client and of the server. */
  window = DEFAULT_WINDOW;
  room = DEFAULT_WINDOW;
  /** The initial window of streams to the server, as announced. */
  streamWindow = DEFAULT_WINDOW;
  /** The codes with which the server may end the connection at any time, because a step told it to. */
  readonly told = new Set<number>();
  /** The last stream of a GOAWAY of the server. */
  goneLast: number | undefined = undefined;
  /** Whether the connection has ended by an error, or the socket has. */
  isDead = false;
  hasEnded = false;
  hasSettings = false;
  readonly limits: ModelLimits;
  /** Incomplete headers of the client. */
  #block: Block | undefined = undefined;
  readonly #listener: ModelListener;
  readonly #fromClient = new FrameCutter(PREFACE);
  readonly #fromServer = new FrameCutter();
  readonly #requests = new HpackDecoder();
  readonly #decoder = new HpackDecoder();
  #expected: Expectation[] = [];
  /** Whether frames of the client can no longer be decoded. */
  #isDeaf = false;
  #isGreeted = false;
  #hasSetting = false;
  #settings: PendingSettings[] = [];
  #pings: { readonly at: number; readonly data: string }[] = [];
  /** Pings that a step told the server to send. */
  pings = 0;
  /** The initial window of streams to the client. */
  #initialRoom = DEFAULT_WINDOW;
  #resets = 0;
  #synced = 0;
  #responseBlock: { readonly stream: number; readonly isEnd: boolean; readonly pieces: Buffer[] } | undefined =
    undefined;

  constructor(limits: ModelLimits, listener: ModelListener = {}) {
    this.limits = limits;
    this.#listener = listener;
  }

  /** The streams that count against the limit, from the view of the client. */
  get openStreams(): number {
    let open = 0;
    for (const stream of this.streams.values()) if (!stream.isClosed) open++;
    return open;
  }

  /** Whether the server must end the connection. */
  get isBroken(): boolean {
    return this.#expected.some((one) => one.must && one.goAway.length > 0 && one.reset.length === 0);
  }

  /** Whether the client is in the middle of a frame, or of headers. */
  get isMidFrame(): boolean {
    return this.#block !== undefined || this.#fromClient.rest > 0;
  }

  /** The number of settings of the client without an acknowledgement. */
  get pendingSettings(): number {
    return this.#settings.length;
  }

  /** The number of pings of the client without an acknowledgement. */
  get pendingPings(): number {
    return this.#pings.length;
  }

  // Frames of the client.

  /** Receives bytes of the client. */
  client(bytes: Uint8Array): void {
    if (this.#isDeaf) return;
    if (!this.#fromClient.add(bytes)) {
      this.#fatal("no preface", [CODE.protocol]);
      return;
    }
    for (;;) {
      if (this.#isDeaf) return;
      const announced = this.#fromClient.announced;
      if (announced !== undefined && announced > FRAME_BYTES) {
        this.#fatal(`a frame of ${announced} bytes`, [CODE.frameSize]);
        return;
      }
      const frame = this.#fromClient.next();
      if (!frame) return;
      this.position++;
      this.#clientFrame(frame);
      this.isExact = false;
    }
  }

  #clientFrame(frame: CutFrame): void {
    const { type, flags, stream } = frame;
    if (!this.#isGreeted) {
      this.#isGreeted = true;
      if (type !== TYPE.settings || flags & FLAG.ack) {
        this.#fatal("no settings first", [CODE.protocol]);
        return;
      }
    }
    const isExpected = this.#block
      ? type === TYPE.continuation && stream === this.#block.stream
      : type !== TYPE.continuation;
    if (!isExpected) {
      this.#fatal("frames between headers, or a part without a beginning", [CODE.protocol]);
      return;
    }
    const take = this.#TAKES[type];
    if (take) take(frame);
  }

  readonly #TAKES: Readonly<Record<number, (frame: CutFrame) => void>> = {
    [TYPE.data]: (frame) => this.#data(frame),
    [TYPE.headers]: (frame) => this.#headers(frame),
    [TYPE.priority]: (frame) => this.#priority(frame),
    [TYPE.reset]: (frame) => this.#reset(frame),
    [TYPE.settings]: (frame) => this.#clientSettings(frame),
    [TYPE.pushPromise]: () => this.#breaks("PUSH_PROMISE", [CODE.protocol]),
    [TYPE.ping]: (frame) => this.#ping(frame),
    [TYPE.goAway]: (frame) => this.#clientGoAway(frame),
    [TYPE.windowUpdate]: (frame) => this.#clientWindow(frame),
    [TYPE.continuation]: (frame) => this.#continuation(frame),
  };

  #data({ stream: id, flags, payload }: CutFrame): void {
    if (!this.#mayBeSpokenOf(id, "DATA")) return;
    const isExact = this.isExact;
    this.window -= payload.length;
    if (this.window < 0) this.#expect({ what: "the window of the connection", must: isExact, goAway: FLOW });
    const body = unpadded(flags, payload, 0);
    if (typeof body === "string") {
      this.#breaks(body, [CODE.protocol, CODE.frameSize]);
      return;
    }
    const stream = this.streams.get(id);
    this.#mayBeForgotten(id);
    if (!stream?.isOpen) {
      this.#onClosed(id, "DATA", true);
      return;
    }
    stream.window -= payload.length;
    if (stream.window < 0) this.#wrong(stream, "the window of a stream", FLOW, isExact && this.hasSettings);
    // A client without the settings does not know the window; a server should tolerate that, but need not.
    else if (!this.hasSettings) this.#wrong(stream, "DATA before settings", FLOW, false);
    this.#listener.body?.(stream, body);
    stream.sent += body.length;
    if (flags & FLAG.endStream) this.#end(stream);
    else if (stream.length >= 0 && stream.sent > stream.length)
      this.#wrong(stream, "more than its length", [CODE.protocol]);
  }

  #end(stream: ModelStream): void {
    stream.endedAt = this.position;
    if (stream.length >= 0 && stream.sent !== stream.length)
      this.#wrong(stream, "not as long as it says", [CODE.protocol]);
  }

  /** A frame on a stream on which the client must not send it. */
  #onClosed(id: number, what: string, isMust: boolean): void {
    const stream = this.streams.get(id);
    const closed = [CODE.streamClosed];
    if (!stream) {
      this.#expect({
        what: `${what} on a stream that was left out`,
        must: false,
        goAway: [CODE.protocol, ...closed],
        reset: closed,
        stream: id,
      });
      return;
    }
    // Frames may follow on a stream that the server has reset or responded to early.
    const isForgiven = stream.isVoid || (stream.resetAt === 0 && stream.endedAt === 0);
    if (isForgiven) return;
    const isHalf = !stream.isClosed && !stream.isBroken;
    this.#expect({ what: `${what} behind the end`, must: isMust && isHalf, goAway: closed, reset: closed, stream: id });
    if (isHalf) this.#countReset(stream);
  }

  #headers(frame: CutFrame): void {
    const { stream: id, flags } = frame;
    if (id === 0) {
      this.#breaks("HEADERS on the connection", [CODE.protocol]);
      return;
    }
    const isPriority = (flags & FLAG.priority) !== 0;
    const body = unpadded(flags, frame.payload, isPriority ? 5 : 0);
    if (typeof body === "string") {
      this.#fatal(body, [CODE.protocol, CODE.frameSize]);
      return;
    }
    if (isPriority && (frame.payload.readUInt32BE(flags & FLAG.padded ? 1 : 0) & 0x7fffffff) === id) {
      this.#expect({
        what: "depends on itself",
        must: false,
        goAway: [CODE.protocol],
        reset: [CODE.protocol],
        stream: id,
      });
    }
    this.#block = { stream: id, isEnd: (flags & FLAG.endStream) !== 0, pieces: [body] };
    if (flags & FLAG.endHeaders) this.#whole();
    else this.#checkBlock();
  }

  #continuation({ flags, payload }: CutFrame): void {
    this.#block!.pieces.push(payload);
    this.#checkBlock();
    if (flags & FLAG.endHeaders) this.#whole();
  }

  #checkBlock(): void {
    const { pieces } = this.#block!;
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const { headerBytes } = this.limits;
    if (bytes > headerBytes || pieces.length >= MOST_PARTS) {
      const isMust = bytes > 2 * headerBytes || pieces.length > MOST_PARTS;
      this.#expect({ what: "headers without an end", must: isMust, goAway: [CODE.calm] });
    }
  }

  #whole(): void {
    const { stream: id, isEnd, pieces } = this.#block!;
    this.#block = undefined;
    let fields: Field[];
    try {
      fields = this.#requests.decode(Buffer.concat(pieces));
    } catch (error) {
      if (!(error instanceof HpackError)) throw error;
      this.#fatal(error.message, [CODE.compression]);
      return;
    }
    if (this.#requests.longestText > this.limits.headerBytes) {
      this.#expect({ what: "a text beyond all headers", must: false, goAway: [CODE.compression] });
    }
    const stream = this.streams.get(id);
    if (stream) this.#trailers(stream, isEnd, fields);
    else if (id % 2 === 0) this.#breaks(`stream ${id} of a client`, [CODE.protocol]);
    else if (id <= this.highest) this.#breaks("an older stream", [CODE.protocol, CODE.streamClosed], id);
    else this.#request(id, isEnd, fields);
  }

  /** The server may have forgotten an old stream that it has reset. */
  #mayBeForgotten(id: number): void {
    if (this.highest - id < LONG_AGO) return;
    const closed = [CODE.streamClosed];
    this.#expect({ what: "an old stream", must: false, goAway: closed, reset: closed, stream: id });
  }

  #trailers(stream: ModelStream, isEnd: boolean, fields: readonly Field[]): void {
    this.#mayBeForgotten(stream.id);
    if (!stream.isOpen) {
      this.#onClosed(stream.id, "HEADERS", true);
      return;
    }
    const verdict = judgeTrailers(fields);
    if (!isEnd) this.#wrong(stream, "trailers that are not the end", [CODE.protocol]);
    else if (verdict === "wrong") this.#wrong(stream, "trailers that are none", [CODE.protocol]);
    else if (verdict === "either") this.#wrong(stream, "trailers that are odd", [CODE.protocol], false);
    if (isEnd) this.#end(stream);
  }

  #request(id: number, isEnd: boolean, fields: readonly Field[]): void {
    const isOver = this.openStreams >= this.limits.streams;
    const stream = new ModelStream(id, { window: this.streamWindow, room: this.#initialRoom });
    const { verdict, method, length } = judgeRequest(fields, isEnd);
    const { headerBytes, headerFields } = this.limits;
    this.highest = id;
    this.streams.set(id, stream);
    Object.assign(stream, { fields, verdict, method, length, isVoid: this.goneLast !== undefined });
    if (isEnd) stream.endedAt = this.position;
    stream.isTooLarge = listSize(fields) > headerBytes || fields.length > headerFields;
    // A refused body need not have its announced length.
    if (verdict !== "right" || stream.isTooLarge) stream.length = -1;
    if (stream.isVoid) return;
    if (isOver) this.#expect({ what: "too many streams", must: false, reset: [CODE.refused], stream: id });
    if (verdict === "right") return;
    const must = verdict === "wrong" && !stream.isTooLarge;
    this.#expect({ what: "no request", must, reset: [CODE.protocol], stream: id });
    stream.isBroken = must;
    this.#countReset(stream);
  }

  #priority({ stream: id, payload }: CutFrame): void {
    if (id === 0) this.#breaks("PRIORITY on the connection", [CODE.protocol]);
    else if (payload.length !== 5) this.#streamOrConnection(id, "PRIORITY of another size", CODE.frameSize, true);
    else if ((payload.readUInt32BE(0) & 0x7fffffff) === id)
      this.#streamOrConnection(id, "depends on itself", CODE.protocol, false);
  }

  /** An error that may end the stream, where it exists, or the connection. */
  #streamOrConnection(id: number, what: string, code: number, must: boolean): void {
    const stream = this.streams.get(id);
    const isThere = stream !== undefined && !stream.isClosed;
    this.#expect({
      what,
      must: must && (!stream || isThere),
      goAway: [code],
      reset: isThere ? [code] : [],
      stream: id,
    });
    if (isThere) this.#countReset(stream);
  }

  #reset({ stream: id, payload }: CutFrame): void {
    if (payload.length !== 4) {
      this.#breaks("RST_STREAM of another size", [CODE.frameSize, CODE.protocol]);
      return;
    }
    if (!this.#mayBeSpokenOf(id, "RST_STREAM")) return;
    const stream = this.streams.get(id);
    if (!stream || stream.resetAt > 0) return;
    stream.resetAt = this.position;
    if (stream.resetCode === undefined && !stream.isVoid) this.#countReset(stream);
  }

  #clientSettings({ stream, flags, payload }: CutFrame): void {
    const codes: number[] = [];
    if (stream !== 0) codes.push(CODE.protocol);
    if (flags & FLAG.ack ? payload.length > 0 : payload.length % 6 !== 0) codes.push(CODE.frameSize);
    const values: [number, number][] = [];
    if (!(flags & FLAG.ack)) {
      for (let at = 0; at + 6 <= payload.length; at += 6)
        values.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)]);
    }
    for (const [name, value] of values) {
      if (name === SETTING.initialWindowSize && value > MAX_WINDOW) codes.push(CODE.flowControl);
      if (name === SETTING.enablePush && value > 1) codes.push(CODE.protocol);
      if (name === SETTING.maxFrameSize && (value < FRAME_BYTES || value >= 2 ** 24)) codes.push(CODE.protocol);
    }
    if (codes.length > 0) {
      this.#breaks("settings that are none", codes);
      return;
    }
    if (flags & FLAG.ack) return;
    this.#settings.push({ at: this.position, values });
    const sizes = values.filter(([name]) => name === SETTING.initialWindowSize);
    const next = sizes.at(-1)?.[1];
    if (next === undefined) return;
    const before = this.#roomAfter(this.#settings.slice(0, -1));
    for (const { room, isClosed, hasResponded } of this.streams.values()) {
      const isOver = !isClosed && !hasResponded && room + next - Math.min(before, this.#initialRoom) > MAX_WINDOW;
      if (isOver) this.#expect({ what: "a window beyond all", must: false, goAway: FLOW });
    }
  }

  /** How much larger the windows may be with settings that are not acknowledged. */
  get #pendingRoom(): number {
    const values = this.#settings.flatMap((one) => one.values).filter(([name]) => name === SETTING.initialWindowSize);
    return Math.max(this.#initialRoom, ...values.map(([, value]) => value)) - this.#initialRoom;
  }

  #roomAfter(pending: readonly PendingSettings[]): number {
    const values = pending.flatMap((one) => one.values).filter(([name]) => name === SETTING.initialWindowSize);
    return values.at(-1)?.[1] ?? this.#initialRoom;
  }

  #ping({ stream, flags, payload }: CutFrame): void {
    const codes = [...(stream === 0 ? [] : [CODE.protocol]), ...(payload.length === 8 ? [] : [CODE.frameSize])];
    if (codes.length > 0) this.#breaks("a ping that is none", codes);
    else if (!(flags & FLAG.ack)) this.#pings.push({ at: this.position, data: payload.toString("latin1") });
  }

  #clientGoAway({ stream, payload }: CutFrame): void {
    const codes = [...(stream === 0 ? [] : [CODE.protocol]), ...(payload.length >= 8 ? [] : [CODE.frameSize])];
    if (codes.length > 0) this.#breaks("a GOAWAY that is none", codes);
    // The connection ends when all streams have ended.
    else this.told.add(CODE.none);
  }

  #clientWindow({ stream: id, payload }: CutFrame): void {
    if (payload.length !== 4) {
      this.#breaks("WINDOW_UPDATE of another size", [CODE.frameSize, CODE.protocol]);
      return;
    }
    const more = payload.readUInt32BE(0) & 0x7fffffff;
    if (id === 0) {
      this.room += more;
      if (more === 0) this.#breaks("a window that does not grow", [CODE.protocol]);
      else if (this.room > MAX_WINDOW) this.#expect({ what: "a window beyond all", must: this.isExact, goAway: FLOW });
      return;
    }
    if (!this.#mayBeSpokenOf(id, "WINDOW_UPDATE")) return;
    const stream = this.streams.get(id);
    if (!stream || stream.isClosed || stream.hasResponded) return;
    stream.room += more;
    if (more === 0) this.#wrong(stream, "a window that does not grow", [CODE.protocol]);
    else if (stream.room + this.#pendingRoom > MAX_WINDOW)
      this.#wrong(stream, "a window beyond all", FLOW, this.isExact && stream.room > MAX_WINDOW);
  }

  /** A frame on an idle stream is an error (RFC 9113 5.1). */
  #mayBeSpokenOf(id: number, what: string): boolean {
    const isKnown = id !== 0 && id % 2 === 1 && id <= this.highest;
    if (!isKnown) this.#breaks(`${what} on stream ${id}, which has not begun`, [CODE.protocol], id);
    return isKnown;
  }

  /** An error of a stream. */
  #wrong(stream: ModelStream, what: string, codes: readonly number[], must = true): void {
    this.#expect({ what, must: must && !stream.isBroken, reset: codes, stream: stream.id });
    this.#countReset(stream);
    if (must) stream.isBroken = true;
  }

  #countReset(stream: ModelStream): void {
    this.#resets++;
    if (this.#resets > this.limits.resets)
      this.#expect({ what: "many resets", must: false, goAway: [CODE.calm], stream: stream.id });
  }

  /** An error of the connection. */
  #breaks(what: string, goAway: readonly number[], stream = 0): void {
    this.#expect({ what, must: true, goAway, stream });
  }

  /** An error after which no frame can be decoded. */
  #fatal(what: string, goAway: readonly number[]): void {
    this.position++;
    this.#breaks(what, goAway);
    this.#isDeaf = true;
  }

  #expect(one: Partial<Expectation> & Pick<Expectation, "what" | "must">): void {
    this.#expected.push({ at: this.position, goAway: [], reset: [], stream: 0, ...one });
  }

  // Frames of the server.

  /** Receives bytes of the server. */
  server(bytes: Uint8Array): void {
    if (this.hasEnded) throw new Violation("bytes behind the end");
    this.#fromServer.add(bytes);
    for (let frame = this.#fromServer.next(); frame; frame = this.#fromServer.next()) this.#serverFrame(frame);
  }

  /** The server has ended its side. */
  ended(): void {
    this.hasEnded = true;
    if (this.#fromServer.rest > 0) throw new Violation("an end in the middle of a frame");
    if (!this.isDead && this.goneLast === undefined) throw new Violation("an end without GOAWAY");
    for (const { id, isClosed, hasResponded } of this.streams.values()) {
      if (!this.isDead && !isClosed && !hasResponded) throw new Violation(`an end before a response on stream ${id}`);
    }
    this.isDead = true;
  }

  #serverFrame(frame: CutFrame): void {
    const { type, flags, stream, payload } = frame;
    if (this.isDead) throw new Violation(`frame ${type} behind the GOAWAY of an error`);
    if (payload.length > FRAME_BYTES) throw new Violation(`a frame of ${payload.length} bytes`);
    if (!this.hasSettings && (type !== TYPE.settings || flags & FLAG.ack)) throw new Violation("no settings first");
    this.hasSettings = true;
    const block = this.#responseBlock;
    if (block ? type !== TYPE.continuation || stream !== block.stream : type === TYPE.continuation)
      throw new Violation("frames between headers");
    const take = this.#TAKES_OF_SERVER[type];
    if (!take) throw new Violation(`a frame of type ${type}`);
    take(frame);
  }

  readonly #TAKES_OF_SERVER: Readonly<Record<number, (frame: CutFrame) => void>> = {
    [TYPE.data]: (frame) => this.#responseData(frame),
    [TYPE.headers]: (frame) => this.#responseHeaders(frame),
    [TYPE.reset]: (frame) => this.#serverReset(frame),
    [TYPE.settings]: (frame) => this.#serverSettings(frame),
    [TYPE.ping]: (frame) => this.#serverPing(frame),
    [TYPE.goAway]: (frame) => this.#serverGoAway(frame),
    [TYPE.windowUpdate]: (frame) => this.#serverWindow(frame),
    [TYPE.continuation]: (frame) => this.#responsePart(frame.flags, frame.payload),
  };

  /** Returns a stream on which the server may still send. */
  #responding(id: number, what: string): ModelStream {
    const stream = this.streams.get(id);
    if (!stream) throw new Violation(`${what} on stream ${id}, which has not begun`);
    if (stream.isVoid) throw new Violation(`${what} on stream ${id}, which was not to be looked at`);
    if (stream.resetCode !== undefined) throw new Violation(`${what} on stream ${id}, which the server has reset`);
    if (stream.hasResponded) throw new Violation(`${what} on stream ${id}, whose response has ended`);
    if (stream.resetAt > 0 && stream.resetAt <= this.#synced)
      throw new Violation(`${what} on stream ${id}, which the client has reset`);
    return stream;
  }

  #responseHeaders({ stream: id, flags, payload }: CutFrame): void {
    if (flags & (FLAG.padded | FLAG.priority)) throw new Violation("padded HEADERS");
    this.#responding(id, "HEADERS");
    this.#responseBlock = { stream: id, isEnd: (flags & FLAG.endStream) !== 0, pieces: [] };
    this.#responsePart(flags, payload);
  }

  #responsePart(flags: number, payload: Buffer): void {
    const { stream: id, isEnd, pieces } = this.#responseBlock!;
    pieces.push(payload);
    if (!(flags & FLAG.endHeaders)) return;
    this.#responseBlock = undefined;
    this.#responseFields(this.streams.get(id)!, isEnd, this.#decoded(Buffer.concat(pieces)));
  }

  #decoded(block: Buffer): readonly Field[] {
    try {
      return this.#decoder.decode(block);
    } catch (error) {
      throw new Violation(`headers that no client can read: ${String(error)}`);
    }
  }

  #responseFields(stream: ModelStream, isEnd: boolean, fields: readonly Field[]): void {
    const [[name, text] = ["", ""], ...others] = fields;
    const status = Number(text);
    if (name !== ":status" || !/^[1-5]\d\d$/.test(text)) throw new Violation(`no status first: ${name} ${text}`);
    for (const [field, value] of others) {
      if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(field) || /[\0\r\n]|^[ \t]|[ \t]$/.test(value))
        throw new Violation(`a header that is none: ${field}: ${value}`);
      if (field === "connection" || field === "transfer-encoding") throw new Violation(`${field} in HTTP/2`);
    }
    if (stream.status > 0) throw new Violation(`a second response on stream ${stream.id}`);
    if (status < 200) {
      if (status === 101 || isEnd) throw new Violation(`interim response ${status}${isEnd ? ", which ends" : ""}`);
      stream.interim++;
      return;
    }
    this.#begins(stream, status, isEnd, others);
  }

  #begins(stream: ModelStream, status: number, isEnd: boolean, fields: readonly Field[]): void {
    stream.status = status;
    const lengths = fields.filter(([name]) => name === "content-length");
    if (lengths.length > 1) throw new Violation("two lengths");
    stream.responseLength = lengths[0] ? Number(lengths[0][1]) : -1;
    if (stream.verdict === "wrong" && !stream.isTooLarge && status !== 400)
      throw new Violation(`${status} to what is no request, on stream ${stream.id}`);
    if (stream.isTooLarge && status !== 431 && status !== 400) throw new Violation(`${status} to headers too large`);
    this.#listener.response?.(stream, fields);
    if (isEnd) this.#responseEnds(stream);
  }

  #responseData({ stream: id, flags, payload }: CutFrame): void {
    if (flags & FLAG.padded) throw new Violation("padded DATA");
    const stream = this.#responding(id, "DATA");
    if (stream.status === 0) throw new Violation(`DATA before HEADERS on stream ${id}`);
    if (stream.method === "HEAD" && payload.length > 0) throw new Violation(`DATA in the response to HEAD ${id}`);
    stream.room -= payload.length;
    this.room -= payload.length;
    if (payload.length > 0 && stream.room < 0) throw new Violation(`DATA beyond the window of stream ${id}`);
    if (payload.length > 0 && this.room < 0) throw new Violation("DATA beyond the window of the connection");
    this.#listener.data?.(stream, payload);
    stream.responseBytes += payload.length;
    if (stream.responseLength >= 0 && stream.responseBytes > stream.responseLength && stream.method !== "HEAD")
      throw new Violation(`DATA beyond its length on stream ${id}`);
    if (flags & FLAG.endStream) this.#responseEnds(stream);
  }

  #responseEnds(stream: ModelStream): void {
    const { responseLength, responseBytes, method, status } = stream;
    stream.hasResponded = true;
    const hasBody = method !== "HEAD" && status !== 304 && status !== 204;
    if (responseLength >= 0 && hasBody && responseBytes !== responseLength)
      throw new Violation(`a response of ${responseBytes} bytes that says ${responseLength}, on stream ${stream.id}`);
  }

  #serverReset({ stream: id, payload }: CutFrame): void {
    if (payload.length !== 4) throw new Violation("RST_STREAM of another size");
    const code = payload.readUInt32BE(0);
    const stream = this.streams.get(id);
    const isAllowed = this.#expected.some((one) => one.stream === id && one.reset.includes(code));
    if (!stream) {
      if (!isAllowed || id > this.highest || id % 2 === 0)
        throw new Violation(`RST_STREAM ${code} on stream ${id}, which has not begun`);
      return;
    }
    if (stream.resetCode !== undefined && this.highest - id < LONG_AGO)
      throw new Violation(`a second RST_STREAM on stream ${id}`);
    const isUnread =
      code === CODE.none && stream.hasResponded && !(stream.endedAt > 0 && stream.endedAt <= this.#synced);
    if (!isAllowed && !isUnread && !stream.told.has(code)) throw new Violation(`RST_STREAM ${code} on stream ${id}`);
    if (stream.resetAt > 0 && stream.resetAt <= this.#synced && !isAllowed)
      throw new Violation(`RST_STREAM on stream ${id}, which the client has reset`);
    stream.resetCode = code;
  }

  #serverSettings({ stream, flags, payload }: CutFrame): void {
    if (stream !== 0 || payload.length % 6 !== 0) throw new Violation("settings that are none");
    if (!(flags & FLAG.ack)) {
      if (this.#hasSetting) throw new Violation("settings a second time");
      this.#hasSetting = true;
      for (let at = 0; at < payload.length; at += 6) {
        if (payload.readUInt16BE(at) === SETTING.initialWindowSize) this.#startWindow(payload.readUInt32BE(at + 2));
      }
      return;
    }
    const pending = this.#settings.shift();
    if (!pending) throw new Violation("settings acknowledged that were not sent");
    for (const [name, value] of pending.values) {
      if (name === SETTING.headerTableSize) this.#decoder.limit(value);
      if (name !== SETTING.initialWindowSize) continue;
      for (const each of this.streams.values()) each.room += value - this.#initialRoom;
      this.#initialRoom = value;
    }
  }

  #startWindow(bytes: number): void {
    for (const stream of this.streams.values()) stream.window += bytes - this.streamWindow;
    this.streamWindow = bytes;
  }

  #serverPing({ stream, flags, payload }: CutFrame): void {
    if (stream !== 0 || payload.length !== 8) throw new Violation("a ping that is none");
    if (!(flags & FLAG.ack)) {
      if (--this.pings < 0) throw new Violation("a ping that nobody has asked for");
      return;
    }
    const ping = this.#pings.shift();
    if (ping?.data !== payload.toString("latin1"))
      throw new Violation("an acknowledgement of a ping that was not sent, or out of turn");
    this.#readUpTo(ping.at);
  }

  #serverWindow({ stream: id, payload }: CutFrame): void {
    if (payload.length !== 4) throw new Violation("WINDOW_UPDATE of another size");
    const more = payload.readUInt32BE(0);
    if (more < 1 || more > MAX_WINDOW) throw new Violation(`WINDOW_UPDATE of ${more}`);
    if (id === 0) {
      this.window += more;
      if (this.window > MAX_WINDOW) throw new Violation("a window beyond all");
      return;
    }
    const known = this.streams.get(id);
    // The window of a request with a response may still be opened.
    const stream = known?.hasResponded ? known : this.#responding(id, "WINDOW_UPDATE");
    if (stream.endedAt > 0 && stream.endedAt <= this.#synced)
      throw new Violation(`WINDOW_UPDATE on stream ${id}, which the client has ended`);
    stream.window += more;
    if (stream.window > MAX_WINDOW) throw new Violation("a window beyond all");
  }

  #serverGoAway({ stream, payload }: CutFrame): void {
    if (stream !== 0 || payload.length < 8) throw new Violation("a GOAWAY that is none");
    const last = payload.readUInt32BE(0);
    const code = payload.readUInt32BE(4);
    if (last > this.highest) throw new Violation(`GOAWAY says stream ${last}, which has not begun`);
    if (this.goneLast !== undefined && last > this.goneLast)
      throw new Violation("GOAWAY says a later stream than before");
    for (const { id, status, isVoid } of this.streams.values()) {
      if (id > last && status > 0 && !isVoid)
        throw new Violation(`GOAWAY says ${last}, and stream ${id} has a response`);
    }
    this.goneLast = last;
    if (code === CODE.none) {
      if (!this.told.has(code)) throw new Violation("GOAWAY that nobody has asked for");
      for (const one of this.streams.values()) if (one.id > last) one.isVoid = true;
      return;
    }
    const isAllowed = this.told.has(code) || this.#expected.some((one) => one.goAway.includes(code));
    if (!isAllowed) throw new Violation(`GOAWAY ${code}: ${payload.toString("latin1", 8)}`);
    this.isDead = true;
  }

  // Expectations.

  /** The server has read all frames, and all its frames have arrived. */
  sync(): void {
    this.#readUpTo(this.position);
    this.isExact = true;
  }

  #readUpTo(at: number): void {
    this.#synced = Math.max(this.#synced, at);
    if (this.isDead) return;
    for (const one of this.#expected) if (one.must && one.at <= at && !this.#isMet(one)) this.#missing(one);
    // Optional reactions are no longer possible.
    this.#expected = this.#expected.filter((one) => one.at > at);
    if (this.#settings[0] && this.#settings[0].at <= at) throw new Violation("settings that were not acknowledged");
    if (this.#pings[0] && this.#pings[0].at < at) throw new Violation("a ping that was not acknowledged");
  }

  #isMet({ stream: id, goAway, reset }: Expectation): boolean {
    // Streams after the last one of a GOAWAY are ignored.
    const isBehind = id !== 0 && this.goneLast !== undefined && id > this.goneLast;
    if (isBehind) return true;
    if (reset.length === 0 && goAway.length > 0) return false;
    const stream = this.streams.get(id);
    return stream === undefined || stream.isClosed || stream.hasResponded || (stream.isBroken && stream.status === 400);
  }

  #missing({ what, stream, goAway, reset }: Expectation): never {
    throw new Violation(
      `expected GOAWAY ${goAway.join(" or ")} or RST_STREAM ${reset.join(" or ")} for ${what}, stream ${stream}`,
    );
  }
}

const FLOW = [CODE.flowControl];

/** Returns a payload without its padding and the `fixed` bytes before it, or why it is invalid. */
function unpadded(flags: number, payload: Buffer, fixed: number): Buffer | string {
  const isPadded = (flags & FLAG.padded) !== 0;
  const from = (isPadded ? 1 : 0) + fixed;
  if (payload.length < from) return "a frame without its fields";
  const to = isPadded ? payload.length - payload[0]! : payload.length;
  return to < from ? "padding beyond its frame" : payload.subarray(from, to);
}
