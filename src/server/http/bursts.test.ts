/** Honest clients that ask for much at once on one connection: all get their responses, flow control makes them wait. */
import http2 from "node:http2";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { LONG } from "../../util/testing/amount.ts";
import { Listening, until } from "../testing/listening.ts";
import { ADMIN, CM, type TestServer, configMap } from "../testing/test-server.ts";
import type { Listener } from "./listeners.ts";

const MIB = 1 << 20;
const TIME = 60_000;

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

/** The windows of clients: those of node:http2, of curl, and of Go. */
const WINDOWS = { node: [65_535, 65_535], curl: [10 * MIB, 10 * MIB], go: [4 * MIB, 1 << 30] } as const;

async function connect({ port }: Listener, client: keyof typeof WINDOWS): Promise<http2.ClientHttp2Session> {
  const [stream, connection] = WINDOWS[client];
  const session = http2.connect(`https://127.0.0.1:${port}`, {
    ca: listening.authority.cert,
    settings: { initialWindowSize: stream },
    // A client of Node counts what waits to be sent, and gives itself up at 10 MB.
    maxSessionMemory: 1000,
  });
  listening.onClean(() => session.destroy());
  await new Promise((resolve) => session.once("connect", resolve));
  session.setLocalWindowSize(connection);
  return session;
}

/** The code of a response that came whole, and whether it had a body. */
function send(session: http2.ClientHttp2Session, method: string, path: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": body.length };
    // A frame of its own ends the request, so its head does not show that it has no body.
    const stream = session.request({ ...ADMIN, ":method": method, ":path": path, ...length }, { endStream: false });
    let code: number | undefined;
    let bytes = 0;
    stream.on("response", (headers) => (code = headers[":status"]));
    stream.on("data", (piece: Buffer) => (bytes += piece.length));
    stream.on("end", () => resolve(`${code} ${bytes > 0}`));
    stream.on("error", reject);
    stream.end(body);
  });
}

/** The figure of a metric now. */
async function metric({ ask }: TestServer, name: string): Promise<number> {
  const text = await (await ask("GET", "/metrics")).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)![1]);
}

describe.each(["node", "curl", "go"] as const)("with the windows of %s, on one connection at once", (client) => {
  test.each([
    [LONG ? 200 : 100, 400_000],
    [LONG ? 120 : 50, 1_000_000],
  ])("%i GETs of %i bytes all get their responses", { timeout: TIME }, async (count, bytes) => {
    const { listener, put } = await listening.start(true);
    await put(configMap("a", "x".repeat(bytes)));
    const session = await connect(listener, client);
    const responses = await Promise.all(Array.from({ length: count }, () => send(session, "GET", `${CM}/a`)));
    expect(new Set(responses)).toEqual(new Set(["200 true"]));
  });
});

test.each(["node", "curl", "go"] as const)(
  "with the windows of %s, bodies of all sizes at once on one connection arrive whole",
  { timeout: TIME },
  async (client) => {
    const { listener, json } = await listening.start(true);
    const session = await connect(listener, client);
    // Around the sizes of frames and windows, and beyond what an object may have.
    const sizes = [0, 1, 16_200, 16_384, 65_300, 65_535, 65_536, 131_072, 400_000, 900_000];
    const names = Array.from({ length: 100 }, (_, i) => `o${i}`);
    const text = (i: number): string => String(i % 10).repeat(sizes[i % sizes.length]!);
    const posts = names.map((name, i) => send(session, "POST", CM, JSON.stringify(configMap(name, text(i)))));
    const larger = Array.from({ length: LONG ? 20 : 8 }, () => send(session, "POST", CM, "x".repeat(3_500_000)));
    expect(new Set(await Promise.all(posts))).toEqual(new Set(["201 true"]));
    expect(new Set(await Promise.all(larger))).toEqual(new Set(["413 true"]));
    for (const [i, name] of names.entries()) {
      const { body } = await json("GET", `${CM}/${name}`);
      expect(body).toMatchObject({ data: { text: text(i) } });
    }
  },
);

