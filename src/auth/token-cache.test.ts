import { expect, test } from "vitest";
import { ManualClock, seededRandom } from "../util/clock.ts";
import type { Connection, TokenOwner } from "./contract.ts";
import { TokenCache } from "./token-cache.ts";

const connection = (): Connection => ({ certificate: undefined, address: "", encrypted: true });

function cache(identify: (token: string) => TokenOwner | undefined | Promise<TokenOwner | undefined>) {
  const clock = new ManualClock(0);
  const calls: string[] = [];
  const cached = new TokenCache({ clock, random: seededRandom(1) }, (token) => {
    calls.push(token);
    return identify(token);
  });
  return { clock, calls, cached };
}

const ownerOf = (user: string, more: Partial<TokenOwner> = {}): TokenOwner => ({
  identity: { user, groups: [] },
  audiences: [],
  ...more,
});

test("AUTHN-10: an accepted token is cached for ten seconds, for all connections", () => {
  const { clock, calls, cached } = cache(ownerOf);
  const first = connection();
  for (const on of [first, first, connection()]) {
    expect(cached.ownerOf("a", on)).toEqual({ user: "a", groups: ["system:authenticated"] });
  }
  expect(calls).toEqual(["a"]);
  clock.advance(9_999);
  void cached.ownerOf("a", first);
  expect(calls).toEqual(["a"]);
  clock.advance(1);
  void cached.ownerOf("a", first);
  expect(calls).toEqual(["a", "a"]);
});

test("AUTHN-10: a refused token is authenticated each time, also on a connection that sent another one before", () => {
  const { calls, cached } = cache((token) => (token === "good" ? ownerOf("u") : undefined));
  const on = connection();
  expect(cached.ownerOf("good", on)).toMatchObject({ user: "u" });
  expect(cached.ownerOf("bad", on)).toBeUndefined();
  expect(cached.ownerOf("bad", on)).toBeUndefined();
  expect(cached.ownerOf("good", on)).toMatchObject({ user: "u" });
  expect(calls).toEqual(["good", "bad", "bad"]);
});

test("a token that is not valid any more is authenticated again at once", () => {
  let there = true;
  const { cached } = cache(() => (there ? ownerOf("u", { isValid: () => there }) : undefined));
  const on = connection();
  expect(cached.ownerOf("t", on)).toMatchObject({ user: "u" });
  there = false;
  expect(cached.ownerOf("t", on)).toBeUndefined();
  expect(cached.ownerOf("t", connection())).toBeUndefined();
});

test("requests with one token at the same time share one authentication; a failure is not cached", async () => {
  let fails = true;
  const { calls, cached } = cache(async (token) => {
    await Promise.resolve();
    if (fails) throw new Error("down");
    return ownerOf(token);
  });
  const both = [cached.ownerOf("t", connection()), cached.ownerOf("t", connection())];
  for (const one of both) await expect(one).rejects.toThrow("down");
  expect(calls).toHaveLength(1);
  fails = false;
  expect(await cached.ownerOf("t", connection())).toMatchObject({ user: "t" });
});

test("at most ten thousand owners are cached, and expired ones are removed", () => {
  const { clock, calls, cached } = cache(ownerOf);
  for (let i = 0; i < 10_050; i++) void cached.ownerOf(`t${i}`, connection());
  expect(cached.size).toBe(10_000);
  void cached.ownerOf("t10049", connection());
  expect(calls).toHaveLength(10_050);
  void cached.ownerOf("t0", connection());
  expect(calls).toHaveLength(10_051);
  clock.advance(10_000);
  void cached.ownerOf("t1", connection());
  expect(cached.size).toBe(1);
});
