import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { withFilter } from "../filters/default.ts";
import type { Listener } from "./listeners.ts";
import type { KeyPair } from "../../pki/index.ts";
import { type TestAuthority, testAuthority } from "../testing/certificates.ts";
import { ADMIN, CM, type TestServer, configMap, noRights, testServer } from "../testing/test-server.ts";

let authority: TestAuthority;
let serverPair: KeyPair;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  authority = testAuthority();
  serverPair = authority.server();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Options = Parameters<typeof testServer>[0];

async function start(tls: boolean, options: Options = {}): Promise<TestServer & { listener: Listener }> {
  const made = await testServer(options);
  const where = { host: "127.0.0.1", port: 0 };
  const listener = await made.server.listen(
    tls ? { ...where, tls: { ...serverPair, clientCa: authority.cert } } : where,
  );
  cleanups.push(() => made.server.close(0));
  return { ...made, listener };
}

async function connect(listener: Listener, pair?: KeyPair): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(`https://127.0.0.1:${listener.port}`, { ca: authority.cert, ...pair });
  session.on("error", () => {});
  cleanups.push(() => session.destroy());
  await new Promise((resolve) => session.once("connect", resolve));
  return session;
}

interface Got {
  readonly code: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly body: Buffer;
}

function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: Buffer | string,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ...ADMIN, ...headers });
    let response: http2.IncomingHttpHeaders = {};
    const pieces: Buffer[] = [];
    stream.on("response", (got: http2.IncomingHttpHeaders) => {
      response = got;
    });
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () =>
      resolve({ code: Number(response[":status"]), headers: response, body: Buffer.concat(pieces) }),
    );
    stream.on("error", reject);
    stream.end(body);
  });
}

const plain = (
  listener: Listener,
  path: string,
  options: http.RequestOptions = {},
  body?: Buffer | string,
): Promise<Got> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { host: "127.0.0.1", port: listener.port, path, headers: ADMIN, ...options },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () =>
          resolve({ code: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }),
        );
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(body);
  });

const linesIn = (piece: Buffer): number => piece.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (condition()) return;
    await sleep(10);
  }
  throw new Error(`Expected ${what} within two seconds`);
}

