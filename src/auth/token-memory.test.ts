import { expect, test } from "vitest";
import { ManualClock, seededRandom } from "../util/clock.ts";
import type { Connection, TokenOwner } from "./contract.ts";
import { TokenMemory } from "./token-memory.ts";

const connection = (): Connection => ({ certificate: undefined, address: "", encrypted: true });

function memory(identify: (token: string) => TokenOwner | undefined | Promise<TokenOwner | undefined>) {
  const clock = new ManualClock(0);
  const asked: string[] = [];
  const made = new TokenMemory({ clock, random: seededRandom(1) }, (token) => {
    asked.push(token);
    return identify(token);
  });
  return { clock, asked, made };
}

const ownerOf = (user: string, more: Partial<TokenOwner> = {}): TokenOwner => ({
  identity: { user, groups: [] },
  audiences: [],
  ...more,
});

test("AUTHN-10: a token that was found good is not asked about again for ten seconds, on any connection", () => {
  const { clock, asked, made } = memory(ownerOf);
  const first = connection();
  for (const on of [first, first, connection()]) {
    expect(made.ownerOf("a", on)).toEqual({ user: "a", groups: ["system:authenticated"] });
  }
  expect(asked).toEqual(["a"]);
  clock.advance(9_999);
  void made.ownerOf("a", first);
  expect(asked).toEqual(["a"]);
  clock.advance(1);
  void made.ownerOf("a", first);
  expect(asked).toEqual(["a", "a"]);
});

test("AUTHN-10: a token that is refused is asked about each time, and so is one on a connection that showed another", () => {
  const { asked, made } = memory((token) => (token === "good" ? ownerOf("u") : undefined));
  const on = connection();
  expect(made.ownerOf("good", on)).toMatchObject({ user: "u" });
  expect(made.ownerOf("bad", on)).toBeUndefined();
  expect(made.ownerOf("bad", on)).toBeUndefined();
  expect(made.ownerOf("good", on)).toMatchObject({ user: "u" });
  expect(asked).toEqual(["good", "bad", "bad"]);
});

test("a token that does not hold any more is asked about again at once", () => {
  let there = true;
  const { made } = memory(() => (there ? ownerOf("u", { holds: () => there }) : undefined));
  const on = connection();
  expect(made.ownerOf("t", on)).toMatchObject({ user: "u" });
  there = false;
  expect(made.ownerOf("t", on)).toBeUndefined();
  expect(made.ownerOf("t", connection())).toBeUndefined();
});

test("those who show a token at the same time wait for one answer; a failure is everybody's, and forgotten", async () => {
  let fails = true;
  const { asked, made } = memory(async (token) => {
    await Promise.resolve();
    if (fails) throw new Error("down");
    return ownerOf(token);
  });
  const both = [made.ownerOf("t", connection()), made.ownerOf("t", connection())];
  for (const one of both) await expect(one).rejects.toThrow("down");
  expect(asked).toHaveLength(1);
  fails = false;
  expect(await made.ownerOf("t", connection())).toMatchObject({ user: "t" });
});

test("no more than ten thousand are remembered, and those whose time is over go", () => {
  const { clock, asked, made } = memory(ownerOf);
  for (let i = 0; i < 10_050; i++) void made.ownerOf(`t${i}`, connection());
  expect(made.size).toBe(10_000);
  void made.ownerOf("t10049", connection());
  expect(asked).toHaveLength(10_050);
  void made.ownerOf("t0", connection());
  expect(asked).toHaveLength(10_051);
  clock.advance(10_000);
  void made.ownerOf("t1", connection());
  expect(made.size).toBe(1);
});
