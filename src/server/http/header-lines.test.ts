import http from "node:http";
import http2 from "node:http2";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { SentRequest } from "../request/exchange.ts";
import type { ServerRequest } from "../request/request.ts";
import { Listening } from "../testing/listening.ts";
import { ADMIN } from "../testing/test-server.ts";
import { linesOf } from "./header-lines.ts";

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

const SENT = ["a, b", "", "a, b", Buffer.from("J\u00fcrgen").toString("latin1")];
const READ = ["a, b", "", "a, b", "J\u00fcrgen"];

/** A server that keeps its requests. */
async function keeping(tls: boolean) {
  const requests: SentRequest[] = [];
  const keep = {
    name: "keep",
    enter: (_: unknown, { incoming }: ServerRequest) => void requests.push(incoming.sent),
  };
  const respond = { name: "respond", enter: (_: unknown, { response }: ServerRequest) => response.respond(200, {}) };
  return { ...(await listening.start(tls, { filters: [keep, respond] })), requests };
}

test("AUTHN-47: a header of several lines is read line by line over HTTP/1.1", async () => {
  const { listener, requests } = await keeping(false);
  const request = http.get({
    host: "127.0.0.1",
    port: listener.port,
    path: "/version",
    headers: { ...ADMIN, "X-Line": SENT },
  });
  const response = await new Promise<http.IncomingMessage>((resolve) => request.once("response", resolve));
  await text(response);
  expect(requests[0]!.lines("x-line")).toEqual(READ);
  expect(requests[0]!.lines("x-other")).toEqual([]);
});

test("AUTHN-47: a header of several lines is read line by line over HTTP/2", async () => {
  const { listener, requests } = await keeping(true);
  const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: listening.authority.cert });
  listening.onClean(() => session.destroy());
  await text(session.request({ ...ADMIN, ":path": "/version", "x-line": SENT }));
  expect(requests[0]!.lines("x-line")).toEqual(READ);
});

test("names are compared in any case, values are text in UTF-8", () => {
  expect(linesOf(["X-A", "\u00c3\u00bc", "x-b", "1", "x-a", "\u00ff"], "x-a")).toEqual(["\u00fc", "\ufffd"]);
});