describe("one TLS port", () => {
  test("speaks HTTP/2 and HTTP/1.1, as the client can", async () => {
    const { listener, put } = await start(true);
    await put(configMap("a"));
    const session = await connect(listener);
    expect(session.alpnProtocol).toBe("h2");
    const get = await ask(session, { ":path": `${CM}/a` });
    expect([get.code, JSON.parse(get.body.toString())]).toMatchObject([200, { metadata: { name: "a" } }]);
    const posted = await ask(session, { ":path": CM, ":method": "POST" }, JSON.stringify(configMap("b")));
    expect(posted.code).toBe(201);
    const old = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const agent = new https.Agent({ ca: authority.cert, ALPNProtocols: ["http/1.1"] });
      const options = { host: "127.0.0.1", port: listener.port, path: `${CM}/b`, headers: ADMIN, agent };
      https.get(options, resolve).on("error", reject);
    });
    old.resume();
    expect([old.statusCode, old.httpVersion]).toEqual([200, "1.1"]);
  });

  test("DEC-35: a client certificate of our own CA is an identity, any other is none", async () => {
    const { listener } = await start(true, {
      authorizer: { authorize: ({ user }) => ({ allowed: false, reason: `seen ${user}` }), rightsOf: noRights },
    });
    const seen = async (pair: KeyPair): Promise<string> => {
      const got = await ask(await connect(listener, pair), { ":path": CM, authorization: "" });
      return `${got.code} ${(JSON.parse(got.body.toString()) as { message: string }).message}`;
    };
    expect(await seen(authority.client("somebody", "group"))).toContain("403");
    expect(await seen(authority.client("somebody"))).toContain("seen somebody");
    expect(await seen(testAuthority().client("somebody"))).toContain("401");
  });

  test("encrypts and authenticates in one step, with TLS 1.2, too: no CBC, no key that opens what was recorded", async () => {
    const { listener } = await start(true);
    const shake = (options: ConnectionOptions): Promise<string> =>
      new Promise((resolve) => {
        const socket = connectTls({ host: "127.0.0.1", port: listener.port, ca: authority.cert, ...options });
        socket.once("secureConnect", () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().standardName}`);
          socket.destroy();
        });
        socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
      });
    const old = { maxVersion: "TLSv1.2" } as const;
    expect(await shake({})).toMatch(/^TLSv1\.3 TLS_/);
    expect(await shake(old)).toMatch(/^TLSv1\.2 TLS_ECDHE_.*_(GCM_SHA\d+|POLY1305_SHA256)$/);
    for (const ciphers of ["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA", "AES128-GCM-SHA256"]) {
      expect(await shake({ ...old, ciphers })).toMatch(/HANDSHAKE_FAILURE/);
    }
  });

  test("LIMIT-3: who has no credential loses the connection after the response", async () => {
    const { listener } = await start(true);
    const session = await connect(listener);
    const closed = new Promise((resolve) => session.once("close", resolve));
    expect((await ask(session, { ":path": CM, authorization: "" })).code).toBe(401);
    await closed;
    const old = await start(false);
    const response = await plain(old.listener, CM, { headers: {} });
    expect([response.code, response.headers.connection]).toEqual([401, "close"]);
  });

  test("413 comes while the body is still being sent", async () => {
    const { listener } = await start(true);
    const session = await connect(listener);
    const stream = session.request({ ...ADMIN, ":path": CM, ":method": "POST" });
    stream.on("error", () => {});
    const code = new Promise<number>((resolve) => stream.on("response", (headers) => resolve(headers[":status"]!)));
    let sent = 0;
    let going = true;
    void code.then(() => (going = false));
    while (going && sent < 20_000_000) {
      stream.write(Buffer.alloc(65_536, 32));
      sent += 65_536;
      await sleep(1);
    }
    expect([await code, sent < 20_000_000]).toEqual([413, true]);
    expect((await ask(session, { ":path": "/version" })).code).toBe(200);
  });

  test("250 watches fit on one connection, and a batch reaches them all", async () => {
    const { listener, server, put } = await start(true);
    const session = await connect(listener);
    let lines = 0;
    for (let i = 0; i < 250; i++) {
      const stream = session.request({ ...ADMIN, ":path": `${CM}?watch=1` });
      stream.on("data", (piece: Buffer) => (lines += linesIn(piece)));
      stream.on("error", () => {});
    }
    await until(() => server.watches === 250, "250 watches");
    await put(configMap("a"));
    await until(() => lines === 250, "250 events");
    session.destroy();
    await until(() => server.watches === 0, "no watches");
    expect(lines).toBe(250);
  });

  test("CVE-2023-44487: a flood of resets costs the connection, others go on", async () => {
    let handled = 0;
    const count = { name: "count", enter: () => void handled++ };
    const { listener, put } = await start(true, { filters: withFilter(count, { before: "handle" }) });
    await put(configMap("a"));
    const bad = await connect(listener);
    for (let i = 0; i < 3000 && !bad.destroyed; i++) {
      const stream = bad.request({ ...ADMIN, ":path": CM });
      stream.on("error", () => {});
      stream.close(http2.constants.NGHTTP2_CANCEL);
      if (i % 50 === 0) await sleep(1);
    }
    // What the connection sent after the limit was never looked at.
    expect(handled).toBeLessThan(1000);
    expect((await ask(await connect(listener), { ":path": `${CM}/a` })).code).toBe(200);
  });
});

const UPGRADE =
  "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

/** The response to bytes, until the connection ends. */
async function said({ port }: Listener, text: string): Promise<string> {
  const socket = net.connect(port, "127.0.0.1");
  let got = "";
  socket.on("data", (piece) => (got += piece.toString()));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(text);
  await closed;
  return got;
}

describe("slow and rude clients", () => {
  test("a large list waits for its reader instead of piling up", async () => {
    const { listener, put } = await start(true);
    const text = "x".repeat(100_000);
    for (let i = 0; i < 200; i++) await put(configMap(`o${i}`, text));
    const session = await connect(listener);
    const stream = session.request({ ...ADMIN, ":path": CM });
    await new Promise((resolve) => stream.once("response", resolve));
    stream.pause();
    const before = process.memoryUsage().arrayBuffers;
    await sleep(200);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
    let length = 0;
    stream.on("data", (piece: Buffer) => (length += piece.length));
    stream.resume();
    await new Promise((resolve) => stream.once("end", resolve));
    expect(length).toBeGreaterThan(20_000_000);
  });

  test("a watcher that never reads is closed, one that reads gets everything", async () => {
    const { listener, server, put } = await start(true, { limits: { watchBufferBytes: 1_000_000 } });
    const lazy = await connect(listener);
    const stuck = lazy.request({ ...ADMIN, ":path": `${CM}?watch=1` });
    stuck.on("error", () => {});
    await new Promise((resolve) => stuck.once("response", resolve));
    stuck.pause();
    const keen = await connect(listener);
    const reading = keen.request({ ...ADMIN, ":path": `${CM}?watch=1` });
    let lines = 0;
    reading.on("data", (piece: Buffer) => (lines += linesIn(piece)));
    await until(() => server.watches === 2, "two watches");
    const text = "x".repeat(50_000);
    for (let i = 0; i < 100; i++) {
      await put(configMap(`o${i}`, text));
      await until(() => lines === i + 1, "the event");
    }
    expect(server.watches).toBe(1);
  });

  test("a client that breaks off leaves nothing behind", async () => {
    const { listener, server } = await start(false);
    const socket = net.connect(listener.port, "127.0.0.1");
    socket.write(`GET ${CM}?watch=1 HTTP/1.1\r\nhost: x\r\nauthorization: ${ADMIN["authorization"]}\r\n\r\n`);
    await until(() => server.watches === 1, "a watch");
    socket.destroy();
    await until(() => server.watches === 0, "no watch");
    expect(server.watches).toBe(0);
  });

  test("two lengths, a length and chunks, garbage: 400 and a closed connection", async () => {
    const { listener } = await start(false);
    const auth = `authorization: ${ADMIN["authorization"]}`;
    for (const text of [
      `POST ${CM} HTTP/1.1\r\nhost: x\r\n${auth}\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
      `POST ${CM} HTTP/1.1\r\nhost: x\r\n${auth}\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      "\x16\x03\x01 garbage\r\n\r\n",
      `GET ${CM} HTTP/1.1\r\n${auth}\r\n\r\n`,
      `GET ${CM} HTTP/1.1\r\nhost: x\r\nHost: y\r\n${auth}\r\n\r\n`,
      `GET ${CM}?watch=1 HTTP/1.1\r\nhost: x\r\nHost: y\r\n${auth}\r\n${UPGRADE}\r\n`,
      `GET ${CM}?watch=1 HTTP/1.1\r\n${auth}\r\n${UPGRADE}\r\n`,
    ]) {
      expect(await said(listener, text)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });

  test.each(["/livez", "http://elsewhere/livez", "HTTPS://elsewhere:1/livez?verbose", "http://elsewhere/livez?a=/b"])(
    "RFC 9112 3.2.2: a target may be a path or a whole URL: %s",
    async (target) => {
      const { listener } = await start(false);
      const text = `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      expect(await said(listener, text)).toMatch(/^HTTP\/1\.1 200 [^]*ok/);
    },
  );

  test("CVE-2018-1002105: an upgrade is an ordinary request, CONNECT is refused", async () => {
    const { listener, put } = await start(false);
    await put(configMap("a"));
    const upgrade = { ...ADMIN, connection: "Upgrade", upgrade: "websocket" };
    expect((await plain(listener, `${CM}/a`, { headers: upgrade })).code).toBe(200);
    const socket = net.connect(listener.port, "127.0.0.1");
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n");
    await closed;
  });
});

