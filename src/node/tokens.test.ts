import { expect, test } from "vitest";
import { Client, type TransportRequest } from "../client/index.ts";
import type { Pod } from "../client/kinds/index.ts";
import { type Clock, ManualClock, seededRandom } from "../util/clock.ts";
import { nextPass } from "../util/testing/pass.ts";
import { TokenKeeper } from "./tokens.ts";

const HOUR_MS = 3_600_000;

interface Requested {
  readonly path: string;
  readonly spec: { readonly audiences: string[]; readonly expirationSeconds?: number; readonly boundObjectRef: object };
}

/** A keeper and a server that numbers its tokens. */
function world() {
  const clock = new ManualClock();
  /** How far the wall clock was set forward, or the machine has slept. */
  const wall = { ahead: 0 };
  const shown: Clock = {
    loop: clock.loop,
    now: () => clock.now() + wall.ahead,
    steady: () => clock.steady(),
    after: (...timer) => clock.after(...timer),
  };
  const looks: string[] = [];
  const reads: string[] = [];
  const asked: Requested[] = [];
  const failures: unknown[] = [];
  const server = { isDown: false, longest: Infinity, account: "first" as string | undefined, tries: 0, ahead: 0 };
  const answers = (code: number, body: object) =>
    Promise.resolve({ status: code, headers: {}, body: [Buffer.from(JSON.stringify(body))] as never });
  const transport = ({ method, path, body }: TransportRequest) => {
    const { account } = server;
    if (method === "GET") {
      reads.push(path);
      if (account === undefined)
        return answers(404, {
          kind: "Status",
          apiVersion: "v1",
          code: 404,
          reason: "NotFound",
          details: { name: "robot" },
        });
      return answers(200, { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "robot", uid: account } });
    }
    server.tries++;
    if (server.isDown) return Promise.reject(new Error("nobody there"));
    const { spec } = JSON.parse(String(body)) as Requested;
    asked.push({ path, spec });
    const seconds = Math.min(spec.expirationSeconds ?? 3600, server.longest);
    const expirationTimestamp = new Date(shown.now() + server.ahead + seconds * 1000).toISOString();
    const status = { token: `token ${asked.length}`, expirationTimestamp };
    return answers(201, { metadata: { uid: account }, spec: { ...spec, expirationSeconds: seconds }, status });
  };
  const client = new Client(transport, { userAgent: "test", clock });
  const failed = (error: unknown) => void failures.push(error);
  const lookAt = (uid: string) => void looks.push(uid);
  const keeper = new TokenKeeper({ client, clock: shown, random: seededRandom(7), failed, lookAt });
  /** Advances the clock, and lets the work of that end. */
  const pass = (ms: number) =>
    clock.advanceSettled(ms, async () => {
      for (let i = 0; i < 5; i++) await nextPass();
    });
  return { clock, wall, asked, failures, server, keeper, looks, reads, pass };
}

const pod = (uid = "u"): Pod =>
  ({
    metadata: { name: "p", namespace: "ns", uid },
    spec: { serviceAccountName: "robot", containers: [] },
  }) as unknown as Pod;

test("NODE-35, PROJ-32: a token is requested with its audience, or none for the server's own, bound to the Pod", async () => {
  const { keeper, asked } = world();
  expect((await keeper.get(pod(), { audience: "vault", expirationSeconds: 7200 })).token).toBe("token 1");
  await keeper.get(pod(), {});
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  const path = "/api/v1/namespaces/ns/serviceaccounts/robot/token";
  expect(asked).toEqual([
    { path, spec: { audiences: ["vault"], expirationSeconds: 7200, boundObjectRef } },
    { path, spec: { audiences: [], boundObjectRef } },
  ]);
});

