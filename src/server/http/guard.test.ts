import { once } from "node:events";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { type Attacker, KINDS, attack } from "../testing/attackers.ts";
import { Listening, until } from "../testing/listening.ts";
import { ADMIN, type TestServer, CM, configMap } from "../testing/test-server.ts";
import type { Listener } from "./listeners.ts";

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

type Kind = keyof typeof KINDS;

interface Attacked {
  readonly clock: ManualClock;
  readonly server: TestServer;
  readonly listener: Listener;
  readonly attack: (kind: Kind, count: number) => Promise<Attacker[]>;
  /** How many connections there are: those on which a credential was shown, and others. */
  readonly connections: () => Promise<{ trusted: number; others: number }>;
  readonly dropped: (reason: string) => Promise<number>;
}

async function start(limits: object = {}): Promise<Attacked> {
  const clock = new ManualClock();
  const { listener, ...server } = await listening.start(true, { clock, limits });
  const where = { port: listener.port, ca: listening.authority.cert };
  const sample = async (name: string): Promise<number> => {
    const text = await (await server.ask("GET", "/metrics")).text();
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(name))
        ?.split(" ")[1] ?? NaN,
    );
  };
  return {
    clock,
    server,
    listener,
    attack: async (kind, count) => {
      const attackers = await Promise.all(Array.from({ length: count }, () => attack(kind, where)));
      listening.onClean(() => attackers.forEach((one) => one.end()));
      return attackers;
    },
    connections: async () => ({
      trusted: await sample('keelson_connections{trusted="true"}'),
      others: await sample('keelson_connections{trusted="false"}'),
    }),
    dropped: (reason) => sample(`keelson_connections_dropped_total{reason="${reason}"}`),
  };
}

const closed = (attackers: readonly Attacker[]): number => attackers.filter((one) => one.closed).length;

describe("reliability 2.1: a connection without a credential is closed", () => {
  test.each(Object.keys(KINDS) as Kind[])("%s", async (kind) => {
    const { clock, attack: open, connections } = await start();
    const attackers = await open(kind, 10);
    // Too many responses are not even waited for.
    expect(closed(attackers)).toBeLessThanOrEqual(kind === "many answers that are never read" ? 10 : 0);
    const isTaken = async (): Promise<boolean> => (await connections()).others + closed(attackers) >= 10;
    await until(isTaken, "all connections taken");
    await sleep(20);
    clock.advance(61_000);
    clock.advance(61_000);
    await until(() => closed(attackers) === 10, "all connections closed");
    await until(async () => (await connections()).others === 0, "all connections given back");
    expect(await connections()).toEqual({ trusted: 0, others: 0 });
  });

  test("a client with many requests gets GOAWAY, one with a credential does not", async () => {
    const { listener } = await start();
    const sockets = async (path: string, headers = {}): Promise<number> => {
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: listening.authority.cert });
      listening.onClean(() => agent.destroy());
      const seen = new Set<unknown>();
      for (let i = 0; i < 250; i++) seen.add((await ask({ port: listener.port, path, headers, agent })).socket);
      return seen.size;
    };
    expect(await sockets("/livez")).toBe(3);
    expect(await sockets(CM, ADMIN)).toBe(1);
  });
});

interface Asked {
  readonly code: number;
  readonly headers: object;
  readonly text: string;
  readonly socket: unknown;
}

/** Asks over HTTP/2; resolves when the head of the response is there. */
async function over2(session: http2.ClientHttp2Session, path: string, headers: object): Promise<{ code: number }> {
  const stream = session.request({ ":path": path, ...headers });
  stream.resume();
  const [response] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
  return { code: Number(response[":status"]) };
}

/** Asks over HTTP/1.1; resolves when the whole response is there. */
function ask(options: https.RequestOptions, body?: string): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const request = https.request({ host: "127.0.0.1", ...options }, (response) => {
      const { socket, headers } = response;
      const done = (bytes: Buffer): void =>
        resolve({ code: response.statusCode!, headers, text: String(bytes), socket });
      buffer(response).then(done, reject);
    });
    request.on("error", reject);
    if (body === undefined) request.end();
    else request.write(body);
  });
}