describe("responses", () => {
  test("HTTP/1.1: an unread body ends the connection, so that it is never taken for a request", async () => {
    const { listener } = await start(false);
    const socket = net.connect(listener.port, "127.0.0.1");
    let got = "";
    socket.on("data", (piece) => (got += piece.toString()));
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(
      `POST ${CM} HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\nGET /version HTTP/1.1\r\nhost: x\r\n\r\n`,
    );
    await closed;
    expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
  });

  test("large responses are compressed for who takes it, lists and objects alike", async () => {
    const { listener, put } = await start(true, { compress: "always" });
    for (let i = 0; i < 20; i++) await put(configMap(`o${i}`, "x".repeat(150_000)));
    const session = await connect(listener);
    for (const path of [CM, `${CM}/o1`]) {
      const packed = await ask(session, { ":path": path, "accept-encoding": "gzip" });
      expect([packed.headers["content-encoding"], packed.headers.vary]).toEqual(["gzip", "Accept-Encoding"]);
      const whole = await ask(session, { ":path": path });
      expect(whole.headers["content-encoding"]).toBeUndefined();
      expect(gunzipSync(packed.body).equals(whole.body)).toBe(true);
    }
  });

  test("the headers of a watch come although nothing happens, on both protocols", async () => {
    const { listener } = await start(true);
    const session = await connect(listener);
    const stream = session.request({ ...ADMIN, ":path": `${CM}?watch=1` });
    await new Promise((resolve) => stream.once("response", resolve));
    const old = await start(false);
    const url = { host: "127.0.0.1", port: old.listener.port, path: `${CM}?watch=1`, headers: ADMIN };
    const response = await new Promise<http.IncomingMessage>((resolve) => http.get(url, resolve));
    expect(response.statusCode).toBe(200);
    response.destroy();
  });
});

