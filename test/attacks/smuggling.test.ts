/** Requests that may be read in two ways: each is read in one, or refused, and its connection ends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Scratch } from "../serve/keelson.ts";
import { AUTH, HIDDEN, NO_REQUESTS } from "../wire/no-requests.ts";
import { Target } from "./target.ts";
import { Wire } from "./wire.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

const scratch = new Scratch();
let target: Target;
beforeAll(async () => {
  target = await Target.start(scratch.fresh(), { args: ["--dialect", "kubernetes"] });
});
afterAll(async () => {
  await target.stop();
  scratch.remove();
});

test.each(Object.entries(NO_REQUESTS))("%s is refused with 400, and the connection ends", async (_what, text) => {
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
])("what was sent as an unread body is no request: %s", async (_what, text, code) => {
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
])("no trick makes a path public: %s", async (path) => {
  const client = await target.connect({});
  const { status } = await client.send("GET", path);
  expect([400, 401, 403, 404]).toContain(status);
  client.session.destroy();
});