describe("no room for another connection", () => {
  test("the oldest unauthenticated one is closed; those with a credential stay", async () => {
    const { clock, attack: open, connections, dropped, listener } = await start({ connections: 10 });
    const agent = new https.Agent({ keepAlive: true, ca: listening.authority.cert });
    listening.onClean(() => agent.destroy());
    const honest = { port: listener.port, path: CM, headers: ADMIN, agent };
    const { socket } = await ask(honest);
    const first = await open("silent", 9);
    await vi.waitUntil(async () => (await connections()).others === 9);
    clock.advance(1000);
    const second = await open("silent", 4);
    await until(() => closed(first) === 4, "four of the first to make way");
    expect([closed(second), await connections(), await dropped("connections")]).toEqual([
      0,
      { trusted: 1, others: 9 },
      4,
    ]);
    clock.advance(1000);
    // A newcomer with a credential finds room, too, and the one that was there is there still.
    expect((await ask({ ...honest, agent: new https.Agent({ ca: listening.authority.cert }) })).code).toBe(200);
    expect((await ask(honest)).socket).toBe(socket);
  });

  test("there are few connections without a credential, however many others there may be", async () => {
    const { attack: open, connections, dropped } = await start({ unauthenticatedConnections: 10 });
    const first = await open("silent", 10);
    const second = await open("TLS and no request", 7);
    await until(() => closed(first) === 7, "seven of the first to make way");
    expect([closed(second), await connections(), await dropped("strangers")]).toEqual([
      0,
      { trusted: 0, others: 10 },
      7,
    ]);
  });

  test("unread responses of unauthenticated clients are few, too: the oldest ones are dropped", async () => {
    const { attack: open, dropped } = await start();
    const attackers = await open("answers that are never read", 130);
    await until(() => closed(attackers) === 5, "as many to go as have more than a thousand responses");
    expect(await dropped("untaken")).toBe(5);
  });

  test("an address has its own limit, and the log has the limit and the client", async () => {
    const { attack: open, dropped, server } = await start({ connectionsPerAddress: 5 });
    await open("silent", 5);
    await open("silent", 5);
    await until(() => server.logged.length === 5, "a line of the log for each");
    expect(await dropped("address")).toBe(5);
    expect(server.logged[0]).toMatchObject({ fields: { limit: "address", client: "127.0.0.1", connections: 5 } });
  });
});

const READER: Record<string, string> = { authorization: "Bearer reader" };

/** A connection of HTTP/2; with `settings` that say so it takes no byte of a body. */
async function openSession(listener: Listener, settings: http2.Settings = {}): Promise<http2.ClientHttp2Session> {
  const url = `https://127.0.0.1:${listener.port}`;
  const opened = http2.connect(url, { ca: listening.authority.cert, settings });
  opened.on("error", () => {});
  listening.onClean(() => opened.destroy());
  await once(opened, "remoteSettings");
  return opened;
}

const DEAF: http2.Settings = { initialWindowSize: 0 };

describe("one user has so many connections and no more", () => {
  /** A client over HTTP/1.1 with a connection of its own. */
  const over1 = (listener: Listener): ((path: string, headers: object) => ReturnType<typeof ask>) => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca: listening.authority.cert });
    listening.onClean(() => agent.destroy());
    return (path, headers) => ask({ port: listener.port, path, headers: { ...headers }, agent });
  };

  test("others have their own; a client with as many gets an error, and the connection ends; one that closes frees its slot", async () => {
    const { listener, server } = await start({ connectionsPerUser: 2 });
    const first = await openSession(listener);
    expect((await over2(first, CM, READER)).code).toBe(200);
    const second = over1(listener);
    expect((await second(CM, READER)).code).toBe(200);
    const refused = await over1(listener)(CM, READER);
    expect(refused).toMatchObject({ code: 429, headers: { "retry-after": "5", connection: "close" } });
    expect(JSON.parse(refused.text)).toMatchObject({
      kind: "Status",
      reason: "TooManyRequests",
      details: { retryAfterSeconds: 5 },
      message: expect.stringContaining(
        "expected at most 2 connections of one user at a time (--max-connections-per-user), found as many",
      ) as string,
    });
    const third = await openSession(listener);
    const goaway = once(third, "goaway");
    expect((await over2(third, CM, READER)).code).toBe(429);
    await goaway;
    expect((await over1(listener)(CM, ADMIN)).code).toBe(200);
    expect((await over2(first, CM, READER)).code).toBe(200);
    expect((await second(CM, READER)).code).toBe(200);
    expect(server.logged.at(-1)).toMatchObject({ fields: { limit: "connections", user: "reader" } });
    first.destroy();
    await until(async () => (await over1(listener)(CM, READER)).code === 200, "a place for another connection");
  });

  test("it is whose credential came first, and is given back once", async () => {
    const { listener, server } = await start({ connectionsPerUser: 1 });
    const first = await openSession(listener);
    await over2(first, CM, READER);
    expect((await over2(first, CM, ADMIN)).code).toBe(200);
    expect((await over1(listener)(CM, ADMIN)).code).toBe(200);
    first.destroy();
    await until(async () => (await over1(listener)(CM, READER)).code === 200, "the place to be given back");
    const metrics = await (await server.ask("GET", "/metrics")).text();
    expect(metrics).toContain('keelson_user_limit_highest{limit="connections"} 1\n');
    expect(metrics).toMatch(/keelson_user_limit_refusals_total\{limit="connections"\} \d+\n/);
  });

  test("health gets its response all the same, and keeps no connection", async () => {
    const { listener } = await start({ connectionsPerUser: 1 });
    await over1(listener)(CM, READER);
    expect(await over1(listener)("/livez", READER)).toMatchObject({ code: 200, headers: { connection: "close" } });
  });

  test("a connection that is one too many is broken off when its peer does not end it", async () => {
    const { listener, clock, connections, server } = await start({ connectionsPerUser: 1 });
    await over1(listener)(CM, READER);
    (await openSession(listener, DEAF)).request({ ":path": CM, ...READER });
    await until(() => server.logged.length === 1, "a refusal");
    clock.advance(6_000);
    const all = async (): Promise<number> => Object.values(await connections()).reduce((sum, count) => sum + count);
    await until(async () => (await all()) === 1, "it to be broken off");
    expect(await connections()).toEqual({ trusted: 1, others: 0 });
  });
});

