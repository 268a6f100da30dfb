/**
 * Random steps of a client: valid ones, and ones that are invalid in each way that the RFCs name, for the current state of
 * the connection.
 *
 * @module
 */
import type { Draw } from "../../util/testing/draw.ts";
import { FLAG, SETTING, TYPE } from "./frames.ts";
import type { Http2Model, ModelStream } from "./model.ts";
import { forStream } from "./rig.ts";
import {
  type BlockPart,
  type ClientStep,
  type FloodKind,
  type HandlerStep,
  type SentField,
  requestFields,
} from "./steps.ts";

/** The errors of a client: none, errors of streams, or any errors. */
export type Temper = "honest" | "careless" | "wild";

/** A choice and its weight; undefined where it makes no sense in the current state. */
export type Choice<T> = readonly [weight: number, make: () => T | undefined];

/** Draws a choice that makes sense, by the weights. */
export function choose<T>(draw: Draw, choices: readonly Choice<T>[]): T {
  const sum = choices.reduce((all, [weight]) => all + weight, 0);
  for (;;) {
    let at = draw.below(sum);
    const [, make] = choices.find(([weight]) => (at -= weight) < 0)!;
    const made = make();
    if (made !== undefined) return made;
  }
}

const WORDS = [0, 1, 2, 100, 16_383, 16_384, 65_535, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const HOWS = ["", "", "i", "x", "xi", "m", "mi", "h", "hi", "n", "Hh", "xmih"];
const PATHS = ["/", "/index.html", "/livez", "/api/v1/namespaces/n/configmaps", "/a?b=c"];
const NAMES = ["a", "x-something", "x-long-name-that-nobody-knows", "cookie", "accept-language", "te"];
const LARGE = 100_000;

/** A request with a meaning. */
export interface Meant {
  readonly fields: readonly SentField[];
  readonly body: Buffer;
}

/** The options of a client. */
export interface ClientDrawOptions {
  readonly draw: Draw;
  /** The state of the connection for the client. */
  readonly model: Http2Model;
  readonly temper: Temper;
  /** Draws what the handler does at once with the next request, whose stream is `0`. */
  readonly then: () => readonly HandlerStep[] | undefined;
  /** Draws its valid requests; random fields by default. */
  readonly meant?: () => Meant;
}

/** See the head of this file. */
export class ClientDraw {
  readonly #draw: Draw;
  readonly #model: Http2Model;
  readonly #temper: Temper;
  readonly #then: () => readonly HandlerStep[] | undefined;
  readonly #meant: (() => Meant) | undefined;
  /** The unsent rest of meaningful bodies. */
  readonly #bodies = new Map<number, Buffer>();
  #next = 1;

  constructor({ draw, model, temper, then, meant }: ClientDrawOptions) {
    this.#draw = draw;
    this.#model = model;
    this.#temper = temper;
    this.#then = then;
    this.#meant = meant;
  }

  /** The beginning of a connection. */
  begin(): ClientStep[] {
    const draw = this.#draw;
    const right: ClientStep[] = [{ do: "preface" }, this.#settings()];
    if (this.#temper !== "wild" || draw.chance(0.9)) return right.map((step) => this.#leaves(step));
    return draw.one<ClientStep[]>(
      () => [{ do: "preface" }, this.#odd()],
      () => [{ do: "bytes", hex: Buffer.from("GET / HTTP/1.1\r\n\r\n").toString("hex") }],
      () => [{ do: "bytes", hex: draw.bytes(draw.below(40)).toString("hex") }],
      () => [{ do: "preface" }, { do: "settingsAck" }],
      () => [this.#settings(), { do: "preface" }],
      () => [{ do: "preface" }],
    );
  }

  /** Draws the next step. */
  step(): ClientStep {
    const wrong = this.#temper === "honest" ? 0 : this.#temper === "careless" ? 4 : 10;
    const wild = this.#temper === "wild" ? 3 : 0;
    const made = choose<ClientStep>(this.#draw, [
      [20, () => this.#request()],
      [20, () => this.#data()],
      [4, () => this.#trailers()],
      [5, () => this.#settings()],
      [2, () => ({ do: "settingsAck" })],
      [4, () => ({ do: "ping", ...(this.#draw.chance(0.2) ? { ack: true } : {}) })],
      [14, () => this.#window()],
      [6, () => this.#cancel()],
      [2, () => this.#priority()],
      [1, () => this.#unknown()],
      [2, () => ({ do: "openWindows" })],
      [this.#draw.chance(0.04) ? 1 : 0, () => this.#flood()],
      [this.#draw.chance(0.05) ? 1 : 0, () => ({ do: "goAway", code: 0 })],
      [wrong, () => this.#careless()],
      [wild, () => this.#odd()],
    ]);
    return this.#leaves(made);
  }

  /** Draws how the bytes are sent: in one piece, with the next ones, or cut anywhere. */
  #leaves(step: ClientStep): ClientStep {
    const draw = this.#draw;
    if (draw.chance(0.8)) return step;
    return draw.chance(0.6) ? { ...step, hold: true } : { ...step, keep: 1 + draw.small(40) };
  }

  // Valid steps.

  #request(): ClientStep | undefined {
    const draw = this.#draw;
    // An honest client respects the limit.
    if (this.#temper === "honest" && this.#model.openStreams >= 1) {
      if (this.#model.openStreams >= this.#streams) return undefined;
    }
    if (this.#meant) return this.#meantRequest(this.#meant());
    const method = draw.pick(["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH"]);
    const end = draw.chance(method === "POST" || method === "PUT" ? 0.1 : 0.8);
    const more = draw.many(draw.small(5), () => this.#field());
    if (!end && draw.chance(0.5)) more.push(["content-length", String(draw.small(2000)), draw.pick(HOWS)]);
    return this.#headers(this.#id(), this.#how(requestFields(method, draw.pick(PATHS), more)), { end });
  }

  #meantRequest({ fields, body }: Meant): ClientStep {
    const draw = this.#draw;
    const id = this.#id();
    const more = draw.many(draw.small(3), () => this.#field());
    const length: SentField[] = body.length > 0 && draw.chance(0.7) ? [["content-length", String(body.length)]] : [];
    const end = body.length === 0 && draw.chance(0.8);
    if (!end) this.#bodies.set(id, body);
    return this.#headers(id, this.#how([...fields, ...length, ...more]), { end });
  }

  /** The limit of concurrent streams that the client knows; few before the settings. */
  get #streams(): number {
    return this.#model.hasSettings ? this.#model.limits.streams : 1;
  }

  #id(): number {
    const id = this.#next;
    this.#next += this.#draw.chance(0.1) ? 4 : 2;
    return id;
  }

  #field(): SentField {
    const draw = this.#draw;
    const name = draw.pick(NAMES);
    if (name === "te") return ["te", "trailers"];
    return [name, "v".repeat(draw.small(draw.chance(0.03) ? 20_000 : 60)) + draw.below(9)];
  }

  #how(fields: readonly SentField[]): SentField[] {
    const usual = this.#draw.pick(HOWS);
    return fields.map(([name, value, how]) => [
      name,
      value,
      how ?? (this.#draw.chance(0.2) ? this.#draw.pick(HOWS) : usual),
    ]);
  }

  #headers(id: number, fields: readonly BlockPart[], more: { end?: boolean; open?: boolean } = {}): ClientStep {
    const draw = this.#draw;
    const size = draw.chance(0.1) ? [{ size: draw.pick([0, 100, 4096]) }] : [];
    const then = this.#then();
    return {
      do: "headers",
      id,
      parts: [...size, ...fields],
      ...more,
      ...(draw.chance(0.1) ? { pad: draw.small(100) } : {}),
      ...(draw.chance(0.1) ? { on: draw.pick([0, id + 2, id === 1 ? 3 : 1]) } : {}),
      ...(draw.chance(0.15) ? { cuts: draw.many(1 + draw.small(4), () => draw.small(30)) } : {}),
      ...(then ? { then: forStream(then, id) } : {}),
    };
  }

  #open(): ModelStream | undefined {
    const open = [...this.#model.streams.values()].filter((stream) => stream.isOpen && !stream.isBroken);
    return open.length === 0 ? undefined : this.#draw.pick(open);
  }

  #any(): ModelStream | undefined {
    const all = [...this.#model.streams.values()];
    return all.length === 0 ? undefined : this.#draw.pick(all);
  }

  #data(): ClientStep | undefined {
    const stream = this.#open();
    if (!stream || !this.#model.hasSettings) return undefined;
    const draw = this.#draw;
    const pad = draw.chance(0.15) ? draw.small(60) : undefined;
    const room = Math.min(stream.window, this.#model.window, 16_384) - (pad === undefined ? 0 : pad + 1);
    if (room < 0) return undefined;
    const meant = this.#bodies.get(stream.id);
    if (meant) return this.#text(stream.id, meant, room, pad);
    const left = stream.length < 0 ? Infinity : stream.length - stream.sent;
    const wanted = draw.chance(0.1) ? LARGE : draw.chance(0.2) ? 0 : draw.small(3000);
    const bytes = Math.min(room, left, wanted);
    // The last byte of a known length may or may not have END_STREAM.
    const end = bytes === left ? draw.chance(0.7) : left === Infinity && draw.chance(0.25);
    return { do: "data", id: stream.id, bytes, ...(end ? { end } : {}), ...(pad === undefined ? {} : { pad }) };
  }

  /** A part of a meaningful body, or all of it. */
  #text(id: number, meant: Buffer, room: number, pad: number | undefined): ClientStep {
    const draw = this.#draw;
    const bytes = Math.min(room, meant.length, draw.chance(0.7) ? LARGE : draw.small(3000));
    const end = bytes === meant.length && draw.chance(0.8);
    this.#bodies.set(id, meant.subarray(bytes));
    const base64 = meant.toString("base64", 0, bytes);
    return { do: "text", id, base64, ...(end ? { end } : {}), ...(pad === undefined ? {} : { pad }) };
  }

  #trailers(): ClientStep | undefined {
    const stream = this.#open();
    if (stream && (this.#bodies.get(stream.id)?.length ?? 0) > 0) return undefined;
    if (!stream || (stream.length >= 0 && stream.length !== stream.sent)) return undefined;
    return this.#headers(stream.id, this.#how([["x-sum", "1"]]), { end: true });
  }

  #settings(): ClientStep {
    const draw = this.#draw;
    const values = draw.many(draw.small(4), (): [number, number] =>
      draw.one<[number, number]>(
        () => [SETTING.initialWindowSize, draw.pick([0, 1, 10, 1000, 65_535, 1 << 20])],
        () => [SETTING.headerTableSize, draw.pick([0, 100, 4096, 65_536])],
        () => [SETTING.maxFrameSize, draw.pick([16_384, 1 << 20])],
        () => [SETTING.enablePush, draw.below(2)],
        () => [SETTING.maxConcurrentStreams, draw.below(100)],
        () => [SETTING.maxHeaderListSize, draw.pick([0, 100, 65_536])],
        () => [10 + draw.below(1000), draw.pick(WORDS)],
      ),
    );
    return { do: "settings", values };
  }

  #window(): ClientStep | undefined {
    const draw = this.#draw;
    const more = draw.pick([1, 1, 10, 100, 5000, 65_535, 1 << 20]);
    const stream = draw.chance(0.3) ? undefined : this.#any();
    const room = stream?.room ?? this.#model.room;
    return room + more > 2 ** 30 ? undefined : { do: "window", id: stream?.id ?? 0, more };
  }

  #cancel(): ClientStep | undefined {
    const stream = this.#any();
    return stream && { do: "cancel", id: stream.id, code: this.#draw.pick([8, 0, 5, 999]) };
  }

  #priority(): ClientStep {
    const id = 1 + 2 * this.#draw.small(20);
    return { do: "priority", id, on: this.#draw.chance(0.5) ? 0 : id + 1 };
  }

  /** A frame of an unknown type, or with unknown flags. */
  #unknown(): ClientStep {
    const draw = this.#draw;
    const hex = draw.bytes(draw.small(300)).toString("hex");
    return { do: "frame", type: 10 + draw.below(246), flags: draw.below(256), id: draw.small(30), hex };
  }

  // Errors of streams.

  /** A flood of frames that cost a server more than its client. */
  #flood(): ClientStep {
    const draw = this.#draw;
    const harmless: readonly FloodKind[] = ["ping", "settings", "window", "table", "priority", "unknown"];
    const others: readonly FloodKind[] = ["get", "post", "takenBack", "byte", "nothing"];
    const of = draw.pick(this.#temper === "honest" ? harmless : [...harmless, ...others]);
    // So many responses that the server has to wait for its socket.
    const isLarge = (of === "ping" || of === "settings") && draw.chance(0.4);
    const times = isLarge ? 15_000 + draw.below(40_000) : draw.small(2500);
    const id = of === "byte" || of === "nothing" ? (this.#open()?.id ?? 1) : this.#next;
    if (["get", "post", "takenBack"].includes(of)) this.#next += 2 * times;
    const then = this.#then();
    return { do: "flood", of, id, times, ...(then ? { then } : {}) };
  }

  #careless(): ClientStep | undefined {
    const draw = this.#draw;
    const stream = this.#any();
    const id = stream?.id ?? 1;
    const cancelled: ClientStep = { do: "cancel", id: this.#next - 2, code: 8 };
    return choose<ClientStep | undefined>(draw, [
      [6, () => this.#oddRequest()],
      [3, () => stream && { do: "data", id, bytes: draw.small(1000), end: draw.chance(0.5) }],
      [2, () => stream && { do: "data", id, bytes: Math.min(16_384, Math.max(0, stream.window + 1)) }],
      [2, () => stream && this.#headers(id, this.#how([["x", "y"]]), { end: draw.chance(0.7) })],
      [2, () => stream && this.#headers(id, this.#how([[":path", "/"]]), { end: true })],
      [2, () => stream && { do: "window", id, more: draw.pick([0, 2 ** 31 - 1]) }],
      [2, () => (this.#next > 2 ? cancelled : undefined)],
      [1, () => this.#request()],
      [1, () => stream && { do: "priority", id, on: id }],
      [1, () => stream && { do: "frame", type: TYPE.priority, flags: 0, id, hex: "00".repeat(draw.below(8)) }],
      [1, () => ({ do: "goAway", code: draw.below(14) })],
      [1, () => ({ do: "settings", values: [[SETTING.initialWindowSize, 2 ** 31 - 1 - draw.pick([0, 1, 65_535])]] })],
    ]);
  }

  #oddRequest(): ClientStep {
    const draw = this.#draw;
    const at = draw.below(5);
    const fields = requestFields(
      draw.pick(["GET", "POST", "CONNECT", "OPTIONS", "", "ge t"]),
      draw.pick(["/", "*", "", "x"]),
    );
    const odd: SentField = draw.pick<SentField>([
      ["connection", "close"],
      ["transfer-encoding", "chunked"],
      ["te", "gzip"],
      ["Upper", "case"],
      ["", "nameless"],
      ["bla nk", "x"],
      ["x", " blank in front"],
      ["x", "line\nbreak"],
      ["x", "\0"],
      ["x", "bell\x07"],
      ["impersonate-user", "a\r"],
      [":path", "/again"],
      [":protocol", "websocket"],
      [":scheme", "https"],
      ["content-length", "-1"],
      ["content-length", "5"],
      ["content-length", "5, 5"],
      ["content-length", "99999999999999999999"],
      ["long", "y".repeat(draw.pick([1000, 5000, 16_000]))],
    ]);
    const parts = draw.one<SentField[]>(
      () => fields.toSpliced(at, 0, odd),
      () => fields.toSpliced(draw.below(4), 1),
      () => fields.toSpliced(draw.below(4), 0, fields[draw.below(4)]!),
      () => fields.toReversed(),
      () => [...fields, ...draw.many(draw.small(200), (): SentField => ["x", "y", "xi"])],
    );
    return this.#headers(this.#id(), this.#how(parts), { end: draw.chance(0.7) });
  }

  // Errors of the connection.

  #odd(): ClientStep {
    const draw = this.#draw;
    const id = draw.one(
      () => 0,
      () => this.#next,
      () => this.#next + 100,
      () => 2 * draw.small(10),
      () => 1 + 2 * draw.small(10),
      () => draw.pick(WORDS) % 2 ** 31,
    );
    const hex = (bytes: number): string => draw.bytes(bytes).toString("hex");
    const fields = this.#how(requestFields("GET"));
    return draw.one<ClientStep>(
      () => ({ do: "frame", type: draw.below(11), flags: draw.below(256), id, hex: hex(draw.small(60)) }),
      () => ({
        do: "frame",
        type: draw.below(10),
        flags: draw.pick([0, 1, 4, 5, 8, 9, 13, 32, 45]),
        id,
        hex: hex(draw.pick([0, 1, 4, 5, 6, 8, 9])),
      }),
      () => this.#wrongLength(),
      () => this.#wrongLength(),
      () => ({ do: "data", id, bytes: draw.small(2000), end: draw.chance(0.5) }),
      () => ({ do: "data", id: this.#open()?.id ?? id, bytes: Math.min(16_384, Math.max(0, this.#model.window + 1)) }),
      () => ({ ...this.#headers(id, fields, { end: true }), on: id }) as ClientStep,
      () => ({ do: "data", id, bytes: 16_385 + draw.small(3000) }),
      () => ({ do: "window", id, more: draw.pick(WORDS) % 2 ** 31 }),
      () => ({ do: "window", id: 0, more: draw.pick([0, 2 ** 31 - 1]) }),
      () => ({ do: "cancel", id, code: 8 }),
      () => ({ do: "priority", id, on: id }),
      () => ({ do: "settings", values: [[draw.below(10), draw.pick(WORDS)]] }),
      () => ({ do: "frame", type: TYPE.pushPromise, flags: FLAG.endHeaders, id, hex: "00000002" }),
      () => ({ do: "frame", type: TYPE.continuation, flags: draw.pick([0, 4]), id, hex: hex(draw.small(20)) }),
      () => ({ do: "bytes", hex: hex(1 + draw.small(60)) }),
      () => this.#headers(id, fields, { end: true }),
      () => this.#headers(this.#id() - 1, fields, { end: true }),
      () => this.#headers(this.#id(), fields, { open: true }),
      () => this.#headers(this.#id(), [{ size: 4097 + draw.small(100_000) }, ...fields], { end: true }),
      () => this.#headers(this.#id(), [...fields, { size: draw.below(4097) }], { end: true }),
      () => this.#headers(this.#id(), [...fields, { raw: this.#brokenBlock() }], { end: true }),
      () =>
        ({
          ...this.#headers(this.#id(), fields, { end: true }),
          cuts: draw.many(draw.pick([3, 250, 260]), () => 0),
        }) as ClientStep,
    );
  }

  /** A valid frame but for its length. */
  #wrongLength(): ClientStep {
    const draw = this.#draw;
    const type = draw.below(10);
    const ofConnection = type === TYPE.settings || type === TYPE.ping || type === TYPE.goAway;
    const id = ofConnection ? 0 : (this.#any()?.id ?? this.#next);
    const flags = draw.pick([0, FLAG.padded, FLAG.priority, FLAG.padded | FLAG.priority | FLAG.endHeaders, FLAG.ack]);
    return { do: "frame", type, flags, id, hex: draw.bytes(draw.below(12)).toString("hex") };
  }

  /** An invalid or unusual header field. */
  #brokenBlock(): string {
    const draw = this.#draw;
    return draw.one(
      () =>
        draw.pick([
          "80",
          "ff8080808001",
          "ffffffffff0f",
          "be",
          "c0",
          "ff00",
          "7f",
          "00",
          "0001",
          "0082ff",
          "008161",
          "40",
          "1f",
          "20",
        ]),
      () => `00016183${draw.bytes(3).toString("hex")}`,
      () => `0001617f${draw.bytes(1).toString("hex")}`,
      // The padding of the Huffman code: a whole byte, zeros, none.
      () => draw.pick(["00016182ffff", "000161811f", "0001618118", "00016184ffffffff", "0001618100"]),
      () => draw.bytes(1 + draw.small(20)).toString("hex"),
    );
  }
}
