/**
 * Steps of clients of HTTP/1.1: their bytes, and what may be answered to each.
 *
 * @module
 */
import type { Leaving } from "../../src/http2/testing/steps.ts";
import { type Asked, type AskedName, QUICK, asked } from "./catalog.ts";
import type { SocketStep } from "./line.ts";
import { NO_REQUESTS, type NoRequest } from "./no-requests.ts";
import { type FrameStep, KEY, frameBytes } from "./websocket.ts";

/** What is wrong with the chunks of a body; each is found out when its last byte is read. */
const BROKEN_CHUNKS = {
  "no number": "xyz\r\n",
  "a number beyond all": "fffffffffffffffff\r\n",
  "a number with a sign": "+5\r\nabcde\r\n",
  "no line end behind a chunk": "3\r\nabcde",
  "a bare LF": "3\nabc\n",
  "a blank for a number": " \r\n",
} as const;

/** How a body is sent. */
export type BodyForm =
  | { readonly form: "chunked"; readonly cuts: readonly number[]; readonly extension?: true; readonly trailer?: true }
  /** So many bytes less than it says. */
  | { readonly form: "short"; readonly missing: number }
  /** So many bytes more than it says. */
  | { readonly form: "long"; readonly more: number }
  | { readonly form: "broken"; readonly how: keyof typeof BROKEN_CHUNKS };

/** A wish to go on with another protocol. */
const UPGRADES = {
  watch: {
    headers: ["sec-websocket-version: 13", `sec-websocket-key: ${KEY}`],
    asked: "a watch without an end",
    codes: [101],
  },
  "a sub-protocol": {
    headers: ["sec-websocket-version: 13", `sec-websocket-key: ${KEY}`, "sec-websocket-protocol: base64.binary.k8s.io"],
    asked: "a watch without an end",
    codes: [101],
  },
  "no credential": {
    headers: ["sec-websocket-version: 13", `sec-websocket-key: ${KEY}`],
    asked: "a watch of nobody",
    codes: [401, 403],
  },
  "no key": { headers: ["sec-websocket-version: 13"], asked: "a watch without an end", codes: [400] },
  "another version": {
    headers: ["sec-websocket-version: 99", `sec-websocket-key: ${KEY}`],
    asked: "a watch without an end",
    codes: [400, 426],
  },
  "no watch": { headers: ["sec-websocket-version: 13", `sec-websocket-key: ${KEY}`], asked: "version", codes: [200] },
} as const satisfies Readonly<
  Record<string, { readonly headers: readonly string[]; readonly asked: AskedName; readonly codes: readonly number[] }>
>;

/** A request that is one. */
export interface AskStep {
  readonly do: "ask";
  readonly asked: AskedName;
  readonly body?: BodyForm;
  readonly more?: readonly string[];
  readonly times?: number;
  readonly version?: "1.0";
  readonly close?: boolean;
  readonly expect?: boolean;
  readonly upgrade?: keyof typeof UPGRADES;
}

/** What a client of HTTP/1.1 does. */
export type H1Step =
  | (Leaving &
      (
        | AskStep
        | { readonly do: "wrong"; readonly what: NoRequest | "huge headers" }
        /** Any bytes, in base64: their meaning is not known. */
        | { readonly do: "bytes"; readonly base64: string }
        | FrameStep
      ))
  /** Waits until all is answered that will be. */
  | { readonly do: "answers" }
  | SocketStep;

/** A step that sends something. */
export type SendStep = Exclude<H1Step, SocketStep | { readonly do: "answers" }>;

/** Names that draws choose from. */
export const BROKEN_CHUNK_NAMES = Object.keys(BROKEN_CHUNKS) as (keyof typeof BROKEN_CHUNKS)[];
export const UPGRADE_NAMES = Object.keys(UPGRADES) as (keyof typeof UPGRADES)[];
export const NO_REQUEST_NAMES = Object.keys(NO_REQUESTS) as NoRequest[];

/** What the answer to something may be. */
export interface Expected {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly codes: readonly number[];
  readonly hasToken: boolean;
  readonly isEndless: boolean;
  /** Whether the connection ends with the answer. */
  readonly end: "must" | "may" | "stays";
  readonly mayContinue: boolean;
  /** Whether the answer has no form of its own: that of HTTP/1.0 ends with the connection. */
  readonly isOld: boolean;
  /** Whether it is answered if all of its bytes come. */
  readonly isDue: boolean;
}

/** Bytes of a step, where the head of its last request ends, and what is expected, in their order. */
export interface Sent {
  readonly bytes: Buffer;
  readonly expected: readonly Expected[];
  /** Whether nothing behind it can be understood. */
  readonly isLast: boolean;
  /** Whether what comes behind it is taken for the rest of its body. */
  readonly isOpen?: boolean;
}

/** Without it a connection of HTTP/1.0 ends. */
export const KEEP_ALIVE = "connection: keep-alive";

const MALFORMED: Expected = {
  name: "what is no request",
  method: "GET",
  path: "/",
  codes: [400],
  hasToken: false,
  isEndless: false,
  end: "must",
  mayContinue: false,
  isOld: false,
  isDue: true,
};
const HUGE = `GET /livez HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(1_100_000)}\r\n\r\n`;

