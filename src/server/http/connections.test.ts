/** Habits of clients on the wire: what a socket, not a handler, has to get right. */
import http2 from "node:http2";
import net from "node:net";
import tls from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Listener } from "./listeners.ts";
import { Listening, until } from "../testing/listening.ts";
import { ADMIN, TOKEN, CM, configMap } from "../testing/test-server.ts";

const AUTH = `authorization: Bearer ${TOKEN}\r\nhost: x\r\n`;

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

/** A bare connection of HTTP/1.1, plain or over TLS. */
class Wire {
  got = "";
  closed = false;
  readonly #socket: net.Socket;

  constructor({ port }: Listener, encrypted: boolean) {
    const where = { host: "127.0.0.1", port };
    this.#socket = encrypted
      ? tls.connect({ ...where, ca: listening.authority.cert, ALPNProtocols: ["http/1.1"] })
      : net.connect(where);
    this.#socket.on("data", (piece: Buffer) => (this.got += piece.toString()));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => (this.closed = true));
    listening.onClean(() => this.#socket.destroy());
  }

  send(text: string | Buffer): void {
    this.#socket.write(text);
  }

  /** Ends its side. */
  end(): void {
    this.#socket.end();
  }

  /** Sends in records of TLS that are small. */
  useSmallRecords(): void {
    if (this.#socket instanceof tls.TLSSocket) this.#socket.setMaxSendFragment(512);
  }

  /** The codes of the responses so far. */
  get codes(): number[] {
    return [...this.got.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => Number(code));
  }
}

async function connect(listener: Listener): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: listening.authority.cert });
  session.on("error", () => {});
  listening.onClean(() => session.destroy());
  await new Promise((resolve) => session.once("connect", resolve));
  return session;
}

interface Got {
  readonly code: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly text: string;
}

function responseOn(stream: http2.ClientHttp2Stream): Promise<Got> {
  return new Promise((resolve, reject) => {
    let headers: http2.IncomingHttpHeaders = {};
    let text = "";
    stream.on("response", (got: http2.IncomingHttpHeaders) => (headers = got));
    stream.on("data", (piece: Buffer) => (text += piece.toString()));
    stream.on("end", () => resolve({ code: Number(headers[":status"]), headers, text }));
    stream.on("error", reject);
  });
}

const get = (session: http2.ClientHttp2Session, path: string, headers: http2.OutgoingHttpHeaders = {}): Promise<Got> =>
  responseOn(session.request({ ...ADMIN, ...headers, ":path": path }, { endStream: true }));

