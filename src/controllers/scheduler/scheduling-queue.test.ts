import { beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import { ManualClock } from "../../util/clock.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

let clock: ManualClock;
let queue: SchedulingQueue;
let calls: number;
beforeEach(() => {
  clock = new ManualClock();
  calls = 0;
  queue = new SchedulingQueue(clock, () => calls++);
});

const pod = (priority = 0, creationTimestamp = "2026-01-01T00:00:00Z", status: object = {}): Pod =>
  ({ metadata: { creationTimestamp }, spec: { priority }, status }) as unknown as Pod;
const popAll = (): string[] => {
  const taken: string[] = [];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) taken.push(key);
  return taken;
};
/** Adds an unschedulable Pod that waits for topics. */
const addUnschedulable = (key: string, ...waitsFor: string[]): void => {
  queue.add(key, pod());
  queue.pop();
  queue.addUnschedulable(key, waitsFor, queue.changes);
};

describe("the next Pod", () => {
  test("is the one with the highest priority, then the oldest", () => {
    queue.add("young", pod(5, "2026-01-02T00:00:00Z"));
    queue.add("low", pod(1));
    queue.add("old", pod(5));
    expect(popAll()).toEqual(["old", "young", "low"]);
    expect(calls).toBe(3);
  });

  test("a Pod that is there is not added again, and a dropped one is removed", () => {
    queue.add("a", pod());
    queue.add("a", pod());
    queue.add("b", pod());
    queue.drop("b");
    expect(popAll()).toEqual(["a"]);
    expect(queue.isInFlight("a")).toBe(true);
  });
});

describe("SCHED-4: an unschedulable Pod", () => {
  test("becomes active by a topic that it waits for, once its backoff is over, and by nothing else", () => {
    addUnschedulable("a", "nodes", "claim default/c");
    clock.advance(1000);
    queue.notify("volume v");
    expect(popAll()).toEqual([]);
    queue.notify("nodes");
    expect(popAll()).toEqual(["a"]);
  });

  test("has a longer backoff after each failure, up to some seconds", () => {
    queue.add("a", pod());
    const pauses: number[] = [];
    for (let i = 0; i < 5; i++) {
      queue.pop();
      queue.addUnschedulable("a", ["nodes"], queue.changes);
      queue.notify("nodes");
      const began = clock.steady();
      while (!queue.isInFlight("a")) {
        clock.advance(100);
        queue.pop();
      }
      pauses.push(clock.steady() - began);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 4000, 4000]);
  });

  test("misses nothing that has changed since it was taken", () => {
    queue.add("a", pod());
    queue.pop();
    const { changes } = queue;
    queue.notify("nodes");
    queue.addUnschedulable("a", ["nodes"], changes);
    clock.advance(1000);
    expect(popAll()).toEqual(["a"]);
  });

  test("has no backoff where a preemption makes space for it", () => {
    queue.add("a", pod(0, "", { nominatedNodeName: "n" }));
    queue.pop();
    queue.addUnschedulable("a", ["pod gone"], queue.changes);
    queue.notify("pod gone");
    expect(popAll()).toEqual(["a"]);
  });

  test("becomes active after some minutes in any case", () => {
    addUnschedulable("a", "nodes");
    clock.advance(299_000);
    expect(popAll()).toEqual([]);
    clock.advance(1000);
    expect(popAll()).toEqual(["a"]);
  });

  test("becomes active once it has changed itself", () => {
    addUnschedulable("a");
    queue.activate("a");
    clock.advance(1000);
    expect(popAll()).toEqual(["a"]);
  });
});

test("a failed Pod is tried again after its backoff", () => {
  queue.add("a", pod());
  queue.pop();
  queue.retry("a");
  clock.advance(999);
  expect(popAll()).toEqual([]);
  clock.advance(1);
  expect(popAll()).toEqual(["a"]);
});

test("a disposed queue has no timers", () => {
  addUnschedulable("a", "nodes");
  queue.add("b", pod());
  queue[Symbol.dispose]();
  expect(clock.timers()).toEqual([]);
});
