/**
 * Sessions over WebSocket, as kubectl exec opens them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { IncomingMessage } from "node:http";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import type { Session } from "../../schema/session.ts";
import { ManualClock } from "../../util/clock.ts";
import type { Listener } from "../http/listeners.ts";
import type { Programs, ServerContext } from "../request/context.ts";
import type { Messages } from "../request/exchange.ts";
import type { HttpResponse } from "../request/response.ts";
import { DEFAULT_LIMITS } from "../shared/limits.ts";
import { Listening, until } from "../testing/listening.ts";
import { ADMIN } from "../testing/test-server.ts";
import { respondWithSession } from "./respond-session.ts";

const V5 = "v5.channel.k8s.io";
const V4 = "v4.channel.k8s.io";
const SHELLS = "/apis/example.com/v1/namespaces/n/shells";
const EXEC = `${SHELLS}/a/exec`;
const ALL = "?stdin=true&stdout=true&stderr=true";

let listening: Listening;
beforeAll(async () => {
  listening = await Listening.prepare();
});
afterEach(() => listening.clean());

/** A client of a session. */
class Client {
  readonly socket: WebSocket;
  readonly texts: Record<number, string> = {};
  messages = 0;
  readonly response: Promise<{ code: number; body: string; protocol: string }>;
  readonly closed: Promise<number>;

  constructor(listener: Listener, path: string, protocols: string[] = [V5], headers = ADMIN) {
    this.socket = new WebSocket(`ws://127.0.0.1:${listener.port}${path}`, protocols, { headers });
    listening.onClean(() => this.socket.terminate());
    this.socket.on("error", () => {});
    this.socket.on("message", (data) => {
      const [channel] = data as Buffer;
      this.messages++;
      this.texts[channel!] = (this.texts[channel!] ?? "") + (data as Buffer).subarray(1).toString("utf8");
    });
    this.response = new Promise((resolve) => {
      this.socket.on("open", () => resolve({ code: 101, body: "", protocol: this.socket.protocol }));
      this.socket.on("unexpected-response", (_request, message: IncomingMessage) => {
        let body = "";
        message.on("data", (piece: Buffer) => (body += piece.toString("utf8")));
        message.on("end", () => resolve({ code: message.statusCode!, body, protocol: "" }));
      });
    });
    this.closed = new Promise((resolve) => {
      this.socket.on("close", resolve);
    });
  }

  send(channel: number, data: string | Uint8Array): void {
    this.socket.send(Buffer.concat([Uint8Array.of(channel), Buffer.from(data)]));
  }

  get status(): unknown {
    return JSON.parse(this.texts[3] ?? "null");
  }
}

/** A server with one shell, behind which a session runs. */
async function started(session: Session["run"], options: Parameters<Listening["start"]>[1] = {}) {
  const programs: Programs = (_way, _object, parameter) => {
    if (parameter("command") === "none") return undefined;
    return Promise.resolve({ run: session });
  };
  const made = await listening.start(false, { programs, ...options });
  await made.put({ apiVersion: "example.com/v1", kind: "Shell", metadata: { name: "a", namespace: "n" } });
  return made;
}

const echo: Session["run"] = async ({ stdin, write }) => {
  let read = "";
  for await (const piece of stdin ?? []) read += Buffer.from(piece).toString("utf8");
  await write("stdout", Buffer.from(`out ${read}`));
  await write("stderr", Buffer.from("err"));
  return 0;
};