describe("one user has so many requests under way and no more", () => {
  /** Sends requests of which no response is read; their codes, as far as they are known. */
  const hold = (session: http2.ClientHttp2Session, paths: readonly string[]): number[] => {
    const codes: number[] = [];
    for (const path of paths) {
      const stream = session.request({ ...READER, ":path": path });
      stream.on("error", () => {});
      stream.on("response", (response) => void codes.push(response[":status"]!));
    }
    return codes;
  };
  const isFull = async (server: TestServer, headers = READER): Promise<boolean> =>
    (await server.server.inject({ url: CM, headers })).code === 429;

  test("responses that are not read count, over all connections, until they go", async () => {
    const { listener, server } = await start({ requestsPerUser: 40 });
    const sessions = [await openSession(listener, DEAF), await openSession(listener, DEAF)];
    const codes = sessions.map((session) =>
      hold(
        session,
        Array.from({ length: 20 }, () => CM),
      ),
    );
    await until(() => codes.flat().length === 40, "forty responses to begin");
    expect(new Set(codes.flat())).toEqual(new Set([200]));
    const refused = await server.server.inject({ url: CM, headers: READER });
    expect([refused.code, refused.headers["retry-after"], await refused.text()]).toEqual([
      429,
      "1",
      expect.stringContaining("expected at most 40 requests of one user at a time (--max-requests-per-user)"),
    ]);
    expect((await server.ask("GET", CM)).code).toBe(200);
    for (const session of sessions) session.destroy();
    await until(async () => !(await isFull(server)), "places to be given back");
  });

  test("bodies of which a byte comes count", async () => {
    const { listener, server } = await start({ requestsPerUser: 10 });
    const session = await openSession(listener);
    for (let i = 0; i < 10; i++) {
      const stream = session.request({ ":method": "POST", ":path": CM, "content-length": "1000", ...ADMIN });
      stream.on("error", () => {});
      stream.write("{");
    }
    await until(() => isFull(server, ADMIN), "as many as there may be");
    expect(await isFull(server)).toBe(false);
    session.destroy();
    await until(async () => !(await isFull(server, ADMIN)), "places to be given back");
  });

  test("watches count as watches, from when they have begun until their end was read", async () => {
    const { listener, server, clock } = await start({ requestsPerUser: 2, watchesPerUser: 5 });
    const session = await openSession(listener, DEAF);
    for (const seconds of [0, 0, 1, 1, 1]) {
      const codes = hold(session, [`${CM}?watch=1&timeoutSeconds=${seconds}`]);
      await until(() => codes[0] === 200, "a watch to begin");
    }
    clock.advance(2_000);
    await until(() => server.server.watches === 2, "three watches to end");
    expect(await isFull(server)).toBe(false);
    const sixth = await server.server.inject({ url: `${CM}?watch=1`, headers: READER });
    expect([sixth.code, await sixth.text()]).toEqual([429, expect.stringContaining("watches of one user")]);
  });

  test("who is over it loses the connection on which he asks for more", async () => {
    const { listener, connections, clock } = await start({ requestsPerUser: 5 });
    const session = await openSession(listener, DEAF);
    const codes = hold(
      session,
      Array.from({ length: 6 }, () => CM),
    );
    await until(() => codes.length === 6, "all responses");
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 429]);
    const gone = once(session, "close");
    clock.advance(6_000);
    await gone;
    await until(async () => (await connections()).trusted + (await connections()).others === 0, "nothing to be left");
  });
});

