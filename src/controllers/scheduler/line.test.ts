import { beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import { ManualClock } from "../../util/clock.ts";
import { Line } from "./line.ts";

let clock: ManualClock;
let line: Line;
let calls: number;
beforeEach(() => {
  clock = new ManualClock();
  calls = 0;
  line = new Line(clock, () => calls++);
});

const pod = (priority = 0, creationTimestamp = "2026-01-01T00:00:00Z", status: object = {}): Pod =>
  ({ metadata: { creationTimestamp }, spec: { priority }, status }) as unknown as Pod;
const takeAll = (): string[] => {
  const taken: string[] = [];
  for (let key = line.take(); key !== undefined; key = line.take()) taken.push(key);
  return taken;
};
/** A pod that is parked and heeds something. */
const parked = (key: string, ...heeds: string[]): void => {
  line.add(key, pod());
  line.take();
  line.park(key, heeds, line.changes);
};

describe("whose turn it is", () => {
  test("the most important first, then the oldest", () => {
    line.add("young", pod(5, "2026-01-02T00:00:00Z"));
    line.add("low", pod(1));
    line.add("old", pod(5));
    expect(takeAll()).toEqual(["old", "young", "low"]);
    expect(calls).toBe(3);
  });

  test("who is there already is not added again, and who was dropped is gone", () => {
    line.add("a", pod());
    line.add("a", pod());
    line.add("b", pod());
    line.drop("b");
    expect(takeAll()).toEqual(["a"]);
    expect(line.isTaken("a")).toBe(true);
  });
});

describe("SCHED-4: who waits", () => {
  test("is called by what it heeds, once its pause is over, and by nothing else", () => {
    parked("a", "nodes", "claim default/c");
    clock.advance(1000);
    line.tell("volume v");
    expect(takeAll()).toEqual([]);
    line.tell("nodes");
    expect(takeAll()).toEqual(["a"]);
  });

  test("pauses for longer after each failure, up to some seconds", () => {
    line.add("a", pod());
    const pauses: number[] = [];
    for (let i = 0; i < 5; i++) {
      line.take();
      line.park("a", ["nodes"], line.changes);
      line.tell("nodes");
      const began = clock.steady();
      while (!line.isTaken("a")) {
        clock.advance(100);
        line.take();
      }
      pauses.push(clock.steady() - began);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 4000, 4000]);
  });

  test("misses nothing that has changed since it was taken", () => {
    line.add("a", pod());
    line.take();
    const { changes } = line;
    line.tell("nodes");
    line.park("a", ["nodes"], changes);
    clock.advance(1000);
    expect(takeAll()).toEqual(["a"]);
  });

  test("does not pause where others make room for it", () => {
    line.add("a", pod(0, "", { nominatedNodeName: "n" }));
    line.take();
    line.park("a", ["pod gone"], line.changes);
    line.tell("pod gone");
    expect(takeAll()).toEqual(["a"]);
  });

  test("is looked at after some minutes whatever has happened", () => {
    parked("a", "nodes");
    clock.advance(299_000);
    expect(takeAll()).toEqual([]);
    clock.advance(1000);
    expect(takeAll()).toEqual(["a"]);
  });

  test("is called once it has changed itself", () => {
    parked("a");
    line.call("a");
    clock.advance(1000);
    expect(takeAll()).toEqual(["a"]);
  });
});

test("what could not be done is tried again after a pause, whatever happens", () => {
  line.add("a", pod());
  line.take();
  line.retry("a");
  clock.advance(999);
  expect(takeAll()).toEqual([]);
  clock.advance(1);
  expect(takeAll()).toEqual(["a"]);
});

test("nothing is left of a line that has ended", () => {
  parked("a", "nodes");
  line.add("b", pod());
  line[Symbol.dispose]();
  expect(clock.timers()).toEqual([]);
});