test("NODE-37, LIM-12: a token is kept until 80 % of its lifetime are over, less at most ten seconds by chance", async () => {
  const { keeper, clock } = world();
  const get = async () => (await keeper.get(pod(), { expirationSeconds: 3600 })).token;
  expect(await get()).toBe("token 1");
  const left = keeper.renewsIn(pod(), { expirationSeconds: 3600 })!;
  expect(left).toBeGreaterThan(0.8 * HOUR_MS - 10_000);
  expect(left).toBeLessThan(0.8 * HOUR_MS);
  clock.advance(left - 1);
  expect(await get()).toBe("token 1");
  clock.advance(1);
  expect(await get()).toBe("token 2");
});

test("NODE-37, LIM-12: a token with a long life is renewed when it is 24 hours old", async () => {
  const { keeper, clock } = world();
  const get = async () => (await keeper.get(pod(), { expirationSeconds: 10 * 24 * 3600 })).token;
  expect(await get()).toBe("token 1");
  clock.advance(24 * HOUR_MS - 10_001);
  expect(await get()).toBe("token 1");
  clock.advance(10_001);
  expect(await get()).toBe("token 2");
});

test("the lifetime that counts is the one that the server gave", async () => {
  const { keeper, clock, server } = world();
  server.longest = 600;
  await keeper.get(pod(), { expirationSeconds: 7200 });
  clock.advance(480_000);
  expect((await keeper.get(pod(), { expirationSeconds: 7200 })).token).toBe("token 2");
});

test("simultaneous calls share one request; other audiences, lifetimes and Pods have tokens of their own", async () => {
  const { keeper, asked } = world();
  const wishes = [{ audience: "a" }, { audience: "a" }, { audience: "b" }, { audience: "a", expirationSeconds: 601 }];
  const tokens = await Promise.all([
    ...wishes.map((wish) => keeper.get(pod(), wish)),
    keeper.get(pod("v"), { audience: "a" }),
  ]);
  expect(tokens.map(({ token }) => token)).toEqual(["token 1", "token 1", "token 2", "token 3", "token 4"]);
  expect(asked).toHaveLength(4);
});

test("a token that cannot be renewed is returned while it is valid, with a warning; then the error is thrown", async () => {
  const { keeper, clock, server, failures } = world();
  await keeper.get(pod(), {});
  server.isDown = true;
  clock.advance(0.9 * HOUR_MS);
  expect((await keeper.get(pod(), {})).token).toBe("token 1");
  expect(failures).toHaveLength(1);
  clock.advance(0.1 * HOUR_MS);
  await expect(keeper.get(pod(), {})).rejects.toThrow("nobody there");
  server.isDown = false;
  expect((await keeper.get(pod(), {})).token).toBe("token 2");
});

test("NODE-37: a renewal that fails is tried again after pauses that grow to half a minute, each with a part by chance", async () => {
  const { keeper, clock, server, failures } = world();
  const wish = { expirationSeconds: 600 };
  await keeper.get(pod(), wish);
  clock.advance(keeper.renewsIn(pod(), wish)!);
  server.isDown = true;
  server.tries = 0;
  const pauses: number[] = [];
  const began = clock.now();
  while (clock.now() - began < 100_000) {
    expect((await keeper.get(pod(), wish)).token).toBe("token 1");
    pauses.push(keeper.renewsIn(pod(), wish)!);
    // Calls during a pause send no request.
    await keeper.get(pod(), wish);
    clock.advance(pauses.at(-1)!);
  }
  expect([server.tries, failures.length]).toEqual([pauses.length, pauses.length]);
  expect(pauses.length).toBeLessThan(15);
  pauses.forEach((pause, failure) => {
    const most = Math.min(30_000, 1000 * 2 ** failure);
    expect(pause).toBeGreaterThanOrEqual(most / 2);
    expect(pause).toBeLessThanOrEqual(most);
  });
  expect(new Set(pauses.slice(-2)).size).toBe(2);
  server.isDown = false;
  expect((await keeper.get(pod(), wish)).token).toBe("token 2");
  expect(keeper.renewsIn(pod(), wish)).toBeGreaterThan(400_000);
});

