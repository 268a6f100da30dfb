import { describe, expect, test } from "vitest";
import { type SignedOutSessions, isSignedOut, withSignedOut } from "./signed-out.ts";

const HOUR = 3_600_000;
const session = (id: string, user = "u", begun = 0) => ({ id, user, begun, ends: begun + 12 * HOUR });
const all = (count: number, userOf: (i: number) => string, now: number): SignedOutSessions => {
  let sessions: SignedOutSessions = {};
  for (let i = 0; i < count; i++) sessions = withSignedOut(sessions, session(`s${i}`, userOf(i), now - 1), now);
  return sessions;
};

describe("sessions that were signed out", () => {
  test("are those that were named, of that user", () => {
    const sessions = withSignedOut({}, session("a"), 1);
    expect(isSignedOut(sessions, session("a"))).toBe(true);
    expect(isSignedOut(sessions, session("b"))).toBe(false);
    expect(isSignedOut(sessions, session("a", "other"))).toBe(false);
  });

  test("are forgotten when they have ended anyway", () => {
    const sessions = withSignedOut(withSignedOut({}, session("a"), 1), session("b", "v", 13 * HOUR), 13 * HOUR);
    expect(Object.keys(sessions)).toEqual(["v"]);
  });

  test("stay signed out, however often a user signs out; a session that begins later counts", () => {
    const now = 5 * HOUR;
    const sessions = all(100, () => "u", now);
    for (let i = 0; i < 100; i++) expect(isSignedOut(sessions, session(`s${i}`, "u", now - 1))).toBe(true);
    expect(isSignedOut(sessions, session("new", "u", now + 1))).toBe(false);
    expect(isSignedOut(sessions, session("new", "v", now - 1))).toBe(false);
    expect(JSON.stringify(sessions).length).toBeLessThan(2000);
  });

  const userOf = (i: number): string => `u${i}`.padEnd(22, "-");
  const idOf = (i: number, at: number): string => `s${i}-${at}`.padEnd(43, "-");
  /** So many users, each of whom has signed out of `each` sessions. */
  const signedOut = (users: number, each: number, now: number): SignedOutSessions => {
    const until = now + 12 * HOUR;
    const idsOf = (i: number) => Object.fromEntries(Array.from({ length: each }, (_, at) => [idOf(i, at), until]));
    return Object.fromEntries(
      Array.from({ length: users }, (_, i) => [userOf(i), JSON.stringify({ ids: idsOf(i), before: -1, until })]),
    );
  };
  const lengthOf = (sessions: SignedOutSessions): number => JSON.stringify(sessions).length;

  test("of two hundred users who sign out end no session of others", () => {
    const now = 5 * HOUR;
    const sessions = all(300, (i) => `u${i}`, now);
    for (let i = 0; i < 300; i++) expect(isSignedOut(sessions, session(`s${i}`, `u${i}`, now - 1))).toBe(true);
    expect(isSignedOut(sessions, session("another", "u1", now - 1))).toBe(false);
    expect(isSignedOut(sessions, session("another", "v", now - 1))).toBe(false);
  });

  test("stay signed out where all texts are too long: the longest ones are shortened, and no other user is signed out", () => {
    const now = 5 * HOUR;
    const many = { ...signedOut(1000, 16, now), ...all(1, () => "short", now) };
    expect(lengthOf(many)).toBeGreaterThan(512 << 10);
    const sessions = withSignedOut(many, session("last", "v", now - 1), now);
    expect(lengthOf(sessions)).toBeLessThan(550 << 10);
    for (let i = 0; i < 1000; i++) expect(isSignedOut(sessions, session(idOf(i, 3), userOf(i), now - 1))).toBe(true);
    // Nor are those signed out again whose text is short already.
    const again = withSignedOut(sessions, session("last", "v", now), now + HOUR);
    expect(isSignedOut(again, session("new", userOf(0), now + 1))).toBe(false);
    expect(isSignedOut(sessions, session("s0", "short", now - 1))).toBe(true);
    expect(isSignedOut(sessions, session("last", "v", now - 1))).toBe(true);
    for (const user of ["short", "v", "w"])
      expect(isSignedOut(sessions, session("another", user, now - 1))).toBe(false);
  });

  test("stay signed out, however many users sign out", () => {
    const now = 5 * HOUR;
    const sessions = withSignedOut(signedOut(10_000, 1, now), session("last", "v", now - 1), now);
    for (let i = 0; i < 10_000; i += 7) expect(isSignedOut(sessions, session(`${i}-s0`, `u${i}`, now - 1))).toBe(true);
    expect(isSignedOut(sessions, session("last", "v", now - 1))).toBe(true);
    expect(isSignedOut(sessions, session("new", "u1", now + 1))).toBe(false);
    expect(Object.keys(sessions)).toEqual(["everybody"]);
  });

  test("are not read from a text that is longer than ours", () => {
    const ids = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`s${i}`, 9 * HOUR]));
    expect(isSignedOut({ u: JSON.stringify({ ids, before: -1, until: 9 * HOUR }) }, session("s1"))).toBe(false);
    let own: SignedOutSessions = {};
    for (let i = 0; i < 32; i++) own = withSignedOut(own, session(`${i}`.padStart(32, "s")), HOUR);
    expect(Object.keys((JSON.parse(own["u"]!) as { ids: object }).ids)).toHaveLength(32);
    expect(own["u"]!.length).toBeLessThan(4096);
  });

  test.each(["", "{", "[]", "null", '{"ids":1}', '{"ids":{},"before":"x","until":1}'])(
    "are none where the object has %j",
    (text) => {
      expect(isSignedOut({ u: text }, session("a"))).toBe(false);
      expect(isSignedOut(withSignedOut({ u: text }, session("a"), 1), session("a"))).toBe(true);
    },
  );
});
