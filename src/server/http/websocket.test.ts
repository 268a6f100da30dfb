import type { IncomingMessage } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { ManualClock } from "../../util/clock.ts";
import type { Listener } from "./listeners.ts";
import { Listening, until } from "../testing/listening.ts";
import { ADMIN, TOKEN, CM, configMap } from "../testing/test-server.ts";

const WATCH = `${CM}?watch=1`;
const BASE64 = "base64.binary.k8s.io";
const bearer = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

interface Opened {
  readonly socket: WebSocket;
  readonly messages: { data: Buffer; binary: boolean }[];
  /** Resolves with the code and headers of the response: 101, or the response instead of it. */
  readonly response: Promise<{ code: number; message: IncomingMessage }>;
  readonly closed: Promise<number>;
}

function open(
  listener: Listener,
  path: string,
  options: { tls?: boolean; protocols?: string[]; headers?: Record<string, string> } = {},
): Opened {
  const { tls = false, protocols = [], headers = ADMIN } = options;
  const url = `${tls ? "wss" : "ws"}://127.0.0.1:${listener.port}${path}`;
  const socket = new WebSocket(url, protocols, { headers, ca: listening.authority.cert });
  listening.onClean(() => socket.terminate());
  const messages: Opened["messages"] = [];
  socket.on("message", (data, binary) => messages.push({ data: data as Buffer, binary }));
  socket.on("error", () => {});
  const response = new Promise<{ code: number; message: IncomingMessage }>((resolve) => {
    socket.on("upgrade", (message) => resolve({ code: 101, message }));
    socket.on("unexpected-response", (_request, message) => {
      resolve({ code: message.statusCode!, message });
      message.resume();
    });
  });
  const closed = new Promise<number>((resolve) => {
    socket.on("close", resolve);
  });
  return { socket, messages, response, closed };
}

describe("a watch over WebSocket", () => {
  test.each([false, true])("each event is a message of text; TLS %s", async (tls) => {
    const { listener, server, put } = await listening.start(tls);
    const { messages, response, socket } = open(listener, WATCH, { tls });
    const { code, message } = await response;
    expect([code, message.headers["sec-websocket-protocol"]]).toEqual([101, undefined]);
    expect(message.headers["audit-id"]).toMatch(/^[\w-]+$/);
    await until(() => server.watches === 1, "a watch");
    await put(configMap("a"));
    await put(configMap("b"));
    await until(() => messages.length === 2, "two messages");
    for (const [i, name] of ["a", "b"].entries()) {
      const { data, binary } = messages[i]!;
      expect(binary).toBe(false);
      expect(JSON.parse(data.toString())).toMatchObject({ type: "ADDED", object: { metadata: { name } } });
    }
    socket.close();
    await until(() => server.watches === 0, "no watch");
  });

  test("several events that come together are several messages", async () => {
    const { listener, put } = await listening.start(false);
    for (const name of ["a", "b", "c"]) await put(configMap(name));
    const { messages } = open(listener, `${CM}?watch=true`);
    await until(() => messages.length === 3, "three messages");
    expect(messages.map(({ data }) => (JSON.parse(data.toString()) as { type: string }).type)).toEqual(
      Array(3).fill("ADDED"),
    );
  });

  test("base64.binary.k8s.io is echoed, and its messages are plain JSON", async () => {
    const { listener, server, put } = await listening.start(false);
    const { messages, response, socket } = open(listener, WATCH, { protocols: [BASE64] });
    expect((await response).code).toBe(101);
    expect(socket.protocol).toBe(BASE64);
    await until(() => server.watches === 1, "a watch");
    await put(configMap("a"));
    await until(() => messages.length === 1, "a message");
    expect(JSON.parse(messages[0]!.data.toString())).toMatchObject({ type: "ADDED" });
  });

  test("a watcher of protobuf gets messages of bytes, without the length in front", async () => {
    const { listener, server, put } = await listening.start(false);
    const accept = "application/vnd.kubernetes.protobuf";
    const { messages } = open(listener, WATCH, { headers: { ...ADMIN, accept } });
    await until(() => server.watches === 1, "a watch");
    await put(configMap("a"));
    await until(() => messages.length === 1, "a message");
    const { data, binary } = messages[0]!;
    expect(binary).toBe(true);
    // Field 1 of a WatchEvent is its type.
    expect(data.subarray(0, 7).toString("latin1")).toBe("\x0a\x05ADDED");
  });

  test("Accept chooses tables as it does over HTTP", async () => {
    const { listener, server, put } = await listening.start(false);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { messages } = open(listener, WATCH, { headers: { ...ADMIN, accept } });
    await until(() => server.watches === 1, "a watch");
    await put(configMap("a"));
    await until(() => messages.length === 1, "a message");
    expect(JSON.parse(messages[0]!.data.toString())).toMatchObject({ object: { kind: "Table" } });
  });
});

