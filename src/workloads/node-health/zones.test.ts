import { describe, expect, test } from "vitest";
import { nextTtlStep, ttlSecondsOf } from "./ttl.ts";
import { changedRate, decideZones, intervalOf, zoneOf, zoneStateOf } from "./zones.ts";

const count = (ready: number, notReady: number) => ({ ready, notReady });

describe("the state of a zone", () => {
  test.each([
    [count(1, 0), "normal"],
    [count(0, 1), "full"],
    [count(1, 2), "normal"],
    [count(3, 3), "normal"],
    [count(2, 3), "partial"],
    [count(45, 55), "partial"],
    [count(46, 54), "normal"],
  ] as const)("%j is %s", (counted, state) => expect(zoneStateOf(counted)).toBe(state));

  test("gives the time between two taints: none in a small zone that is lost in part, 100 seconds in a large one", () => {
    expect(intervalOf("partial", count(20, 30))).toBe(Infinity);
    expect(intervalOf("partial", count(20, 31))).toBe(100_000);
    expect([intervalOf("normal", count(9, 1)), intervalOf("full", count(0, 9))]).toEqual([10_000, 10_000]);
  });
});

describe("a look at all zones", () => {
  const decide = (before: Record<string, "none" | "normal" | "full">, counts: Record<string, [number, number]>) => {
    const counted = Object.entries(counts).map(([zone, [ready, notReady]]) => [zone, count(ready, notReady)] as const);
    const { is, allLost } = decideZones(new Map(Object.entries(before)), new Map(counted));
    return `${is} ${allLost}`;
  };
  test("stops when the last ready node is lost, and resumes with the first", () => {
    expect(decide({ a: "normal", b: "full" }, { a: [0, 2], b: [0, 1] })).toBe("stops true");
    expect(decide({ a: "full", b: "full" }, { a: [0, 2], b: [0, 1] })).toBe("goes on true");
    expect(decide({ a: "full", b: "full" }, { a: [1, 1], b: [0, 1] })).toBe("resumes false");
    expect(decide({ a: "none" }, { a: [0, 1] })).toBe("stops true");
    expect(decide({ a: "full" }, {})).toBe("goes on false");
  });
});

test("a zone that waits waits one interval of its new rate", () => {
  expect(changedRate({ interval: 10, next: 105 }, 100, 100)).toEqual({ interval: 100, next: 200 });
  expect(changedRate({ interval: 10, next: 95 }, 100, 100)).toEqual({ interval: 100, next: 100 });
  expect(changedRate({ interval: 10, next: 95 }, Infinity, 100)).toEqual({ interval: Infinity, next: Infinity });
  expect(changedRate({ interval: Infinity, next: Infinity }, 10, 100)).toEqual({ interval: 10, next: 110 });
});

test("a zone is identified by region and zone", () => {
  const of = (labels?: object) => zoneOf({ metadata: { name: "n", ...(labels ? { labels } : {}) } } as never);
  expect(of()).toBe("");
  expect(of({ "topology.kubernetes.io/zone": "z" })).not.toBe(of({ "topology.kubernetes.io/region": "z" }));
});

test("WL-NODE-1: the annotation by the number of nodes, and back", () => {
  const up = [100, 101, 500, 501, 1000, 1001, 2000, 2001].map((nodes) => ttlSecondsOf(nextTtlStep(0, nodes)));
  expect(up).toEqual([0, 15, 15, 30, 30, 60, 60, 300]);
  const down = [1800, 1799, 900, 899, 450, 449, 90, 89];
  expect(down.map((nodes) => ttlSecondsOf(nextTtlStep(4, nodes)))).toEqual([300, 60, 60, 30, 30, 15, 15, 0]);
});