describe("the channels of a session", () => {
  test("stdin ends where the client closes it, stdout and stderr come apart, and the Status says how it ended", async () => {
    const { listener } = await started(echo);
    const client = new Client(listener, `${EXEC}${ALL}`);
    expect(await client.response).toEqual({ code: 101, body: "", protocol: V5 });
    client.send(0, "one ");
    client.send(0, "two");
    client.send(255, Uint8Array.of(0));
    expect(await client.closed).toBe(1000);
    expect(client.texts).toEqual({ 1: "out one two", 2: "err", 3: '{"metadata":{},"status":"Success"}' });
  });

  test.each([
    [[V4], V4],
    [["v9.channel.k8s.io", V4, V5], V4],
  ])("of %j the first known one is spoken", async (offered, spoken) => {
    const { listener } = await started(async () => 0);
    const client = new Client(listener, `${EXEC}?stdout=true`, offered);
    expect((await client.response).protocol).toBe(spoken);
    await client.closed;
    expect(client.status).toMatchObject({ status: "Success" });
  });

  test("an exit code is a cause of the Status, an error is its message", async () => {
    const codes = [3, new Error("no such program")];
    const { listener } = await started(async () => {
      const next = codes.shift()!;
      if (next instanceof Error) throw next;
      return next;
    });
    const failed = new Client(listener, `${EXEC}?stdout=true`);
    await failed.closed;
    expect(failed.status).toMatchObject({
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
    const broken = new Client(listener, `${EXEC}?stdout=true`);
    await broken.closed;
    expect(broken.status).toMatchObject({
      reason: "InternalError",
      message: expect.stringContaining("no such program"),
    });
  });

  test("a terminal has one stream and a size; what was not asked for is not sent", async () => {
    const { listener } = await started(async (streams) => {
      await until(() => streams.size !== undefined, "a size");
      await streams.write("stderr", Buffer.from(JSON.stringify(streams.size)));
      return 0;
    });
    const client = new Client(listener, `${EXEC}?stdin=true&stdout=true&tty=true`);
    await client.response;
    client.send(4, "no JSON");
    client.send(4, '{"Width":80,"Height":24}');
    await client.closed;
    expect(client.texts[1]).toBe('{"width":80,"height":24}');
    const quiet = await started(echo);
    const silent = new Client(quiet.listener, `${EXEC}?stderr=true`);
    await silent.closed;
    expect(silent.texts).toEqual({ 2: "err", 3: expect.stringContaining("Success") });
  });
});

describe("what is bounded", () => {
  test("a client that does not read holds the program back, one whose input is not read is held back", async () => {
    let written = 0;
    let ended = false;
    const { listener } = await started(async ({ write, signal }) => {
      const piece = Buffer.alloc(64 * 1024, 120);
      for (; written < 512 * 1024 * 1024 && !signal.aborted; written += piece.length) await write("stdout", piece);
      ended = true;
      return 0;
    });
    const client = new Client(listener, `${EXEC}${ALL}`);
    await client.response;
    client.socket.pause();
    let before = -1;
    await until(
      async () => {
        before = written;
        await sleep(50);
        return written === before;
      },
      "the program to wait",
      10_000,
    );
    expect(written).toBeLessThan(64 * 1024 * 1024);
    const piece = Buffer.alloc(512 * 1024);
    for (let i = 0; i < 64; i++) client.send(0, piece);
    await sleep(100);
    expect(client.socket.bufferedAmount).toBeGreaterThan(8 * 1024 * 1024);
    expect(ended).toBe(false);
    client.socket.terminate();
    await until(() => ended, "the end of the program");
  });

  test("one session ends alone: the others go on", async () => {
    const { listener } = await started(echo);
    const [one, other] = [new Client(listener, `${EXEC}${ALL}`), new Client(listener, `${EXEC}${ALL}`)];
    await Promise.all([one.response, other.response]);
    one.socket.terminate();
    other.send(0, "still here");
    other.send(255, Uint8Array.of(0));
    await other.closed;
    expect(other.texts[1]).toBe("out still here");
  });

  test("a user has so many sessions and no more; one that ends gives its place back", async () => {
    const { listener } = await started(echo, { limits: { ...DEFAULT_LIMITS, sessionsPerUser: 1 } });
    const first = new Client(listener, `${EXEC}${ALL}`);
    expect((await first.response).code).toBe(101);
    const refused = await new Client(listener, `${EXEC}${ALL}`).response;
    expect([refused.code, refused.body]).toEqual([429, expect.stringContaining("--max-sessions-per-user")]);
    first.socket.terminate();
    await first.closed;
    await until(async () => (await new Client(listener, `${EXEC}${ALL}`).response).code === 101, "a place");
  });

  test("a session without a byte ends after four hours", async () => {
    const clock = new ManualClock(Date.now());
    const { listener } = await started(echo, { clock });
    const client = new Client(listener, `${EXEC}${ALL}`);
    await client.response;
    clock.advance(4 * 3_600_000);
    expect(await client.closed).toBe(1006);
  });

  test("a message of too many fragments ends the session", async () => {
    const { listener } = await started(echo);
    const client = new Client(listener, `${EXEC}${ALL}`);
    await client.response;
    for (let i = 0; i < 65; i++) client.socket.send(Uint8Array.of(0), { fin: false });
    expect(await client.closed).toBe(1008);
  });

  test("a message that is too long ends the session, and nothing else", async () => {
    const { listener, ask } = await started(echo);
    const client = new Client(listener, `${EXEC}${ALL}`);
    await client.response;
    client.send(0, Buffer.alloc(1 << 20));
    expect(await client.closed).toBe(1009);
    expect((await ask("GET", `${SHELLS}/a`)).code).toBe(200);
  });
});

describe("who may, and how", () => {
  test("a right to read is no right to begin a session over GET", async () => {
    const { listener } = await started(echo);
    const response = await new Client(listener, `${EXEC}${ALL}`, [V5], { authorization: "Bearer reader" }).response;
    expect([response.code, response.body]).toEqual([403, expect.stringContaining("cannot create resource")]);
  });

  test("what cannot be reached gets its response over HTTP before the upgrade", async () => {
    const { listener } = await started(echo);
    expect((await new Client(listener, `${SHELLS}/b/exec`).response).code).toBe(404);
    expect((await new Client(listener, `${EXEC}?command=none`).response).code).toBe(503);
    expect((await new Client(listener, EXEC, ["v3.channel.k8s.io"]).response).code).toBe(400);
  });

  test("without an upgrade, or with one to SPDY, it is refused, and what was expected is said", async () => {
    const { json } = await started(echo);
    expect((await json("POST", `${EXEC}${ALL}`)).body).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: expect.stringMatching(/^Upgrade request required: expected a WebSocket/),
    });
    const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1" };
    expect((await json("POST", `${EXEC}${ALL}`, { headers: spdy })).body).toMatchObject({
      message: expect.stringContaining('got "SPDY/3.1"'),
    });
  });
});

