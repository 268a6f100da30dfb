/** StatefulSets and DaemonSets against models, under random histories; and killed after each of their writes. */
import { describe, expect, test } from "vitest";
import { amount } from "../../src/util/testing/amount.ts";
import { killDaemons, playDaemons } from "./model/daemons.ts";
import { killOrderedSet, playOrderedSet } from "./model/ordered-set.ts";

const COUNT = amount("HISTORIES", 300, 5000);
const FIRST = Number(process.env["SEED"]) * 100_000;

describe("StatefulSets", () => {
  test(
    `WL-STS-2, WL-STS-7, WL-STS-8, WL-STS-9: in ${COUNT} histories nothing is out of order, and partition and maxUnavailable hold`,
    { timeout: 60_000 + COUNT * 100 },
    async () => {
      for (let i = 0; i < COUNT; i++) expect(await playOrderedSet(FIRST + i)).toEqual([]);
    },
  );

  test.each(["OrderedReady", "Parallel"])("%s: killed after any write it ends as without", async (policy) => {
    const whole = await killOrderedSet(policy, Infinity);
    expect(whole.faults).toEqual([]);
    expect(whole.writes).toBeGreaterThan(50);
    for (let killedAfter = 0; killedAfter < whole.writes; killedAfter++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const killed = await killOrderedSet(policy, killedAfter);
      expect(killed.faults).toEqual([]);
      expect(killed.end).toEqual(whole.end);
    }
  });
});

describe("DaemonSets", () => {
  test(
    `WL-DS-6, WL-DS-8, WL-DS-9, WL-DS-10: in ${COUNT} histories no node has too many Pods, and no more are unavailable than permitted`,
    { timeout: 60_000 + COUNT * 100 },
    async () => {
      for (let i = 0; i < COUNT; i++) expect(await playDaemons(FIRST + i)).toEqual([]);
    },
  );

  test.each([0, 1])("maxSurge %d: killed after any write it ends as without", async (maxSurge) => {
    const whole = await killDaemons(maxSurge, Infinity);
    expect(whole.faults).toEqual([]);
    expect(whole.writes).toBeGreaterThan(40);
    for (let killedAfter = 0; killedAfter < whole.writes; killedAfter++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const killed = await killDaemons(maxSurge, killedAfter);
      expect(killed.faults).toEqual([]);
      expect(killed.end).toEqual(whole.end);
    }
  });
});
