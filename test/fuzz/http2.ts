/**
 * HTTP/2 by clients that do not keep to its rules: a right preface, right requests, and frames between them that are not.
 *
 * @module
 */
import {
  FLAG,
  PREFACE,
  TYPE,
  frame,
  headerBlock,
  indexed,
  literal,
  requestBlock,
  settings,
  uint32,
} from "../../src/http2/testing/frames.ts";
import { TOKEN } from "../attacks/target.ts";
import { mutateBytes } from "./bytes.ts";
import type { BytesCase } from "./case.ts";
import type { Draw } from "../../src/util/testing/draw.ts";

const PATHS = [
  "/version",
  "/livez",
  "/api/v1/nodes",
  "/api/v1/configmaps?limit=1",
  "/api/v1/namespaces/fuzz/configmaps",
  "/%00",
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "get", ""];
const WORDS = [0, 1, 2 ** 14, 2 ** 16, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const BODY = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"h2-"}}');
const MOST_FRAMES = 40;

const streamOf = (draw: Draw): number => (draw.chance(0.8) ? 1 + 2 * draw.small(20) : draw.pick([0, 2, 101, ...WORDS]));

function headersOf(draw: Draw): [string, string][] {
  const headers: [string, string][] = draw.chance(0.6) ? [["authorization", `Bearer ${TOKEN}`]] : [];
  const odd: readonly [string, string][] = [
    ["content-type", "application/json"],
    ["content-length", String(draw.pick([0, 5, BODY.length, -1, 2 ** 53]))],
    ["accept-encoding", "gzip"],
    ["te", "trailers"],
    ["te", "gzip"],
    ["connection", "close"],
    ["transfer-encoding", "chunked"],
    [":path", "/version"],
    [":protocol", "websocket"],
    ["Upper", "case"],
    ["host", "a"],
    ["cookie", "a=b"],
    ["expect", "100-continue"],
    ["x", "y".repeat(draw.small(20_000))],
    ["", ""],
    ["a b", "\r\nx: y"],
  ];
  for (let i = draw.small(6); i > 0; i--) headers.push(draw.pick(odd));
  return headers;
}

const blockOf = (draw: Draw): Buffer => {
  const right = (): Buffer =>
    requestBlock(draw.chance(0.7) ? "GET" : draw.pick(METHODS), draw.pick(PATHS), headersOf(draw));
  const table = (): Buffer =>
    Buffer.concat([
      requestBlock("GET", "/livez"),
      literal("x", "y".repeat(draw.small(4000)), true),
      ...draw.many(draw.below(100), () => indexed(draw.chance(0.9) ? 62 : draw.below(200))),
    ]);
  return draw.chance(0.6)
    ? right()
    : draw.one(
        table,
        () => mutateBytes(draw, right()),
        () => draw.bytes(draw.small(300)),
        () => headerBlock(headersOf(draw)),
      );
};

const flagsOf = (draw: Draw, usual: number): number => (draw.chance(0.85) ? usual : draw.below(256));

/** One thing that a client may send, right or not. */
function piece(draw: Draw): Buffer {
  const stream = streamOf(draw);
  return draw.one(
    () => frame(TYPE.headers, flagsOf(draw, FLAG.endHeaders | FLAG.endStream), stream, blockOf(draw)),
    () => frame(TYPE.headers, flagsOf(draw, FLAG.endHeaders), stream, requestBlock("POST", PATHS[4]!, headersOf(draw))),
    () => splitBlock(draw, stream),
    () =>
      frame(TYPE.data, flagsOf(draw, draw.below(2)), stream, draw.chance(0.5) ? BODY : draw.bytes(draw.small(2000))),
    () => frame(TYPE.reset, flagsOf(draw, 0), stream, uint32(draw.below(15))),
    () => frame(TYPE.windowUpdate, flagsOf(draw, 0), draw.chance(0.5) ? 0 : stream, uint32(draw.pick(WORDS))),
    () => settings(draw.many(draw.small(8), () => [draw.below(9), draw.pick(WORDS)])),
    () => frame(TYPE.settings, FLAG.ack, 0),
    () => frame(TYPE.ping, flagsOf(draw, 0), draw.chance(0.9) ? 0 : stream, draw.bytes(8)),
    () => frame(TYPE.priority, flagsOf(draw, 0), stream, draw.bytes(5)),
    () => frame(TYPE.goAway, 0, 0, draw.bytes(8 + draw.small(30))),
    () => frame(TYPE.pushPromise, FLAG.endHeaders, stream, Buffer.concat([uint32(2), requestBlock("GET", "/")])),
    () => frame(TYPE.continuation, flagsOf(draw, FLAG.endHeaders), stream, draw.bytes(draw.small(200))),
    () => frame(draw.below(256), draw.below(256), stream, draw.bytes(draw.small(100))),
    () => frame(draw.below(10), draw.below(256), stream, draw.bytes(draw.small(20_000))),
    () => Buffer.concat(draw.many(1 + draw.small(200), (i) => reset(1 + 2 * (100 + i)))),
  );
}

/** A request that is taken back at once. */
const reset = (stream: number): Buffer =>
  Buffer.concat([
    frame(TYPE.headers, FLAG.endHeaders | FLAG.endStream, stream, requestBlock("GET", "/livez")),
    frame(TYPE.reset, 0, stream, uint32(8)),
  ]);

/** Headers in several frames, the last one of which may be missing. */
function splitBlock(draw: Draw, stream: number): Buffer {
  const block = blockOf(draw);
  const at = draw.below(block.length + 1);
  const parts = draw.many(draw.small(30), () => frame(TYPE.continuation, 0, stream, draw.bytes(0)));
  return Buffer.concat([
    frame(TYPE.headers, FLAG.endStream, stream, block.subarray(0, at)),
    ...parts,
    frame(TYPE.continuation, flagsOf(draw, FLAG.endHeaders), stream, block.subarray(at)),
  ]);
}

/** A connection of HTTP/2. */
export function http2Case(draw: Draw): BytesCase {
  const pieces = [PREFACE, settings([]), ...draw.many(1 + draw.below(MOST_FRAMES), () => piece(draw))];
  const at = draw.below(pieces.length);
  const sent = draw.chance(0.3) ? pieces.with(at, mutateBytes(draw, pieces[at]!)) : pieces;
  return { as: "h2", pieces: sent.map((bytes) => bytes.toString("base64")) };
}