describe("plain HTTP on the TLS port", () => {
  const responseTo = (port: number, bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect({ host: "127.0.0.1", port }, () => socket.write(bytes));
      let got = "";
      socket.on("data", (piece: Buffer) => (got += piece.toString()));
      socket.on("error", () => {});
      socket.on("close", () => resolve(got));
    });

  test("gets an error that it has the wrong port", async () => {
    const { listener } = await start();
    const got = await responseTo(listener.port, "GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(got).toContain("HTTP/1.1 400 Bad Request");
    expect(got).toContain("Client sent an HTTP request to an HTTPS server.");
  });

  test("what is neither gets no response", async () => {
    const { listener } = await start();
    expect(await responseTo(listener.port, "\0\0\0\0hello")).toBe("");
  });
});

describe("the time of a request", () => {
  test("health takes no seat: it responds while all are taken", async () => {
    const { server } = await start({ reads: 1, writes: 1 });
    server.resource("configmaps").get = () => new Promise(() => {});
    void server.ask("GET", `${CM}/a`);
    expect((await server.ask("GET", `${CM}/a`)).code).toBe(429);
    for (const path of ["/livez", "/readyz", "/healthz"]) expect((await server.ask("GET", path)).code).toBe(200);
  });

  test.each([
    ["a minute", "", 61_000],
    ["the time that its client gives it", "?timeout=5s", 5001],
  ])("LIMIT-3: what has no response within %s gets 504, and has no seat by then", async (_, query, millis) => {
    const { clock, server, listener } = await start({ writes: 1 });
    const agent = new https.Agent({ ca: listening.authority.cert });
    listening.onClean(() => agent.destroy());
    const headers = { ...ADMIN, "content-length": 1000 };
    // The rest of the body never comes.
    const slow = ask({ port: listener.port, path: `${CM}${query}`, method: "POST", agent, headers }, "{");
    const busy = async (): Promise<boolean> => (await server.ask("POST", CM, { body: "{}" })).code === 429;
    while (!(await busy())) await sleep(5);
    clock.advance(millis - 1000);
    expect(await busy()).toBe(false);
    clock.advance(1000);
    expect((await slow).code).toBe(504);
    expect(await busy()).toBe(false);
  });

  test("one large object that is not read keeps its seat: each response may be a copy", async () => {
    const { server, listener } = await start({ reads: 1 });
    await server.put(configMap("large", "x".repeat(300_000)));
    const session = await openSession(listener, DEAF);
    const stream = session.request({ ":path": `${CM}/large`, accept: "application/yaml", ...ADMIN });
    stream.on("error", () => {});
    await once(stream, "response");
    const code = async (): Promise<number> => (await server.ask("GET", `${CM}/large`)).code;
    expect(await code()).toBe(429);
    session.destroy();
    await until(async () => (await code()) === 200, "its seat to be free");
  });

  test("one that is not read for five seconds while others want its seat is reset", async () => {
    const { clock, server, listener } = await start({ reads: 1 });
    await server.put(configMap("large", "x".repeat(300_000)));
    const session = await openSession(listener, DEAF);
    const stream = session.request({ ":path": `${CM}/large`, accept: "application/yaml", ...ADMIN });
    stream.on("error", () => {});
    await once(stream, "response");
    const reset = new Promise((resolve) => stream.once("close", resolve));
    for (let i = 0; i < 6; i++) clock.advance(1000);
    expect((await server.ask("GET", `${CM}/large`)).code).toBe(200);
    await reset;
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_INTERNAL_ERROR);
  });

  test("an unread response is broken off after a minute, and its seat is free", async () => {
    const { clock, server, listener } = await start({ reads: 1 });
    for (let i = 0; i < 300; i++) await server.put(configMap(`o${i}`, "x".repeat(100_000)));
    const socket = tls.connect({ host: "127.0.0.1", port: listener.port, ca: listening.authority.cert });
    listening.onClean(() => socket.destroy());
    socket.on("error", () => {});
    socket.pause();
    socket.write(`GET ${CM} HTTP/1.1\r\nhost: x\r\nauthorization: ${ADMIN.authorization}\r\n\r\n`);
    const busy = async (): Promise<boolean> => (await server.ask("GET", `${CM}/o1`)).code === 429;
    while (!(await busy())) await sleep(5);
    await sleep(50);
    expect(await busy()).toBe(true);
    clock.advance(61_000);
    while (await busy()) await sleep(5);
  });
});
