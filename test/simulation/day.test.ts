import { describe, expect, test } from "vitest";
import { Pod } from "../../src/client/kinds/index.ts";
import type { Cluster } from "../../src/testing/index.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { beginDay, everything, playHours } from "./day.ts";

/** The usual run plays a third of the day. */
const HOURS = amount("DAY_HOURS", 8, 24);
const MIDDLE = HOURS / 2;

/** Where two clusters differ: keys with what either has. */
function differences(one: Cluster, other: Cluster): readonly object[] {
  const [a, b] = [everything(one), everything(other)];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
  return keys.map((key) => ({ key, one: a[key], other: b[key] }));
}

/** What happened, without what is drawn by chance: the objects by kind and phase. */
async function summary(cluster: Cluster): Promise<readonly string[]> {
  const { items } = await cluster.client().resource(Pod).list();
  return items.map(({ metadata, status }) => `${metadata.labels?.["app"] ?? "job"} ${status.phase}`).toSorted();
}

describe("a day of a cluster", { timeout: 240_000 }, () => {
  test("the same seed gives the same day, byte for byte; so does a fork that goes on from its middle", async () => {
    await using one = await beginDay();
    await playHours(one, 0, MIDDLE);
    await one.clock.advance("431s");
    await using fork = one.fork();
    await fork.settled();
    await playHours(one, MIDDLE, HOURS);
    await playHours(fork, MIDDLE, HOURS);
    expect(Object.keys(everything(one)).length).toBeGreaterThan(80);
    expect(differences(one, fork)).toEqual([]);

    await using again = await beginDay();
    await playHours(again, 0, MIDDLE);
    await again.clock.advance("431s");
    await playHours(again, MIDDLE, HOURS);
    expect(differences(one, again)).toEqual([]);
  });

  test("another seed has other names, and another chance of scripts, but the same workloads", async () => {
    await using one = await beginDay(1);
    await using other = await beginDay(2);
    for (const cluster of [one, other]) await cluster.clock.advance("5m");
    expect(differences(one, other)).not.toEqual([]);
    const running = async (cluster: Cluster) => (await summary(cluster)).filter((line) => !line.startsWith("job"));
    expect(await running(one)).toEqual(await running(other));
    const names = async (cluster: Cluster) =>
      (await cluster.client().resource(Pod).list({ labelSelector: "app=web" })).items.map(
        ({ metadata }) => metadata.uid,
      );
    const [ours, theirs] = [await names(one), await names(other)];
    expect(ours.filter((uid) => theirs.includes(uid))).toEqual([]);
  });

  test("what a test only reads changes nothing", async () => {
    await using one = await beginDay();
    await one.clock.advance("10m");
    await using looked = one.fork();
    await looked.settled();
    for (let i = 0; i < 60; i++) {
      await one.clock.advance("1m");
      await looked.clock.advance("1m");
      await looked.client().resource(Pod).list();
    }
    expect(differences(one, looked)).toEqual([]);
  });

  test("one advance over hours does what many small ones do", async () => {
    const hours = MIDDLE;
    await using whole = await beginDay();
    await whole.clock.advance("10m");
    await using byHours = whole.fork();
    await using byMinutes = whole.fork();
    for (const fork of [byHours, byMinutes]) await fork.settled();
    await whole.clock.advance(`${hours}h`);
    for (let i = 0; i < hours; i++) await byHours.clock.advance("1h");
    for (let i = 0; i < hours * 60; i++) await byMinutes.clock.advance("1m");
    expect(differences(whole, byHours)).toEqual([]);
    expect(differences(whole, byMinutes)).toEqual([]);
  });
});