/** A session over messages that a test sends itself. */
function startedDirectly(run: Session["run"]) {
  const sent = { pauses: 0 };
  const messages: Messages = {
    onMessage: undefined,
    onClose: undefined,
    protocol: "v5.channel.k8s.io",
    closed: false,
    send: async () => {},
    pause: () => void sent.pauses++,
    resume() {},
    end() {},
    destroy() {},
  };
  const response = { incoming: { sent: {} }, bytesOut: 0 } as unknown as HttpResponse;
  const ongoing = { add() {}, delete() {} } as unknown as ServerContext["ongoing"];
  const wishes = { stdin: true, stdout: true, stderr: true, tty: false };
  const context = { clock: new ManualClock(), ongoing };
  return { sent, messages, done: respondWithSession(context, response, {} as never, messages, { run }, wishes) };
}

test("messages of one byte that no program reads hold the client back after some hundred", async () => {
  const over = Promise.withResolvers<number>();
  const { sent, messages, done } = startedDirectly(() => over.promise);
  let count = 0;
  for (; count < 100_000 && sent.pauses === 0; count++) messages.onMessage?.(Uint8Array.of(0, 120));
  over.resolve(0);
  await done;
  expect(count).toBeGreaterThan(100);
  expect(count).toBeLessThan(1000);
});

test("a short message does not keep alive all that was read together with it", async () => {
  const kept: number[] = [];
  const { messages, done } = startedDirectly(async ({ stdin }) => {
    for await (const piece of stdin ?? []) kept.push(piece.buffer.byteLength);
    return 0;
  });
  const read = new Uint8Array(65_536);
  messages.onMessage?.(read.subarray(0, 3));
  messages.onMessage?.(Uint8Array.of(255, 0));
  await done;
  expect(kept).toEqual([2]);
});