test("NODE-37: a token ends by the wall clock: after the machine has slept it is renewed", async () => {
  const { keeper, wall, server, clock } = world();
  await keeper.get(pod(), {});
  wall.ahead += 2 * HOUR_MS;
  expect((await keeper.get(pod(), {})).token).toBe("token 2");
  server.isDown = true;
  wall.ahead += 0.9 * HOUR_MS;
  expect((await keeper.get(pod(), {})).token).toBe("token 2");
  wall.ahead += 0.1 * HOUR_MS;
  await expect(keeper.get(pod(), {})).rejects.toThrow("nobody there");
  server.isDown = false;
  expect((await keeper.get(pod(), {})).token).toBe("token 3");
  // A wall clock that was set back does not make a token live longer.
  wall.ahead -= 5 * HOUR_MS;
  clock.advance(0.8 * HOUR_MS);
  expect((await keeper.get(pod(), {})).token).toBe("token 4");
});

test.each([-2, 2])(
  "where the clock of the server is %i hours ahead, a token is renewed once in a minute at most",
  async (hours) => {
    const { keeper, clock, server, asked } = world();
    server.ahead = hours * HOUR_MS;
    await keeper.get(pod(), {});
    for (let looks = 0; looks < 60; looks++) {
      const after = keeper.renewsIn(pod(), {})!;
      expect(after).toBeGreaterThanOrEqual(60_000);
      clock.advance(after);
      await keeper.get(pod(), {});
    }
    expect(asked).toHaveLength(61);
  },
);

test("a server with tokens of a second is called with pauses, too", async () => {
  const { keeper, server } = world();
  server.longest = 1;
  await keeper.get(pod(), {});
  expect(keeper.renewsIn(pod(), {})).toBeGreaterThanOrEqual(500);
});

test("tokens of an account that was created again are renewed at once, when a token of another Pod shows it", async () => {
  const { keeper, server, looks } = world();
  await keeper.get(pod(), {});
  server.account = "second";
  expect((await keeper.get(pod(), {})).token).toBe("token 1");
  await keeper.get(pod("v"), {});
  expect(looks).toEqual(["u"]);
  expect(keeper.renewsIn(pod(), {})).toBe(0);
  expect((await keeper.get(pod(), {})).token).toBe("token 3");
  expect((await keeper.get(pod("v"), {})).token).toBe("token 2");
});

test("an account is checked every half minute while a Pod has a token of it: with another uid, its Pods are reconciled", async () => {
  const { keeper, server, looks, reads, pass } = world();
  await keeper.get(pod(), { audience: "a" });
  await keeper.get(pod("v"), {});
  await pass(30_000);
  expect(reads).toEqual(["/api/v1/namespaces/ns/serviceaccounts/robot"]);
  server.account = undefined;
  await pass(30_000);
  expect([reads.length, looks]).toEqual([2, []]);
  server.account = "second";
  await pass(30_000);
  expect(looks).toEqual(["u", "v"]);
  server.isDown = true;
  expect((await keeper.get(pod(), { audience: "a" })).token).toBe("token 1");
  server.isDown = false;
  await pass(1000);
  expect((await keeper.get(pod(), { audience: "a" })).token).toBe("token 3");
  keeper.forget("u");
  keeper.forget("v");
  reads.length = 0;
  await pass(120_000);
  expect(reads).toEqual([]);
});

test("PROJ-58: the tokens of a Pod that has ended are forgotten", async () => {
  const { keeper } = world();
  await keeper.get(pod(), {});
  await keeper.get(pod("v"), {});
  keeper.forget("u");
  expect([keeper.size, keeper.renewsIn(pod(), {})]).toEqual([1, undefined]);
  expect((await keeper.get(pod(), {})).token).toBe("token 3");
});

test("a Pod without a service account has no tokens", async () => {
  const { keeper } = world();
  const bare = { ...pod(), spec: { containers: [] } } as unknown as Pod;
  await expect(keeper.get(bare, {})).rejects.toThrow("expected Pod p to have a service account");
});
