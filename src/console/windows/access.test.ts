import { describe, expect, test } from "vitest";
import { Refused } from "../../fairness/index.ts";
import { Seats, type SeatServer } from "./access.ts";

const LIST = { group: "", version: "v1", resource: "configmaps" };
const KIM = { user: "kim", groups: [] };
const all = { list: LIST, limit: 0, signal: new AbortController().signal };
const registry = { find: () => undefined };
const limits = { requestMillis: 60_000 } as SeatServer["limits"];

/** A server with one seat, which is given by `give`. */
function seated(waiting: Promise<void> | undefined) {
  const calls: string[] = [];
  const ticket = {
    waiting: waiting && { promise: waiting },
    end: () => calls.push("end"),
    cancel: () => calls.push("cancel"),
  };
  const fairness = { classify: () => ({}), enter: () => (calls.push("enter"), ticket) };
  return { calls, seats: new Seats({ fairness, limits, registry } as unknown as SeatServer) };
}

describe("a server with seats", () => {
  test("gives one for the work, and takes it back whatever becomes of it", async () => {
    const { calls, seats } = seated(undefined);
    await seats.run(KIM, all, async () => void calls.push("work"));
    expect(calls).toEqual(["enter", "work", "end"]);
    await expect(seats.run(KIM, all, () => Promise.reject(new Error("no rows")))).rejects.toThrow("no rows");
    expect(calls.slice(3)).toEqual(["enter", "end"]);
  });

  test("has no rights to revoke from users that it refuses", async () => {
    const { calls, seats } = seated(Promise.reject(new Refused("time-out", 1)));
    const work = seats.run(KIM, all, async () => void calls.push("work"));
    await expect(work).rejects.toMatchObject({ code: 429, reason: "TooManyRequests" });
    expect(calls).toEqual(["enter"]);
  });

  test("takes it back from those who have gone while they waited", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { calls, seats } = seated(promise);
    const gone = new AbortController();
    const work = seats.run(KIM, { ...all, signal: gone.signal }, async () => void calls.push("work"));
    gone.abort(new Error("the window shows another list"));
    resolve();
    await expect(work).rejects.toThrow("the window shows another list");
    expect(calls).toEqual(["enter", "cancel", "end"]);
  });
});

describe("a server without seats", () => {
  test("begins a few lists at once; those that are read where they stand do not wait", async () => {
    const seats = new Seats({ fairness: undefined, limits, registry });
    const ends: (() => void)[] = [];
    const build = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const gone = new AbortController();
    const users = ["a", "b", "c", "d", "e"].map((user) => ({ user, groups: [] }));
    const builds = [...users, ...users].map((user) => seats.run(user, all, build));
    const late = seats.run(KIM, { ...all, signal: gone.signal }, build);
    await Promise.resolve();
    expect(ends).toHaveLength(4);
    let isRead = false;
    await seats.run(KIM, { ...all, limit: 50 }, async () => void (isRead = true));
    expect(isRead).toBe(true);
    gone.abort(new Error("the window was closed"));
    await expect(late).rejects.toThrow("the window was closed");
    for (let i = 0; i < 10; i++) {
      ends[i]!();
      await builds[i];
    }
    expect(ends).toHaveLength(10);
  });

  test("begins those of a user after each other, and those of another user beside them", async () => {
    const seats = new Seats({ fairness: undefined, limits, registry });
    const begun: string[] = [];
    const build = (user: string) => seats.run({ user, groups: [] }, all, () => new Promise(() => begun.push(user)));
    for (let i = 0; i < 100; i++) void build("eve");
    void build("kim");
    await Promise.resolve();
    expect(begun).toEqual(["eve", "eve", "kim"]);
  });
});
