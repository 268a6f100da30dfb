/** What comes over one connection ends that connection at most, in whatever order it comes. */
import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { FLAG, PREFACE, SETTING, TYPE, frame, requestBlock, settings } from "../../http2/testing/frames.ts";
import { withFilter } from "../filters/default.ts";
import { Listening, until } from "../testing/listening.ts";
import { ADMIN, CM, TOKEN } from "../testing/test-server.ts";
import type { Listener } from "./listeners.ts";

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

type Headers = readonly (readonly [string, string])[];

/** A connection of which every byte is ours. */
class Wire {
  got = Buffer.alloc(0);
  closed = false;
  readonly socket: net.Socket;

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on("data", (piece: Buffer) => (this.got = Buffer.concat([this.got, piece])));
    socket.on("error", () => {});
    socket.on("close", () => (this.closed = true));
    listening.onClean(() => socket.destroy());
  }

  static async open({ port }: Listener, protocol: "h2" | "http/1.1" | "plain"): Promise<Wire> {
    const where = { host: "127.0.0.1", port };
    if (protocol === "plain") {
      const socket = net.connect(where);
      await once(socket, "connect");
      return new Wire(socket);
    }
    const socket = tls.connect({ ...where, ca: listening.authority.cert, ALPNProtocols: [protocol] });
    await once(socket, "secureConnect");
    return new Wire(socket);
  }

  send(...pieces: readonly (string | Buffer)[]): void {
    this.socket.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
  }

  get codes(): number[] {
    return [...this.got.toString("latin1").matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
  }
}

const request = (stream: number, method: string, path: string, headers: Headers = [], ends = true): Buffer =>
  frame(TYPE.headers, FLAG.endHeaders | (ends ? FLAG.endStream : 0), stream, requestBlock(method, path, headers));

const each = (count: number, make: (stream: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(2 * i + 1)));

/** That a server still responds, and that nothing has failed which it did not expect. */
async function expectWell({ listener, logged }: Awaited<ReturnType<Listening["start"]>>): Promise<void> {
  const wire = await Wire.open(listener, "http/1.1");
  wire.send("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
  await until(() => wire.codes.length === 1, "a response");
  expect(wire.codes).toEqual([200]);
  expect(logged.filter(({ fields }) => "stack" in fields)).toEqual([]);
}

describe("HTTP/2", () => {
  test.each([
    ["POST", "/livez", 20, 0],
    ["HEAD", "/livez", 20, 0],
    ["GET", "/livez/nope", 90, 0],
    ["OPTIONS", "/version", 60, 0],
    ["HEAD", "/livez", 20, 65_535],
    ["GET", CM, 20, 65_535],
  ])(
    "%s %s, %d times at once by a client without a credential that reads none of the responses, or all: window %d",
    async (method, path, count, window) => {
      const started = await listening.start(true);
      for (let i = 0; i < 5; i++) {
        const wire = await Wire.open(started.listener, "h2");
        wire.send(
          PREFACE,
          settings([[SETTING.initialWindowSize, window]]),
          each(count, (id) => request(id, method, path)),
        );
        await sleep(30);
        wire.socket.destroy();
      }
      await expectWell(started);
    },
  );

  test("bodies of another length than they say, on a connection that is broken off meanwhile", async () => {
    const started = await listening.start(true);
    const wrong = (id: number): Buffer =>
      Buffer.concat([
        request(id, "POST", "/livez", [["content-length", "5"]], false),
        frame(TYPE.data, FLAG.endStream, id, Buffer.from("{}")),
      ]);
    for (let i = 0; i < 20; i++) {
      const wire = await Wire.open(started.listener, "h2");
      wire.send(
        PREFACE,
        settings([]),
        each(99, (id) => request(id, "GET", "/livez")),
      );
      await sleep(i % 4);
      wire.send(each(60, (id) => wrong(id + 198)));
      await sleep(i % 5);
      wire.socket.destroy();
    }
    await expectWell(started);
  });

  test.each([
    ["impersonate-user", " jane"],
    ["impersonate-user", "ja\u0001ne"],
    ["impersonate-group", "system:\u0001masters"],
    ["x-remote-user", "jane "],
    ["if-match", "\t1"],
    ["authorization", `Bearer ${TOKEN}\u007f`],
  ])("RFC 9113 8.2.1: a request whose %s is %j is refused, and says so", async (name, value) => {
    const started = await listening.start(true);
    const wire = await Wire.open(started.listener, "h2");
    const credential: Headers = name === "authorization" ? [] : [["authorization", `Bearer ${TOKEN}`]];
    wire.send(PREFACE, settings([]), request(1, "GET", CM, [...credential, [name, value]]));
    await until(() => wire.got.includes("expected header"), "a response");
    expect(wire.got.toString("latin1")).toContain(`expected header ${name} without control characters`);
  });
});

const UPGRADE = `GET ${CM}?watch=1 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`;
const BEARER = `authorization: Bearer ${TOKEN}\r\n`;
const get = (path: string, headers = BEARER): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;

describe.each(["http/1.1", "plain"] as const)("HTTP/1.1, %s", (protocol) => {
  test("RFC 9112 9.3.2: an upgrade that is refused waits for the responses before it", async () => {
    const slow = { name: "slow", enter: () => sleep(20) };
    const started = await listening.start(protocol !== "plain", { filters: withFilter(slow, { before: "handle" }) });
    const wire = await Wire.open(started.listener, protocol);
    wire.send(get("/version"), get("/livez/nope"), `${UPGRADE}\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([200, 404, 401]);
    if (protocol !== "plain") await expectWell(started);
  });

  test("RFC 9112 9.3.2: a watch over WebSocket begins when the responses before it have been given", async () => {
    const slow = { name: "slow", enter: () => sleep(20) };
    const started = await listening.start(protocol !== "plain", { filters: withFilter(slow, { before: "handle" }) });
    const wire = await Wire.open(started.listener, protocol);
    wire.send(get("/version"), `${UPGRADE}${BEARER}\r\n`);
    await until(() => wire.codes.length === 2, "two responses");
    expect(wire.codes).toEqual([200, 101]);
    wire.socket.destroy();
    await until(() => started.server.watches === 0, "no watch");
  });

  test("an upgrade whose connection goes while it waits leaves nothing", async () => {
    let go = (): void => {};
    const stuck = { name: "stuck", enter: () => new Promise<void>((resolve) => (go = resolve)) };
    const started = await listening.start(protocol !== "plain", { filters: withFilter(stuck, { before: "handle" }) });
    const wire = await Wire.open(started.listener, protocol);
    wire.send(get("/version"), `${UPGRADE}${BEARER}\r\n`);
    await sleep(50);
    wire.socket.destroy();
    await sleep(50);
    go();
    await sleep(20);
    expect(started.server.watches).toBe(0);
  });
});

test("a filter that fails after the response is reported, and the request keeps its response", async () => {
  const broken = {
    name: "broken",
    leave: () => {
      throw new Error("a mistake of ours");
    },
  };
  const started = await listening.start(false, { filters: withFilter(broken, { before: "handle" }) });
  const wire = await Wire.open(started.listener, "plain");
  wire.send(get("/version"));
  await until(() => wire.closed, "the end");
  const stacks = started.logged.flatMap(({ fields }) => (typeof fields["stack"] === "string" ? [fields["stack"]] : []));
  expect(stacks[0]).toContain("a mistake of ours");
  const metrics = await (await started.ask("GET", "/metrics", { headers: ADMIN })).text();
  expect(metrics).toMatch(/^keelson_uncaught_total\{of="request"\} [1-9]/m);
});
