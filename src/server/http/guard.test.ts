import https from "node:https";
import net from "node:net";
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

describe("reliability 2.1: a connection on which nobody shows a credential is given back", () => {
  test.each(Object.keys(KINDS) as Kind[])("%s", async (kind) => {
    const { clock, attack: open, connections } = await start();
    const attackers = await open(kind, 10);
    // Too many answers are not even waited for.
    expect(closed(attackers)).toBeLessThanOrEqual(kind === "many answers that are never read" ? 10 : 0);
    await sleep(20);
    clock.advance(61_000);
    clock.advance(61_000);
    await until(() => closed(attackers) === 10, "all connections closed");
    await until(async () => (await connections()).others === 0, "all connections given back");
    expect(await connections()).toEqual({ trusted: 0, others: 0 });
  });

  test("one that asks again and again is told to go, one that shows a credential is not", async () => {
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

/** Asks over HTTP/1.1; resolves when the whole answer is there. */
function ask(options: https.RequestOptions, body?: string): Promise<{ code: number; socket: unknown }> {
  return new Promise((resolve, reject) => {
    const request = https.request({ host: "127.0.0.1", ...options }, (answer) => {
      const { socket } = answer;
      answer.resume().on("end", () => resolve({ code: answer.statusCode!, socket }));
    });
    request.on("error", reject);
    if (body === undefined) request.end();
    else request.write(body);
  });
}

describe("no room for another connection", () => {
  test("the oldest one that nobody has vouched for makes way; those with a credential stay", async () => {
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

  test("there are few strangers, however much room there is", async () => {
    const { attack: open, connections, dropped } = await start({ strangers: 10 });
    const first = await open("silent", 10);
    const second = await open("TLS and no request", 7);
    await until(() => closed(first) === 7, "seven of the first to make way");
    expect([closed(second), await connections(), await dropped("strangers")]).toEqual([
      0,
      { trusted: 0, others: 10 },
      7,
    ]);
  });

  test("answers that strangers do not take are few, too: who has had some for longest makes way", async () => {
    const { attack: open, dropped } = await start();
    const attackers = await open("answers that are never read", 130);
    await until(() => closed(attackers) === 5, "as many to go as have more than a thousand answers");
    expect(await dropped("untaken")).toBe(5);
  });

  test("an address has its own bound, and it is told by its name and the client", async () => {
    const { attack: open, dropped, server } = await start({ connectionsPerAddress: 5 });
    await open("silent", 5);
    await open("silent", 5);
    await until(() => server.logged.length === 5, "a line of the log for each");
    expect(await dropped("address")).toBe(5);
    expect(server.logged[0]).toMatchObject({ fields: { limit: "address", client: "127.0.0.1", connections: 5 } });
  });
});

describe("plain HTTP on the TLS port", () => {
  const answerTo = (port: number, bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = net.connect({ host: "127.0.0.1", port }, () => socket.write(bytes));
      let got = "";
      socket.on("data", (piece: Buffer) => (got += piece.toString()));
      socket.on("error", () => {});
      socket.on("close", () => resolve(got));
    });

  test("is told that it has the wrong port", async () => {
    const { listener } = await start();
    const got = await answerTo(listener.port, "GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(got).toContain("HTTP/1.1 400 Bad Request");
    expect(got).toContain("Client sent an HTTP request to an HTTPS server.");
  });

  test("what is neither is not answered", async () => {
    const { listener } = await start();
    expect(await answerTo(listener.port, "\0\0\0\0hello")).toBe("");
  });
});

describe("the time of a request", () => {
  test("health takes no seat: it answers while all are taken", async () => {
    const { server } = await start({ reads: 1, writes: 1 });
    server.resource("configmaps").get = () => new Promise(() => {});
    void server.ask("GET", `${CM}/a`);
    expect((await server.ask("GET", `${CM}/a`)).code).toBe(429);
    for (const path of ["/livez", "/readyz", "/healthz"]) expect((await server.ask("GET", path)).code).toBe(200);
  });

  test("what is not answered within a minute is answered with 504, and its seat is free", async () => {
    const { clock, server, listener } = await start({ writes: 1 });
    const agent = new https.Agent({ ca: listening.authority.cert });
    listening.onClean(() => agent.destroy());
    const headers = { ...ADMIN, "content-length": 1000 };
    // The rest of the body never comes.
    const slow = ask({ port: listener.port, path: CM, method: "POST", agent, headers }, "{");
    const busy = async (): Promise<boolean> => (await server.ask("POST", CM, { body: "{}" })).code === 429;
    while (!(await busy())) await sleep(5);
    clock.advance(61_000);
    expect((await slow).code).toBe(504);
    while (await busy()) await sleep(5);
  });

  test("an answer that nobody reads is broken off after a minute, and its seat is free", async () => {
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
