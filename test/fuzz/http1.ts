/**
 * HTTP/1.1 and WebSockets by clients that do not keep to their rules: right requests, changed in a few places.
 *
 * @module
 */
import { TOKEN } from "../attacks/target.ts";
import { mutateBytes } from "./bytes.ts";
import type { BytesCase } from "./case.ts";
import type { Draw } from "../../src/util/testing/draw.ts";

const AUTH = `host: x\r\nauthorization: Bearer ${TOKEN}\r\n`;
const OBJECT = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"h1-"}}';
const MAPS = "/api/v1/namespaces/fuzz/configmaps";
const hex = OBJECT.length.toString(16);

/** Streams of right requests, and some that are known to have been read in two ways elsewhere. */
const STREAMS: readonly string[] = [
  `GET /version HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET ${MAPS}?limit=2 HTTP/1.1\r\n${AUTH}\r\n`,
  `POST ${MAPS} HTTP/1.1\r\n${AUTH}content-length: ${OBJECT.length}\r\n\r\n${OBJECT}`,
  `POST ${MAPS} HTTP/1.1\r\n${AUTH}transfer-encoding: chunked\r\n\r\n${hex};x=y\r\n${OBJECT}\r\n0\r\ntrailer: x\r\n\r\n`,
  `POST ${MAPS} HTTP/1.1\r\n${AUTH}expect: 100-continue\r\ncontent-length: ${OBJECT.length}\r\n\r\n${OBJECT}`,
  `POST ${MAPS} HTTP/1.1\r\n${AUTH}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\n\r\n`,
  `POST ${MAPS} HTTP/1.1\r\n${AUTH}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n`,
  `POST ${MAPS} HTTP/1.1\r\n${AUTH}content-length: 3\r\ncontent-length: 4\r\n\r\nabcd`,
  `HEAD ${MAPS} HTTP/1.1\r\n${AUTH}\r\nDELETE ${MAPS}/none HTTP/1.1\r\n${AUTH}\r\n`,
  `GET /livez HTTP/1.0\r\n\r\n`,
  `GET http://evil/livez HTTP/1.1\r\nhost: x\r\n\r\n`,
  `OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n`,
  `CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n`,
  `GET ${MAPS}?watch=1&timeoutSeconds=1 HTTP/1.1\r\n${AUTH}\r\n`,
];

const UPGRADE = `GET ${MAPS}?watch=1&resourceVersion=0 HTTP/1.1\r\n${AUTH}connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

const LINES = [
  "content-length: 0", "content-length: +1", "content-length: 4, 4", "content-length: 1e3", "transfer-encoding: chunked", "transfer-encoding: xchunked",
  "transfer-encoding : chunked", " folded: x", "host: y", "x: \0", "x\x01: y", ": x", "connection: close", "connection: keep-alive, content-length",
  "expect: x", "accept: */*;q=0.1, application/yaml", "content-type: application/json; charset=", "content-encoding: gzip", "upgrade: websocket",
  `x: ${"y".repeat(20_000)}`, "impersonate-user: alice", "range: bytes=0-1", "if-match: *",
]; // prettier-ignore

/** Puts lines in among the headers. */
const withLines = (draw: Draw, stream: string): string =>
  draw
    .many(draw.small(4), () => draw.pick(LINES))
    .reduce((text, line) => text.replace("\r\n", () => `\r\n${line}\r\n`), stream);

/** A frame of a client (RFC 6455 5.2), as right as chance has it. */
function webSocketFrame(draw: Draw): Buffer {
  const payload = draw.bytes(draw.small(300));
  const head = [draw.chance(0.7) ? 0x80 | draw.pick([0, 1, 2, 8, 9, 10]) : draw.below(256)];
  const masked = draw.chance(0.9);
  const length = draw.chance(0.9) ? payload.length : draw.below(2 ** 16);
  head.push((masked ? 0x80 : 0) | (length < 126 ? length : 126));
  if (length >= 126) head.push(length >> 8, length & 255);
  if (draw.chance(0.03)) return Buffer.from([head[0]!, 0xff, 0x7f, ...draw.bytes(11)]);
  return Buffer.concat([Buffer.from(head), masked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

const encoded = (...pieces: readonly Buffer[]): BytesCase => ({
  as: "h1",
  pieces: pieces.map((piece) => piece.toString("base64")),
});

/** A connection of HTTP/1.1. */
export function http1Case(draw: Draw): BytesCase {
  const streams = draw.many(1 + draw.small(4), () => withLines(draw, draw.pick(STREAMS)));
  const bytes = Buffer.from(streams.join(""), "latin1");
  const mutated = draw.chance(0.8) ? mutateBytes(draw, bytes) : bytes;
  const at = draw.below(mutated.length + 1);
  return draw.chance(0.3) ? encoded(mutated.subarray(0, at), mutated.subarray(at)) : encoded(mutated);
}

/** A WebSocket. */
export function webSocketCase(draw: Draw): BytesCase {
  const frames = Buffer.concat(draw.many(draw.small(60), () => webSocketFrame(draw)));
  return encoded(Buffer.from(UPGRADE), draw.chance(0.3) ? mutateBytes(draw, frames) : frames);
}