test.each([
  [LONG ? 100 : 60, 400_000, "201 true"],
  [LONG ? 40 : 15, 3_000_000, "413 true"],
])(
  "%i POSTs of %i bytes all get their responses, in little memory",
  { timeout: TIME },
  async (count, bytes, response) => {
    const bodyMemoryBytes = 8 * MIB;
    const started = await listening.start(true, { limits: { bodyMemoryBytes } });
    const session = await connect(started.listener, "go");
    let peak = 0;
    let over = false;
    const look = async (): Promise<boolean> => {
      peak = Math.max(peak, await metric(started, "keelson_request_body_bytes"));
      return over;
    };
    const watched = until(look, "the end", TIME);
    const text = "x".repeat(bytes);
    const responses = await Promise.all(
      Array.from({ length: count }, (_, i) => send(session, "POST", CM, JSON.stringify(configMap(`o${i}`, text)))),
    );
    over = true;
    await watched;
    expect(new Set(responses)).toEqual(new Set([response]));
    expect(peak).toBeGreaterThan(bodyMemoryBytes / 4);
    expect(peak).toBeLessThanOrEqual(bodyMemoryBytes);
    expect(await metric(started, "keelson_request_body_bytes")).toBe(0);
  },
);

test("requests that wait for their turn hear of the end of a body that is empty, which comes before", async () => {
  const { listener } = await listening.start(true);
  const session = await connect(listener, "node");
  const names = Array.from({ length: 100 }, (_, i) => `c-${i}`);
  await Promise.all(names.map((name) => send(session, "POST", CM, JSON.stringify(configMap(name)))));
  const codes = await Promise.all(names.map((name) => send(session, "DELETE", `${CM}/${name}`)));
  expect(new Set(codes)).toEqual(new Set(["200 true"]));
});

test("requests that are taken back before their turn are not begun, and leave nothing", async () => {
  const { listener, ...server } = await listening.start(true);
  const session = await connect(listener, "node");
  const streams = Array.from({ length: 200 }, () => session.request({ ...ADMIN, ":path": CM }));
  await Promise.all(
    streams.map((stream) => {
      stream.on("error", () => {});
      stream.close(http2.constants.NGHTTP2_CANCEL);
      return new Promise((resolve) => stream.once("close", resolve));
    }),
  );
  await expect(send(session, "POST", CM, JSON.stringify(configMap("a")))).resolves.toBe("201 true");
  await until(
    async () => (await metric(server as TestServer, 'keelson_user_limit_highest{limit="requests"}')) <= 1,
    "only the request for the metrics",
  );
});

test("clients that announce much and stop hold no writer up", { timeout: TIME }, async () => {
  const clock = new ManualClock();
  const started = await listening.start(true, { clock, limits: { bodyMemoryBytes: 8 * MIB, writes: 1000 } });
  const [stopping, writing] = [await connect(started.listener, "go"), await connect(started.listener, "go")];
  for (let i = 0; i < 200; i++) {
    const stream = stopping.request({ ...ADMIN, ":method": "POST", ":path": CM, "content-length": 3 * MIB });
    stream.on("error", () => {});
    stream.write("x".repeat(200_000));
  }
  await until(async () => (await metric(started, "keelson_request_bodies_waiting")) > 0, "no more room");
  let response = "";
  void send(writing, "POST", CM, JSON.stringify(configMap("a", "x".repeat(400_000)))).then((got) => (response = got));
  await until(() => {
    clock.advance(100);
    return response !== "";
  }, "a response");
  expect(response).toBe("201 true");
  expect(await metric(started, "keelson_request_bodies_refused_total")).toBeGreaterThan(0);
  expect(await metric(started, "keelson_request_body_bytes")).toBeLessThanOrEqual(8 * MIB);
});