/** The bytes of a step, and what they ask for. */
export function sentBy(step: SendStep): Sent {
  switch (step.do) {
    case "ask":
      return askedBy(step);
    case "wrong": {
      const isHuge = step.what === "huge headers";
      const bytes = Buffer.from(step.what === "huge headers" ? HUGE : NO_REQUESTS[step.what], "latin1");
      return { bytes, expected: [{ ...MALFORMED, name: step.what, codes: isHuge ? [431] : [400] }], isLast: true };
    }
    case "bytes":
      return { bytes: Buffer.from(step.base64, "base64"), expected: [], isLast: true };
    case "frame":
      return { bytes: frameBytes(step), expected: [], isLast: true };
  }
}

/** Others are no requests of HTTP/1.1 for the parser of Node. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

function askedBy(step: AskStep): Sent {
  const what = asked(step.upgrade ? UPGRADES[step.upgrade].asked : step.asked);
  const times = step.times ?? 1;
  const head = headOf(step, what);
  const { bytes: body, rest } = bodyOf(step, what);
  const one = Buffer.concat([Buffer.from(head, "latin1"), body]);
  const expected = METHODS.has(what.method) ? expectedOf(step, what) : { ...MALFORMED, name: what.name };
  const isBroken = step.body?.form === "broken" || step.body?.form === "short";
  return {
    bytes: Buffer.concat([...Array.from({ length: times }, () => one), rest]),
    expected: [...Array.from({ length: times }, () => expected), ...(rest.length > 0 ? [MALFORMED] : [])],
    isLast: isBroken || rest.length > 0 || expected.end === "must" || expected.codes.includes(101),
    isOpen: step.body?.form === "short",
  };
}

function headOf({ version, close, expect, upgrade, more = [], body }: AskStep, what: Asked): string {
  const lines = [
    `${what.method} ${what.path} HTTP/${version ?? "1.1"}`,
    "host: x",
    ...what.headers.map(([name, value]) => `${name}: ${value}`),
    ...(upgrade ? ["connection: Upgrade", "upgrade: websocket", ...UPGRADES[upgrade].headers] : []),
    ...(close ? ["connection: close"] : []),
    ...(expect ? ["expect: 100-continue"] : []),
    ...more,
    ...lengthLines(what.body.length, body),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function lengthLines(length: number, body: BodyForm | undefined): string[] {
  if (body === undefined) return length === 0 ? [] : [`content-length: ${length}`];
  if (body.form === "short") return [`content-length: ${length + body.missing}`];
  if (body.form === "long") return [`content-length: ${Math.max(0, length - body.more)}`];
  return ["transfer-encoding: chunked"];
}

/** A body as it is sent, and what is beyond its length. */
function bodyOf({ body }: AskStep, what: Asked): { readonly bytes: Buffer; readonly rest: Buffer } {
  const NOTHING = Buffer.alloc(0);
  if (body?.form === "long") {
    const length = Math.max(0, what.body.length - body.more);
    return { bytes: what.body.subarray(0, length), rest: what.body.subarray(length) };
  }
  if (body?.form === "broken") return { bytes: Buffer.from(BROKEN_CHUNKS[body.how]), rest: NOTHING };
  if (body?.form !== "chunked") return { bytes: what.body, rest: NOTHING };
  return { bytes: chunks(what.body, body), rest: NOTHING };
}

function chunks(whole: Buffer, { cuts, extension, trailer }: BodyForm & { readonly form: "chunked" }): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const cut of [...cuts, whole.length]) {
    const piece = whole.subarray(at, at + cut);
    at += piece.length;
    if (piece.length === 0) continue;
    const size = `${piece.length.toString(16)}${extension ? ";a=b" : ""}\r\n`;
    pieces.push(Buffer.from(size), piece, Buffer.from("\r\n"));
  }
  pieces.push(Buffer.from(`0\r\n${trailer ? "x-sum: 1\r\n" : ""}\r\n`));
  return Buffer.concat(pieces);
}

function expectedOf(step: AskStep, what: Asked): Expected {
  const { body, version, close = false, expect = false, upgrade, more = [] } = step;
  const isWhole = body === undefined || body.form === "chunked";
  const usual = upgrade ? UPGRADES[upgrade].codes : what.codes;
  // What is made of a body must not be made of half of it.
  const rest = what.body.length > 0 ? usual.filter((code) => code >= 300) : usual;
  const isUpgraded = upgrade !== undefined && upgrade !== "no watch";
  const isUnread = body !== undefined && what.body.length === 0;
  const isOld = version === "1.0";
  // Who says both gets either.
  const isKept = isOld && more.includes(KEEP_ALIVE);
  const mustEnd = ((close || isOld) && !isKept) || (isUpgraded && !usual.includes(101));
  const mayEnd = !what.hasToken || isUnread || (what.body.length > 0 && !usual.includes(201));
  return {
    name: what.name,
    method: what.method,
    path: what.path,
    codes: isWhole ? usual : [...rest, 400, 413, 415, 422],
    hasToken: what.hasToken,
    isEndless: what.isEndless && !isUpgraded,
    end: mustEnd ? "must" : mayEnd || !isWhole || close || isOld ? "may" : "stays",
    mayContinue: expect,
    isOld,
    isDue: body?.form !== "short",
  };
}

/** Whether a step sends a request that gets a response at once, for every user. */
export const isQuick = ({ asked: name }: AskStep): boolean => QUICK.includes(name);
