import { expect, test } from "vitest";
import { Client, type TransportRequest } from "../client/index.ts";
import type { Pod } from "../client/kinds/index.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { TokenKeeper } from "./tokens.ts";

const HOUR_MS = 3_600_000;

interface Asked {
  readonly path: string;
  readonly spec: { readonly audiences: string[]; readonly expirationSeconds?: number; readonly boundObjectRef: object };
}

/** A keeper over a server that numbers its tokens. */
function world() {
  const clock = new ManualClock();
  const asked: Asked[] = [];
  const failures: unknown[] = [];
  const server = { isDown: false, longest: Infinity };
  const transport = ({ path, body }: TransportRequest) => {
    if (server.isDown) return Promise.reject(new Error("nobody there"));
    const { spec } = JSON.parse(String(body)) as Asked;
    asked.push({ path, spec });
    const seconds = Math.min(spec.expirationSeconds ?? 3600, server.longest);
    const expirationTimestamp = new Date(clock.now() + seconds * 1000).toISOString();
    const status = { token: `token ${asked.length}`, expirationTimestamp };
    const answer = JSON.stringify({ spec: { ...spec, expirationSeconds: seconds }, status });
    return Promise.resolve({ status: 201, headers: {}, body: [Buffer.from(answer)] as never });
  };
  const client = new Client(transport, { userAgent: "test", clock });
  const failed = (error: unknown) => void failures.push(error);
  const keeper = new TokenKeeper({ client, clock, random: seededRandom(7), failed });
  return { clock, asked, failures, server, keeper };
}

const pod = (uid = "u"): Pod =>
  ({
    metadata: { name: "p", namespace: "ns", uid },
    spec: { serviceAccountName: "robot", containers: [] },
  }) as unknown as Pod;

test("NODE-35, PROJ-32: a token is asked for with its audience, or none for the server's own, bound to the Pod", async () => {
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

test("NODE-37, LIM-12: a token with a long life is asked for again when it is 24 hours old", async () => {
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

test("who asks at the same time shares one request; other audiences, lifetimes and Pods have tokens of their own", async () => {
  const { keeper, asked } = world();
  const wishes = [{ audience: "a" }, { audience: "a" }, { audience: "b" }, { audience: "a", expirationSeconds: 601 }];
  const tokens = await Promise.all([
    ...wishes.map((wish) => keeper.get(pod(), wish)),
    keeper.get(pod("v"), { audience: "a" }),
  ]);
  expect(tokens.map(({ token }) => token)).toEqual(["token 1", "token 1", "token 2", "token 3", "token 4"]);
  expect(asked).toHaveLength(4);
});

test("a token that cannot be renewed is given while it is good, and told about; then the error is told", async () => {
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
