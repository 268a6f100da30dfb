import { afterEach, expect, test } from "vitest";
import { Client } from "../client/index.ts";
import { Lease } from "../client/kinds/index.ts";
import { type Call, FakeServer, settle } from "../client/testing/fake-transport.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { Election } from "./election.ts";

const lease = { namespace: "default", name: "workers" };

/** A server with one Lease and its own clock. */
class Server {
  readonly fake = new FakeServer();
  readonly clock = new ManualClock();
  version = 0;
  stored: Lease | undefined;
  /** Handles a request in place of a response. */
  meets: (call: Call) => boolean = () => false;
  requests = 0;
  #stopped = false;

  constructor() {
    void this.#serve();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Moves the clock in steps, so that requests on the way get responses. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      this.clock.advance(Math.min(100, left));
      for (let i = 0; i < 6; i++) await settle();
    }
  }

  async #serve(): Promise<void> {
    while (!this.#stopped) {
      const call = await this.fake.next();
      this.requests++;
      if (!this.meets(call)) this.answer(call);
    }
  }

  answer(call: Call): void {
    const sent = call.body as Lease | undefined;
    if (call.request.method === "GET") {
      if (this.stored) call.json(this.stored);
      else call.json({ kind: "Status", code: 404, reason: "NotFound", details: { name: lease.name } }, 404);
    } else if (call.request.method === "POST" && this.stored) {
      call.refuse(409, "AlreadyExists");
    } else if (
      call.request.method === "PUT" &&
      sent!.metadata.resourceVersion !== this.stored?.metadata.resourceVersion
    ) {
      call.refuse(409, "Conflict");
    } else {
      this.stored = { ...sent!, metadata: { ...sent!.metadata, resourceVersion: String(++this.version) } };
      call.json(this.stored);
    }
  }
}

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

/** A candidate at a server. */
function stands(server: Server, identity: string, seed: number) {
  const { clock } = server;
  const client = new Client(server.fake.transport, { userAgent: identity, clock });
  const failures: unknown[] = [];
  const election = new Election({
    election: { lease, identity },
    leases: client.resource(Lease),
    clock,
    random: seededRandom(seed),
    won: () => {},
    lost: () => Promise.resolve(),
    failed: (error) => failures.push(error),
  });
  stops.push(
    () => void election.stop(),
    () => server.stop(),
  );
  election.start();
  return { election, failures };
}

const isWrite = ({ request }: Call): boolean => request.method !== "GET";

test("two of one identity never lead both", async () => {
  const server = new Server();
  const [one, two] = [stands(server, "same", 1), stands(server, "same", 2)];
  for (let n = 0; n < 60; n++) {
    await server.advance(1000);
    expect([one, two].filter(({ election }) => election.leading).length).toBeLessThanOrEqual(1);
  }
  expect([one, two].some(({ election }) => election.leading)).toBe(true);
});

test("who cannot write a Lease that has run out does not hammer the server", async () => {
  const server = new Server();
  const first = stands(server, "first", 1);
  await server.advance(3000);
  expect(first.election.leading).toBe(true);
  stops.shift()!();
  await server.advance(100);
  server.meets = (call) => isWrite(call) && (call.refuse(403, "Forbidden"), true);
  stands(server, "second", 2);
  await server.advance(20_000);
  const before = server.requests;
  await server.advance(20_000);
  expect(server.requests - before).toBeLessThan(30);
});

test("who renews knows it only from when it asked: an answer that took long gives no more time", async () => {
  const server = new Server();
  const leader = stands(server, "leader", 1);
  await server.advance(3000);
  expect(leader.election.leading).toBe(true);
  // The write is stored at once, with a response after nine seconds; later requests get none.
  let stored = Infinity;
  let late: Call | undefined;
  server.meets = (call) => {
    if (late) return true;
    if (!isWrite(call)) return false;
    late = call;
    stored = server.clock.steady();
    return true;
  };
  await server.advance(11_000);
  expect(late).toBeDefined();
  server.answer(late!);
  let led = 0;
  for (let n = 0; n < 300 && leader.election.leading; n++) {
    await server.advance(100);
    led = server.clock.steady();
  }
  expect(leader.election.leading).toBe(false);
  expect(led - stored).toBeLessThanOrEqual(15_000);
});

test("a leader whose renewals hang or fail leads no longer than the deadline after the last that was stored", async () => {
  for (let from = 0; from < 10; from++) {
    const server = new Server();
    const leader = stands(server, "leader", 1);
    await server.advance(3000);
    let stored = server.clock.steady();
    const beginning = stored + 3000 + from * 1000;
    // Refused for a while, then without a response.
    server.meets = (call) => {
      if (server.clock.steady() < beginning) {
        if (server.clock.steady() < stored + 3000)
          return ((stored = isWrite(call) ? server.clock.steady() : stored), false);
        call.refuse(500, "InternalError");
      }
      return true;
    };
    for (let n = 0; n < 300 && leader.election.leading; n++) await server.advance(100);
    expect(server.clock.steady() - stored).toBeLessThanOrEqual(13_500);
    stops.splice(0).forEach((stop) => stop());
  }
});

test("a leader that was stopped in its tracks for longer than the deadline stands down before it asks", async () => {
  const server = new Server();
  const leader = stands(server, "leader", 1);
  await server.advance(3000);
  const before = server.requests;
  server.meets = () => true;
  // One jump: its timer fires late.
  server.clock.advance(60_000);
  for (let i = 0; i < 6; i++) await settle();
  expect(leader.election.leading).toBe(false);
  // It is a candidate again: one request.
  expect(server.requests - before).toBe(1);
});

test("a renewal whose answer was lost is still one's own", async () => {
  const server = new Server();
  const leader = stands(server, "leader", 1);
  await server.advance(3000);
  let lost = 0;
  server.meets = (call) => {
    if (!isWrite(call) || lost++ > 0) return false;
    const sent = call.body as Lease;
    server.stored = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(++server.version) } };
    call.break();
    return true;
  };
  for (let n = 0; n < 30; n++) {
    await server.advance(1000);
    expect(leader.election.leading).toBe(true);
  }
  expect(lost).toBeGreaterThan(1);
});