describe("shutdown", () => {
  test("stops accepting, lets what runs come to its end, ends watches with a bookmark", async () => {
    const { listener, server, put, resource } = await start(true);
    const configmaps = resource("configmaps");
    await put(configMap("a"));
    const get = configmaps.get.bind(configmaps);
    configmaps.get = async (target, options) => {
      await sleep(100);
      return get(target, options);
    };
    const session = await connect(listener);
    const stream = session.request({ ...ADMIN, ":path": `${CM}?watch=1&allowWatchBookmarks=1` });
    let text = "";
    stream.on("data", (piece: Buffer) => (text += piece.toString()));
    const ended = new Promise((resolve) => stream.once("end", resolve));
    await until(() => server.watches === 1, "a watch");
    const running = ask(session, { ":path": `${CM}/a` });
    await sleep(20);
    const closed = server.close(5000);
    await ended;
    expect(text).toContain('"type":"BOOKMARK"');
    expect((await running).code).toBe(200);
    await closed;
    await expect(plain(listener, "/version")).rejects.toThrow(/ECONNREFUSED/);
  });

  test("does not wait for connections of HTTP/1.1 that could be used again", async () => {
    for (const tls of [true, false]) {
      const { listener, server } = await start(tls);
      const options = { keepAlive: true, ca: authority.cert };
      const agent = tls ? new https.Agent({ ...options, ALPNProtocols: ["http/1.1"] }) : new http.Agent(options);
      cleanups.push(() => agent.destroy());
      const url = {
        host: "127.0.0.1",
        port: listener.port,
        path: `${CM}?watch=1`,
        headers: ADMIN,
        agent,
      };
      const response = await new Promise<http.IncomingMessage>((resolve) => (tls ? https : http).get(url, resolve));
      response.resume();
      const began = performance.now();
      await server.close(10_000);
      expect(performance.now() - began).toBeLessThan(2000);
    }
  });

  test("breaks off what does not end within the grace time", async () => {
    const { listener, server, resource } = await start(false);
    resource("configmaps").get = () => new Promise(() => {});
    const stuck = plain(listener, `${CM}/a`);
    stuck.catch(() => {});
    await sleep(50);
    const began = performance.now();
    await server.close(200);
    expect(performance.now() - began).toBeLessThan(1500);
    await expect(stuck).rejects.toThrow(/socket|ECONN|aborted/);
  });

  test("a shutdown fails readiness and not liveness", async () => {
    const { server, ask: inject } = await testServer();
    await server.close(0);
    expect([(await inject("GET", "/readyz")).code, (await inject("GET", "/livez")).code]).toEqual([500, 200]);
  });
});
