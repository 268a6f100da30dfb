/** Requests that may be read in two ways: each is read in one, or refused, and its connection ends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Scratch } from "../serve/keelson.ts";
import { TOKEN, Target } from "./target.ts";
import { Wire } from "./wire.ts";

const AUTH = `host: x\r\nauthorization: Bearer ${TOKEN}\r\n`;
const MAPS = "/api/v1/namespaces/default/configmaps";
const OBJECT = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}}';
/** What must never be taken for a request: it would be answered with 404. */
const HIDDEN = `GET /hidden HTTP/1.1\r\n${AUTH}\r\n`;

const post = (headers: string, body: string): string => `POST ${MAPS} HTTP/1.1\r\n${AUTH}${headers}\r\n${body}`;
const chunk = (size: string): string =>
  post("transfer-encoding: chunked\r\n", `${size}\r\n${OBJECT}\r\n0\r\n\r\n${HIDDEN}`);

const scratch = new Scratch();
let target: Target;
beforeAll(async () => {
  target = await Target.start(scratch.fresh(), { args: ["--dialect", "kubernetes"] });
});
afterAll(async () => {
  await target.stop();
  scratch.remove();
});

test.each([
  ["a length and chunks", post("content-length: 4\r\ntransfer-encoding: chunked\r\n", `0\r\n\r\n${HIDDEN}`)],
  ["two codings", post("transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n", `0\r\n\r\n${HIDDEN}`)],
  ["a coding that is none", post("transfer-encoding: xchunked\r\n", `0\r\n\r\n${HIDDEN}`)],
  ["a folded header", post("x: y\r\n transfer-encoding: chunked\r\n", HIDDEN)],
  ["a space before the colon", post("transfer-encoding : chunked\r\n", `0\r\n\r\n${HIDDEN}`)],
  ["two lengths", post("content-length: 5\r\ncontent-length: 6\r\n", HIDDEN)],
  ["the same length twice", post("content-length: 5\r\ncontent-length: 5\r\n", HIDDEN)],
  ["a length with a sign", post("content-length: +5\r\n", HIDDEN)],
  ["a negative length", post("content-length: -1\r\n", HIDDEN)],
  ["a length with an exponent", post("content-length: 1e3\r\n", HIDDEN)],
  ["a list of lengths", post("content-length: 5, 5\r\n", HIDDEN)],
  ["a negative chunk", chunk("-1")],
  ["a chunk beyond all numbers", chunk("fffffffffffffffff")],
  ["a bare CR", `GET /version HTTP/1.1\r${AUTH}\r\n${HIDDEN}`],
  ["a NUL in a header", `GET /version HTTP/1.1\r\nx: \0\r\n${AUTH}\r\n${HIDDEN}`],
  ["a line end without CR", `GET /version HTTP/1.1\nhost: x\n\n${HIDDEN}`],
  ["no Host header", `GET /version HTTP/1.1\r\n\r\n${HIDDEN}`],
  ["two Host headers", `GET /version HTTP/1.1\r\nhost: y\r\n${AUTH}\r\n${HIDDEN}`],
  ["a header without a name", `GET /version HTTP/1.1\r\n: y\r\n${AUTH}\r\n${HIDDEN}`],
])("%s is refused with 400, and the connection ends", async (_what, text) => {
  const wire = await Wire.open(target, "http/1.1");
  wire.send(text);
  expect(await wire.ends()).toBe(true);
  expect(wire.codes).toEqual([400]);
});

test.each([
  ["a GET with one", `GET /version HTTP/1.1\r\n${AUTH}content-length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`, 200],
  [
    "a POST without a right",
    `POST ${MAPS} HTTP/1.1\r\nhost: x\r\ncontent-length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    403,
  ],
])("what was sent as a body that nobody reads is no request: %s", async (_what, text, code) => {
  const wire = await Wire.open(target, "http/1.1");
  wire.send(text);
  expect(await wire.ends()).toBe(true);
  expect(wire.codes).toEqual([code]);
});

test("a target with a host is one for the path in it", async () => {
  const wire = await Wire.open(target, "http/1.1");
  wire.send(`GET http://elsewhere/livez HTTP/1.1\r\nhost: elsewhere\r\nconnection: close\r\n\r\n`);
  expect(await wire.ends()).toBe(true);
  expect(wire.codes).toEqual([200]);
});

test.each([
  "/livez/../api",
  "//livez",
  "/livez%2f..%2fapi",
  "/livez;/api",
  "/%00",
  "/api/v1/namespaces/..%2f..",
  "/__proto__",
  "/constructor",
])("no trick makes a path that anybody may ask: %s", async (path) => {
  const client = await target.connect({});
  const { status } = await client.send("GET", path);
  expect([400, 401, 403, 404]).toContain(status);
  client.session.destroy();
});
