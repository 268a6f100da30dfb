/**
 * Scripts of clients of HTTP/1.1, drawn by a seed.
 *
 * @module
 */
import { choose } from "../../src/http2/testing/draw-client.ts";
import { Draw } from "../../src/util/testing/draw.ts";
import { mutateBytes } from "../fuzz/bytes.ts";
import { QUICK, asked, drawAsked } from "./catalog.ts";
import {
  type AskStep,
  BROKEN_CHUNK_NAMES,
  type BodyForm,
  type H1Step,
  KEEP_ALIVE,
  NO_REQUEST_NAMES,
  type SendStep,
  UPGRADE_NAMES,
  sentBy,
} from "./h1-steps.ts";
import { drawFrame } from "./websocket.ts";

/** What a client does on one connection of HTTP/1.1. */
export interface H1Script {
  readonly as: "h1";
  readonly steps: readonly H1Step[];
}

/** Lines that change the request, or make it invalid. */
const LINES = [
  "content-length: 0",
  "content-length: 1e3",
  "content-length: 4, 4",
  "transfer-encoding: chunked",
  "transfer-encoding: xchunked",
  "transfer-encoding : chunked",
  " folded: x",
  "host: y",
  "x: \0",
  "x\x01: y",
  "connection: close",
  "connection: keep-alive, content-length",
  "expect: x",
  "accept: */*;q=0.1, application/yaml",
  "content-type: application/json; charset=",
  "content-encoding: gzip",
  "upgrade: websocket",
  "impersonate-user: alice",
  "range: bytes=0-1",
  "if-match: *",
  "http2-settings: AAMAAABkAAQAAP__",
];

const MOST_STEPS = 16;
const MOST_FRAMES = 30;
const MORE = [
  "accept: */*",
  "Accept: application/json",
  "USER-AGENT: somebody",
  KEEP_ALIVE,
  "cookie: a=b; c=d",
  "x-empty:",
  "x-blanks: \t a \t ",
  "te: trailers",
  "accept-encoding: gzip",
  "upgrade: h2c",
];

/** Draws a script. */
export function drawH1(seed: number): H1Script {
  const draw = new Draw(seed);
  const client = new H1Draw(draw, draw.pick([0, 0, 0.05, 0.2]), draw.chance(0.75));
  const steps: H1Step[] = [];
  for (let i = 1 + draw.below(MOST_STEPS); i > 0; i--) {
    const step = client.step();
    steps.push(step);
    if (step.do === "ask" && step.upgrade) {
      steps.push(...client.frames());
      break;
    }
  }
  return { as: "h1", steps };
}

class H1Draw {
  readonly #draw: Draw;
  /** How often something is wrong. */
  readonly #wrong: number;
  readonly #isTrusted: boolean;

  constructor(draw: Draw, wrong: number, isTrusted: boolean) {
    this.#draw = draw;
    this.#wrong = wrong;
    this.#isTrusted = isTrusted;
  }

  step(): H1Step {
    const draw = this.#draw;
    if (draw.chance(this.#wrong)) return this.#odd();
    return choose<H1Step>(draw, [
      [20, () => this.#leaves(this.#ask())],
      [2, () => this.#leaves({ do: "ask", asked: draw.pick(QUICK), times: 1 + draw.small(30) })],
      [3, () => ({ do: "answers" })],
      [1, () => ({ do: "wait", millis: draw.small(30) })],
      [1, () => ({ do: "deaf", millis: draw.small(60) })],
      [1, () => this.#leaves(this.#upgrade())],
    ]);
  }

  /** What is sent on a WebSocket, or what a client sends who takes it for one. */
  frames(): H1Step[] {
    const draw = this.#draw;
    return draw.many(draw.small(MOST_FRAMES), () =>
      draw.chance(0.1)
        ? draw.pick<H1Step>([{ do: "wait", millis: 5 }, { do: "answers" }])
        : this.#leaves(drawFrame(draw, this.#wrong)),
    );
  }

  #ask(): AskStep {
    const draw = this.#draw;
    const name = drawAsked(draw, this.#isTrusted);
    const { body } = asked(name);
    const isChunked = draw.chance(body.length > 0 ? 0.4 : 0.05);
    return {
      do: "ask",
      asked: name,
      ...(isChunked ? { body: this.#chunked() } : {}),
      ...(draw.chance(0.3) ? { more: draw.many(1 + draw.small(4), () => this.#line()) } : {}),
      ...(body.length > 0 && draw.chance(0.2) ? { expect: true } : {}),
      ...(draw.chance(0.03) ? { close: true } : {}),
      ...(draw.chance(0.02) ? { version: "1.0" } : {}),
    };
  }

  #chunked(): BodyForm {
    const draw = this.#draw;
    return {
      form: "chunked",
      cuts: draw.many(draw.small(6), () => 1 + draw.small(5000)),
      ...(draw.chance(0.2) ? { extension: true } : {}),
      ...(draw.chance(0.2) ? { trailer: true } : {}),
    };
  }

  #line(): string {
    const draw = this.#draw;
    return draw.chance(0.05) ? `x-long: ${"v".repeat(draw.small(20_000))}` : draw.pick(MORE);
  }

  #upgrade(): AskStep {
    return { do: "ask", asked: "a watch without an end", upgrade: this.#draw.pick(UPGRADE_NAMES) };
  }

  #odd(): H1Step {
    const draw = this.#draw;
    const withBody = (): AskStep => ({ ...this.#ask(), body: this.#wrongBody() });
    return choose<H1Step>(draw, [
      [4, () => this.#leaves({ do: "wrong", what: draw.pick(NO_REQUEST_NAMES) })],
      [draw.chance(0.1) ? 1 : 0, () => ({ do: "wrong", what: "huge headers" })],
      [5, () => this.#leaves(withBody())],
      [3, () => this.#bytes()],
      // Whatever was held back is cut off by it.
      [2, () => ({ do: "fin" })],
      [2, () => ({ do: "rst" })],
    ]);
  }

  #wrongBody(): BodyForm {
    const draw = this.#draw;
    return draw.one<BodyForm>(
      () => ({ form: "short", missing: 1 + draw.small(2000) }),
      // One more byte may be a line end, which is accepted.
      () => ({ form: "long", more: 2 + draw.small(60) }),
      () => ({ form: "broken", how: draw.pick(BROKEN_CHUNK_NAMES) }),
    );
  }

  /** Requests that are nearly right. */
  #bytes(): H1Step {
    const draw = this.#draw;
    const one = (): Buffer => {
      const body = draw.chance(0.2) ? { body: this.#wrongBody() } : {};
      return sentBy({ ...this.#ask(), ...body, more: draw.many(draw.small(4), () => draw.pick(LINES)) }).bytes;
    };
    const right = Buffer.concat(draw.many(1 + draw.small(4), one));
    return { do: "bytes", base64: (draw.chance(0.8) ? mutateBytes(draw, right) : right).toString("base64") };
  }

  #leaves(step: SendStep): SendStep {
    const draw = this.#draw;
    if (draw.chance(0.6)) return step;
    return draw.chance(0.6) ? { ...step, hold: true } : { ...step, keep: 1 + draw.small(200) };
  }
}