describe("who may", () => {
  test("a token among the sub-protocols is a credential, and is not sent back", async () => {
    const { listener } = await listening.start(false);
    const { response, socket } = open(listener, WATCH, { headers: {}, protocols: [bearer(TOKEN), BASE64] });
    expect((await response).code).toBe(101);
    expect(socket.protocol).toBe(BASE64);
  });

  test.each([
    ["no token", [BASE64]],
    ["a wrong token", [bearer("wrong"), BASE64]],
    ["a token without another sub-protocol", [bearer(TOKEN)]],
    ["two tokens", [bearer(TOKEN), bearer(`${TOKEN}x`), BASE64]],
  ])("%s gets 401 and a Status", async (_what, protocols) => {
    const { listener, server } = await listening.start(false, { strict: false });
    const { response } = open(listener, WATCH, { headers: {}, protocols });
    const { code, message } = await response;
    expect([code, message.headers["content-type"], message.headers.connection]).toEqual([
      401,
      "application/json",
      "close",
    ]);
    expect(server.watches).toBe(0);
  });
});

describe("what is not the start of a watch", () => {
  test("a refused watch gets its response over HTTP", async () => {
    const { listener } = await listening.start(false);
    expect((await open(listener, `${CM}?watch=1&resourceVersion=x`).response).code).toBe(400);
    expect((await open(listener, "/api/v1/nosuch?watch=1").response).code).toBe(404);
  });

  test("other requests with a wish for an upgrade get their responses as without", async () => {
    const { listener, put } = await listening.start(false);
    await put(configMap("a"));
    for (const path of [`${CM}/a`, CM, "/version"]) {
      expect((await open(listener, path).response).code).toBe(200);
    }
  });

  test("what a client sends while an earlier request has no response is read by the WebSocket", async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const { listener, server, put } = await listening.start(false, { clock });
    await put(configMap("a", "x".repeat(900_000)));
    const socket = net.connect(listener.port, "127.0.0.1");
    listening.onClean(() => socket.destroy());
    socket.on("error", () => {});
    const head = `host: x\r\nauthorization: Bearer ${TOKEN}\r\n`;
    const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\n${head}${more}\r\n`;
    const nothing = `${WATCH}&fieldSelector=metadata.name%3Dnone`;
    const handshake = `connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${"A".repeat(22)}==\r\n`;
    // Large responses hold the pipeline up; the socket flows again when they have been taken.
    socket.pause();
    socket.write(get(`${CM}/a`).repeat(12));
    await sleep(100);
    socket.write(get(`${nothing}&timeoutSeconds=5`) + get(nothing, handshake));
    await sleep(100);
    let last = Buffer.alloc(0);
    socket.on("data", (piece: Buffer) => (last = Buffer.concat([last, piece]).subarray(-10_000)));
    socket.resume();
    await until(() => server.watches === 1 && last.includes("chunked"), "the responses", 10_000);
    socket.write(Buffer.from([0x89, 0x80, 0, 0, 0, 0]));
    await sleep(50);
    clock.advance(7000);
    await until(() => last.includes("101 Switching Protocols"), "the WebSocket");
    await until(() => last.subarray(-2).equals(Buffer.from([0x8a, 0])), "a pong");
    expect(server.watches).toBe(1);
  });

  test("a malformed handshake is refused, and leaves no watch behind", async () => {
    const { listener, server } = await listening.start(false);
    const socket = net.connect(listener.port, "127.0.0.1");
    let got = "";
    socket.on("data", (piece) => (got += piece.toString()));
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(
      `GET ${WATCH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    );
    await closed;
    expect(got).toMatch(/^HTTP\/1\.1 400 /);
    await until(() => server.watches === 0, "no watch");
  });
});