describe.each([false, true])("HTTP/1.1, TLS %s", (encrypted) => {
  test("RFC 9110 10.1.1: a body that waits for 100 is asked for", async () => {
    const { listener } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    const body = JSON.stringify(configMap("a"));
    wire.send(`POST ${CM} HTTP/1.1\r\n${AUTH}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`);
    await until(() => wire.codes.length === 1, "an interim response");
    wire.send(body);
    await until(() => wire.codes.length === 2, "a response");
    expect(wire.codes).toEqual([100, 201]);
  });

  test.each([
    ["without a credential", "host: x\r\ncontent-length: 10\r\n", 401],
    ["of too many bytes", `${AUTH}content-length: 999999999\r\n`, 413],
    ["of a type that is not taken", `${AUTH}content-length: 10\r\ncontent-type: text/plain\r\n`, 415],
  ])("RFC 9110 10.1.1: a body %s is refused before it is sent", async (_what, headers, code) => {
    const { listener } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    wire.send(`POST ${CM} HTTP/1.1\r\nexpect: 100-continue\r\n${headers}\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([code]);
  });

  test("a body in chunks is taken, and the connection goes on", async () => {
    const { listener } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    const body = JSON.stringify(configMap("a"));
    const chunks = [body.slice(0, 7), body.slice(7)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    wire.send(`POST ${CM} HTTP/1.1\r\n${AUTH}transfer-encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`);
    await until(() => wire.codes.length === 1, "a response");
    wire.send(`GET ${CM}/a HTTP/1.1\r\n${AUTH}\r\n`);
    await until(() => wire.codes.length === 2, "another response");
    expect([wire.codes, wire.closed]).toEqual([[201, 200], false]);
  });

  test("413: chunks without an end are refused as soon as they are too many", async () => {
    const { listener } = await listening.start(encrypted, { limits: { bodyBytes: 1000 } });
    const wire = new Wire(listener, encrypted);
    wire.send(`POST ${CM} HTTP/1.1\r\n${AUTH}transfer-encoding: chunked\r\n\r\n`);
    for (let i = 0; i < 5; i++) wire.send(`100\r\n${"x".repeat(256)}\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([413]);
  });

  test("Connection: close ends the connection after the response", async () => {
    const { listener, put } = await listening.start(encrypted);
    await put(configMap("a"));
    const wire = new Wire(listener, encrypted);
    wire.send(`GET ${CM}/a HTTP/1.1\r\n${AUTH}connection: close\r\n\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([200]);
    expect(wire.got.toLowerCase()).toContain("connection: close");
  });

  test("several requests in one piece get their responses in their order", async () => {
    const { listener, put } = await listening.start(encrypted);
    await put(configMap("a"));
    const wire = new Wire(listener, encrypted);
    wire.send([`${CM}/a`, `${CM}/none`, "/version"].map((path) => `GET ${path} HTTP/1.1\r\n${AUTH}\r\n`).join(""));
    await until(() => wire.codes.length === 3, "three responses");
    expect(wire.codes).toEqual([200, 404, 200]);
  });

  test("RFC 9112 9.3.2: what is no request is refused behind the responses before it", async () => {
    const { listener, put } = await listening.start(encrypted);
    await put(configMap("a"));
    const wire = new Wire(listener, encrypted);
    const post = `POST ${CM} HTTP/1.1\r\n${AUTH}content-length: 4\r\n\r\n{}{}`;
    wire.send(`GET ${CM}/a HTTP/1.1\r\n${AUTH}\r\n${post}no request\r\n\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([200, 400, 400]);
    expect(wire.got).toMatch(/\r\n\r\n400 Bad Request$/);
  });

  test("what is no request breaks no response that is under way", async () => {
    const { listener, put } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    wire.send(`GET ${CM}?watch=1 HTTP/1.1\r\n${AUTH}\r\n`);
    await until(() => wire.codes.length === 1, "the beginning");
    wire.send("no request\r\n\r\n");
    await put(configMap("a"));
    await until(() => wire.got.includes('"ADDED"'), "an event");
    expect(wire.codes).toEqual([200]);
    wire.end();
    await until(() => wire.closed, "the end");
  });

  test("no response comes behind a response that ends the connection", async () => {
    const { listener } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    wire.send(`GET ${CM} HTTP/1.1\r\n${AUTH}connection: close\r\n\r\nno request\r\n\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([200]);
  });

  test("RFC 9110 9.3.2: a request for a head whose body is broken is refused without a body", async () => {
    const { listener } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    wire.send(`HEAD /readyz HTTP/1.1\r\n${AUTH}transfer-encoding: chunked\r\n\r\nno number\r\n`);
    await until(() => wire.closed, "the end");
    expect(wire.codes).toHaveLength(1);
    expect(wire.got).toMatch(/\r\n\r\n$/);
  });

  test("a body that waits for 100 is asked for behind the responses before it", async () => {
    const { listener, put } = await listening.start(encrypted);
    await put(configMap("a"));
    const wire = new Wire(listener, encrypted);
    const body = JSON.stringify(configMap("b"));
    const post = `POST ${CM} HTTP/1.1\r\n${AUTH}expect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const list = `GET ${CM} HTTP/1.1\r\n${AUTH}\r\n`;
    wire.send(list + post + list);
    await until(() => wire.codes.length === 4, "four responses");
    expect(wire.codes).toEqual([200, 100, 201, 200]);
    expect(wire.got).toMatch(/HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  test("requests that come while the client takes no responses get theirs when it does", async () => {
    const { listener, put } = await listening.start(encrypted);
    await put(configMap("a", "x".repeat(100_000)));
    const wire = new Wire(listener, encrypted);
    wire.useSmallRecords();
    wire.send(`GET ${CM}/a HTTP/1.1\r\n${AUTH}\r\n`.repeat(40));
    await until(() => wire.codes.length === 40 || wire.closed, "all responses", 10_000);
    expect(wire.codes).toEqual(Array.from({ length: 40 }, () => 200));
  });

  test("a watch ends when its client leaves in the middle of a body that is not read", async () => {
    const { listener } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    wire.send(`GET ${CM}?watch=1 HTTP/1.1\r\n${AUTH}content-length: 9\r\n\r\nhalf`);
    await until(() => wire.codes.length === 1, "the beginning");
    wire.end();
    await until(() => wire.closed, "the end");
    expect(wire.codes).toEqual([200]);
  });

  test("a watch is sent in chunks, and ends with the last one", async () => {
    const { listener, server, put } = await listening.start(encrypted);
    const wire = new Wire(listener, encrypted);
    wire.send(`GET ${CM}?watch=1 HTTP/1.1\r\n${AUTH}\r\n`);
    await until(() => server.watches === 1, "a watch");
    await put(configMap("a"));
    await until(() => wire.got.includes('"ADDED"'), "an event");
    await server.close(5000);
    expect(wire.got.toLowerCase()).toContain("transfer-encoding: chunked");
    expect(wire.got.endsWith("0\r\n\r\n")).toBe(true);
  });
});

describe("HTTP/2", () => {
  test("RFC 9110 10.1.1: a body that waits for 100 is asked for, unless it is refused", async () => {
    const { listener } = await listening.start(true);
    const session = await connect(listener);
    const body = JSON.stringify(configMap("a"));
    const post = (headers: http2.OutgoingHttpHeaders): http2.ClientHttp2Stream =>
      session.request({ ...ADMIN, ":method": "POST", ":path": CM, expect: "100-continue", ...headers });
    const stream = post({ "content-length": body.length });
    stream.on("continue", () => stream.end(body));
    expect((await responseOn(stream)).code).toBe(201);
    const large = post({ "content-length": 999_999_999 });
    let asked = false;
    large.on("continue", () => (asked = true));
    const code = await new Promise((resolve) => {
      large.on("response", (headers) => resolve(headers[":status"]));
      large.on("error", () => {});
    });
    expect([code, asked]).toEqual([413, false]);
  });

  test("a shutdown says GOAWAY, and what runs comes to its end", async () => {
    const { listener, server, put, resource } = await listening.start(true);
    const configmaps = resource("configmaps");
    await put(configMap("a"));
    const read = configmaps.get.bind(configmaps);
    let go = (): void => {};
    let asked = false;
    configmaps.get = async (target, options) => {
      await new Promise<void>((resolve) => {
        asked = true;
        go = resolve;
      });
      return read(target, options);
    };
    const session = await connect(listener);
    const away = new Promise<number>((resolve) => {
      session.on("goaway", resolve);
    });
    const running = get(session, `${CM}/a`);
    await until(() => asked, "the request");
    await get(session, "/livez");
    const closed = server.close(5000);
    expect(await away).toBe(http2.constants.NGHTTP2_NO_ERROR);
    go();
    expect((await running).code).toBe(200);
    await closed;
  });

  test("RFC 9113 5.2: an unread response delays no other one on its connection", async () => {
    const { listener, put } = await listening.start(true);
    const text = "x".repeat(100_000);
    for (let i = 0; i < 100; i++) await put(configMap(`o${i}`, text));
    const session = await connect(listener);
    const slow = session.request({ ...ADMIN, ":path": CM });
    await new Promise((resolve) => slow.once("response", resolve));
    slow.pause();
    for (let i = 0; i < 20; i++) expect((await get(session, "/livez")).text).toBe("ok");
    let length = 0;
    slow.on("data", (piece: Buffer) => (length += piece.length));
    slow.resume();
    await new Promise((resolve) => slow.once("end", resolve));
    expect(length).toBeGreaterThan(10_000_000);
  });
});

describe("compressed bodies", () => {
  test("gzip is inflated, on both protocols", async () => {
    const { listener } = await listening.start(true);
    const packed = gzipSync(JSON.stringify(configMap("a")));
    const session = await connect(listener);
    const stream = session.request({ ...ADMIN, ":method": "POST", ":path": CM, "content-encoding": "gzip" });
    stream.end(packed);
    expect((await responseOn(stream)).code).toBe(201);
    const wire = new Wire(listener, true);
    const body = gzipSync(JSON.stringify(configMap("b")));
    wire.send(`POST ${CM} HTTP/1.1\r\n${AUTH}content-encoding: GZIP\r\ncontent-length: ${body.length}\r\n\r\n`);
    wire.send(body);
    await until(() => wire.codes.length === 1, "a response");
    expect(wire.codes).toEqual([201]);
  });

  test.each([
    ["gzip that is none", "gzip", Buffer.from("plain"), 400],
    ["gzip that grows beyond the limit", "gzip", gzipSync(Buffer.alloc(8 << 20, 120)), 413],
    ["an encoding that is not taken", "br", Buffer.from("x"), 415],
  ])("%s is refused", async (_what, encoding, body, code) => {
    const { ask } = await listening.start(false);
    expect((await ask("POST", CM, { headers: { "content-encoding": encoding }, body })).code).toBe(code);
  });
});

describe("headers of responses", () => {
  const ALWAYS = { "audit-id": expect.stringMatching(/^[\w-]{36}$/), "cache-control": "no-cache, private" };

  test.each([
    ["an object", `${CM}/a`, { "content-type": "application/json" }],
    ["a list", CM, { "content-type": "application/json" }],
    ["what is not there", `${CM}/none`, { "content-type": "application/json" }],
    ["a group", "/apis", { "content-type": "application/json", vary: "Accept", etag: expect.stringMatching(/^"/) }],
    ["OpenAPI v2", "/openapi/v2", { vary: "Accept", etag: expect.stringMatching(/^"/) }],
    ["OpenAPI v3", "/openapi/v3", { vary: "Accept", etag: expect.stringMatching(/^"/) }],
    ["the version", "/version", { "content-type": "application/json" }],
    ["text", "/livez", { "x-content-type-options": "nosniff" }],
    ["a deprecated kind", "/apis/example.com/v1/widgets", { warning: expect.stringMatching(/^299 - "/) }],
  ])("of %s", async (_what, path, more) => {
    const { listener, put } = await listening.start(true);
    await put(configMap("a"));
    expect((await get(await connect(listener), path)).headers).toMatchObject({ ...ALWAYS, ...more });
  });

  test("Retry-After comes with 429", async () => {
    const { listener, resource } = await listening.start(true, { limits: { reads: 1 } });
    resource("configmaps").get = () => new Promise(() => {});
    const session = await connect(listener);
    const stuck = session.request({ ...ADMIN, ":path": `${CM}/a` });
    stuck.on("error", () => {});
    const { code, headers } = await get(session, `${CM}/a`);
    expect([code, headers["retry-after"]]).toEqual([429, "1"]);
  });

  test("HTTP/2 has no headers of the connection", async () => {
    const { listener } = await listening.start(true);
    const { headers } = await get(await connect(listener), `${CM}?watch=1&timeoutSeconds=-1`);
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(["connection"]));
    expect(headers["transfer-encoding"]).toBeUndefined();
  });
});
