import { afterEach, describe, expect, test } from "vitest";
import type { Connection } from "../../auth/contract.ts";
import { ManualClock, systemClock } from "../../util/clock.ts";
import { nextPass } from "../../util/testing/pass.ts";
import { decodeLargeYaml } from "../body/large-yaml.ts";
import { ThreadPool } from "./pool.ts";

const connection = (address: string): Connection => ({ certificate: undefined, address, encrypted: true });
const [ours, theirs] = [connection("a"), connection("b")];

/** YAML that takes some tens of milliseconds for each step, and what comes of it. */
const slow = (steps = 1): Buffer => Buffer.from(`text:\n${"- {a: b, c: d}\n".repeat(3000 * steps)}`);
const quick = Buffer.from("a: b\n");

describe("threads for large YAML", () => {
  const clock = new ManualClock();
  const pools: ThreadPool[] = [];
  const open = (threads: number): ThreadPool => {
    // As on a machine with nothing else to do.
    const pool = new ThreadPool(clock, threads, () => Promise.resolve(clock.now()));
    pools.push(pool);
    return pool;
  };
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  /** Lets time pass, and what follows from it happen. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await nextPass();
  }

  /** Names in the order in which their documents are done. */
  async function order(documents: readonly (readonly [name: string, Promise<unknown>])[]): Promise<string[]> {
    const done: string[] = [];
    await Promise.all(documents.map(([name, document]) => document.then(() => done.push(name))));
    return done;
  }

  test("connections take turns: who sends one document waits for one of another's, not for all", async () => {
    const pool = open(1);
    const many = Array.from(
      { length: 6 },
      (_, i) => [`theirs ${i}`, decodeLargeYaml({ threads: pool, clock: systemClock }, slow(), {}, theirs)] as const,
    );
    const done = await order([
      ...many,
      ["ours", decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours)],
    ]);
    expect([done.indexOf("ours") <= 2, pool.threads]).toEqual([true, 1]);
  });

  test("no connection has all threads where there are two", async () => {
    const pool = open(2);
    const long = decodeLargeYaml({ threads: pool, clock: systemClock }, slow(10), {}, theirs);
    const next = decodeLargeYaml({ threads: pool, clock: systemClock }, slow(10), {}, theirs);
    expect(pool.threads).toBe(1);
    const done = await order([
      ["long", long],
      ["next", next],
      ["ours", decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours)],
    ]);
    expect([done, pool.threads]).toEqual([["ours", "long", "next"], 2]);
  });

  test("too many documents of one connection are refused, those of another one are taken", async () => {
    const pool = open(1);
    const all = Array.from({ length: 40 }, () =>
      decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, theirs),
    );
    const one = decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours);
    const settled = await Promise.allSettled(all);
    const refused = settled.filter(({ status }) => status === "rejected");
    expect(refused.length).toBe(40 - 33);
    expect(refused[0]).toMatchObject({ reason: { reason: "TooManyRequests" } });
    await one;
  });

  test("a document that is not begun within half a minute is refused, one that is not done within ten seconds, too", async () => {
    const pool = open(1);
    const [first, second] = [
      decodeLargeYaml({ threads: pool, clock: systemClock }, slow(200), {}, theirs),
      decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, theirs),
    ];
    const ended = Promise.allSettled([first]);
    await pass(10_000);
    expect(await ended).toMatchObject([{ reason: { reason: "BadRequest" } }]);
    expect((await second).value).toEqual({ a: "b" });
    // Each has the thread for ten seconds; the last one does not get it in time.
    const busy = Array.from({ length: 5 }, () =>
      decodeLargeYaml({ threads: pool, clock: systemClock }, slow(200), {}, theirs),
    );
    const ends = Promise.allSettled(busy);
    for (let i = 0; i < 3; i++) await pass(10_000);
    await pool.close();
    expect((await ends).map((end) => (end as { reason?: { reason?: string } }).reason?.reason)).toEqual([
      ...Array.from({ length: 3 }, () => "BadRequest"),
      expect.stringMatching("TooManyRequests|ServiceUnavailable"),
      "TooManyRequests",
    ]);
  });

  test("a document that waits for the CPU of a busy machine is not refused after ten seconds, but after a minute", async () => {
    const pool = new ThreadPool(clock, 1, () => Promise.resolve(0));
    pools.push(pool);
    const document = decodeLargeYaml({ threads: pool, clock: systemClock }, slow(200), {}, ours);
    const ended = Promise.allSettled([document]);
    for (let i = 0; i < 5; i++) await pass(10_000);
    const isOver = await Promise.race([ended.then(() => true), nextPass().then(() => false)]);
    expect(isOver).toBe(false);
    await pass(10_000);
    expect(await ended).toMatchObject([{ reason: { reason: "BadRequest" } }]);
  });

  test("a thread that has nothing to do ends, and another one begins with the next document", async () => {
    const pool = open(2);
    await decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours);
    expect(pool.threads).toBe(1);
    clock.advance(30_000);
    expect(pool.threads).toBe(0);
    expect((await decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours)).value).toEqual({ a: "b" });
  });

  test("closing refuses what waits and what is under way", async () => {
    const pool = open(1);
    const left = [
      decodeLargeYaml({ threads: pool, clock: systemClock }, slow(50), {}, ours),
      decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours),
    ];
    const ended = Promise.allSettled(left);
    await pool.close();
    for (const end of await ended) expect(end).toMatchObject({ reason: { reason: "ServiceUnavailable" } });
    await expect(decodeLargeYaml({ threads: pool, clock: systemClock }, quick, {}, ours)).rejects.toMatchObject({
      reason: "ServiceUnavailable",
    });
  });
});