describe("the end of a watch over WebSocket", () => {
  test("what the client sends is ignored, and too much of it ends the watch", async () => {
    const { listener, server } = await listening.start(false);
    const { socket, response, closed } = open(listener, WATCH);
    await response;
    await until(() => server.watches === 1, "a watch");
    socket.send("hello");
    socket.send(Buffer.alloc(60_000));
    await new Promise((resolve) => socket.ping("", true, resolve));
    await new Promise((resolve) => socket.once("pong", resolve));
    expect(server.watches).toBe(1);
    socket.send(Buffer.alloc(100_000));
    expect(await closed).toBe(1009);
    await until(() => server.watches === 0, "no watch");
  });

  test.each([
    ["many fragments, between which there is much else", 17, Buffer.from("x"), 1008],
    ["as many as may be", 16, Buffer.from("x"), undefined],
  ])("a message of %s", async (_what, fragments, piece, code) => {
    const { listener, server } = await listening.start(false);
    const { socket, response, closed } = open(listener, WATCH);
    await response;
    await until(() => server.watches === 1, "a watch");
    for (let i = 0; i < fragments; i++) {
      socket.send(piece, { fin: false });
      socket.pong(Buffer.alloc(125));
    }
    socket.ping();
    const ponged = new Promise((resolve) => socket.once("pong", () => resolve(undefined)));
    expect(await Promise.race([closed, ponged])).toBe(code);
  });

  test("a reader that does not keep up is cut off when too much waits", async () => {
    const { listener, server, put } = await listening.start(false, { limits: { watchBufferBytes: 1_000_000 } });
    const { socket, response } = open(listener, WATCH);
    await response;
    await until(() => server.watches === 1, "a watch");
    socket.pause();
    const text = "x".repeat(100_000);
    for (let i = 0; i < 200 && server.watches > 0; i++) {
      await put(configMap(`o${i}`, text));
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    expect(server.watches).toBe(0);
  });

  test("the server asks every 30 s whether the client lives, and ends the watch of one that does not respond", async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const { listener, server } = await listening.start(false, { clock });
    const lively = open(listener, WATCH);
    const dead = open(listener, WATCH);
    await Promise.all([lively.response, dead.response]);
    await until(() => server.watches === 2, "two watches");
    dead.socket.pause();
    let pings = 0;
    lively.socket.on("ping", () => pings++);
    clock.advance(30_000);
    await until(() => pings === 1, "a ping");
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    clock.advance(30_000);
    await until(() => server.watches === 1, "one watch");
    await until(() => pings === 2, "another ping");
    expect(lively.socket.readyState).toBe(WebSocket.OPEN);
  });

  test("a shutdown ends watches with a bookmark and a closing handshake", async () => {
    const { listener, server } = await listening.start(true);
    const { messages, response, closed } = open(listener, `${WATCH}&allowWatchBookmarks=1`, { tls: true });
    await response;
    await until(() => server.watches === 1, "a watch");
    const began = performance.now();
    const stopped = server.close(10_000);
    expect(await closed).toBe(1000);
    await stopped;
    expect(performance.now() - began).toBeLessThan(2000);
    expect(messages.at(-1)!.data.toString()).toContain('"BOOKMARK"');
  });

  test("timeoutSeconds ends it in order", async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const { listener, server } = await listening.start(false, { clock });
    const { response, closed } = open(listener, `${WATCH}&timeoutSeconds=5`);
    await response;
    await until(() => server.watches === 1, "a watch");
    clock.advance(7000);
    expect(await closed).toBe(1000);
  });
});
