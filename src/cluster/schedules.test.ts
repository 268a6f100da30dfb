import { expect, test } from "vitest";
import { ConfigMap } from "../client/kinds/index.ts";
import { kubernetes } from "../meta/dialect.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Choose, ManualLoop } from "../util/testing/manual-loop.ts";
import { createCluster } from "./index.ts";

/** The order in which three requests that came together were stored, where `choose` decides what runs next. */
async function orderBy(choose: Choose): Promise<string> {
  const loop = new ManualLoop();
  const clock = new ManualClock(undefined, 0, loop);
  const parts = { store: await openMemoryStore(), dialect: kubernetes, clock, random: seededRandom(1) };
  const first: Choose = () => 0;
  await using cluster = await loop.runUntil(createCluster(parts), first);
  const maps = cluster.client("test").resource(ConfigMap);
  const creates = ["a", "b", "c"].map((name) => maps.create({ metadata: { namespace: "default", name } }));
  const created = await loop.runUntil(Promise.all(creates), choose);
  const versionOf = (at: number): number => Number(created[at]!.metadata.resourceVersion);
  const order = [0, 1, 2].toSorted((one, other) => versionOf(one) - versionOf(other));
  await loop.runUntil(cluster.close(0), first);
  return order.map((at) => "abc"[at]).join("");
}

test("a test decides which request runs next", async () => {
  expect(await orderBy(() => 0)).toBe("abc");
  expect(await orderBy((waiting) => waiting.length - 1)).toBe("cba");
});

test("the same choices give the same order, and other choices others", async () => {
  const seeded = (seed: number): Promise<string> => {
    const random = seededRandom(seed);
    return orderBy((waiting) => Math.floor(random.next() * waiting.length));
  };
  const orders = await Promise.all([1, 1, 2, 3, 4, 5].map(seeded));
  expect(orders[0]).toBe(orders[1]);
  expect(new Set(orders).size).toBeGreaterThan(2);
});
