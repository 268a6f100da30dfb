import { afterEach, expect, test } from "vitest";
import { Client } from "../client/index.ts";
import { ConfigMap } from "../client/kinds/index.ts";
import { FakeServer, settle } from "../client/testing/fake-transport.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { ServedKinds } from "./served-kinds.ts";

const resource = (plural: string): object => ({
  resource: plural,
  responseKind: { kind: plural },
  scope: "Namespaced",
  verbs: ["list"],
});
const document = (...plurals: string[]): object => ({
  items:
    plurals.length === 0 ? [] : [{ metadata: {}, versions: [{ version: "v1", resources: plurals.map(resource) }] }],
});

let kinds: ServedKinds | undefined;
afterEach(() => kinds?.stop());

function setUp() {
  const server = new FakeServer();
  const clock = new ManualClock();
  const failures: string[] = [];
  const client = new Client(server.transport, { userAgent: "test", clock });
  const found = new ServedKinds({
    client,
    clock,
    random: seededRandom(1),
    failed: (error) => failures.push(String(error)),
  });
  kinds = found;
  let tag = 0;
  /** Responds to the next read: with these core kinds, or unchanged. */
  const answer = async (...plurals: string[]): Promise<void> => {
    for (const path of ["/api", "/apis"]) {
      const call = await server.next();
      expect(call.path).toBe(path);
      if (path === "/apis" || plurals[0] === "nothing new") call.text("", 304);
      else call.json(document(...plurals), 200, { etag: `"${++tag}"` });
    }
    for (let i = 0; i < 10; i++) await settle();
  };
  /** Moves the clock to the next request, and returns the milliseconds. */
  const waited = async (): Promise<number> => {
    const before = clock.steady();
    while (server.waiting === 0) {
      clock.advance(100);
      await settle();
    }
    return clock.steady() - before;
  };
  return { server, clock, failures, kinds: found, answer, waited };
}

test("discovery is not requested while no listener or caller waits", async () => {
  const { server, clock, answer, waited, kinds: all } = setUp();
  clock.advance(3_600_000);
  expect(server.waiting).toBe(0);
  const heard: number[] = [];
  const listening = all.on((now) => heard.push(now.length));
  await answer("pods");
  expect(heard).toEqual([1]);
  await waited();
  await answer("pods", "configmaps");
  expect(heard).toEqual([1, 2]);
  listening[Symbol.dispose]();
  clock.advance(3_600_000);
  for (let i = 0; i < 10; i++) await settle();
  // The request that was open when the listener was removed.
  expect(server.waiting).toBeLessThanOrEqual(2);
  clock.advance(3_600_000);
  expect(server.waiting).toBeLessThanOrEqual(2);
});

test("a thousand who wait for a kind are one reading after 1 s, then later and later, up to 30 s; when it comes all wake", async () => {
  const { answer, waited, kinds: all } = setUp();
  let woken = 0;
  const { signal } = new AbortController();
  const waiting = Array.from({ length: 1000 }, () => all.comes(ConfigMap, signal).then(() => woken++));
  await answer("pods");
  await answer("nothing new");
  const waits: number[] = [];
  for (let n = 0; n < 8; n++) {
    waits.push(await waited());
    await answer("nothing new");
  }
  expect(waits[0]).toBeLessThanOrEqual(1000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
  expect(waits.at(-1)).toBeGreaterThanOrEqual(15_000);
  expect(woken).toBe(0);
  await waited();
  await answer("pods", "configmaps");
  await Promise.all(waiting);
  expect(woken).toBe(1000);
});

test("callers during a read of discovery get the state after their call; all of them share one read", async () => {
  const { server, answer, kinds: all } = setUp();
  const first = all.serves(ConfigMap);
  await settle();
  const second = [all.serves(ConfigMap), all.serves(ConfigMap)];
  await answer("pods");
  expect(await first).toBe(false);
  await answer("pods", "configmaps");
  expect(await Promise.all(second)).toEqual([true, true]);
  expect(server.calls).toHaveLength(4);
});

test("a read that fails is reported, and repeated later; one without a response within a minute fails", async () => {
  const { server, clock, failures, waited, answer, kinds: all } = setUp();
  const heard: number[] = [];
  all.on((now) => heard.push(now.length));
  (await server.next()).refuse(500, "InternalError");
  (await server.next()).text("", 304);
  for (let i = 0; i < 10; i++) await settle();
  expect(failures).toHaveLength(1);
  await waited();
  await server.next();
  await server.next();
  clock.advance(60_000);
  for (let i = 0; i < 10; i++) await settle();
  expect(failures[1]).toContain("discovery got no response within 60000 ms");
  await waited();
  await answer("pods");
  expect(heard).toEqual([1]);
});

test("a listener that throws is reported, and stops no other", async () => {
  const { failures, answer, kinds: all } = setUp();
  const heard: number[] = [];
  all.on(() => {
    throw new Error("I cannot bear this");
  });
  all.on((now) => heard.push(now.length));
  await answer("pods");
  expect([heard, failures]).toEqual([[1], ["Error: I cannot bear this"]]);
});
