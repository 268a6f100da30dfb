import { expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { bytesInUse } from "../util/testing/heap.ts";
import type { Entry } from "./entry.ts";
import { ResourceState } from "./resource-state.ts";
import { settingsOf } from "./options.ts";
import { Budget } from "./budget.ts";
import { Timeline } from "./timeline.ts";

const COUNT = 50_000;
/** In order. */
const keyOf = (i: number): string => `n${100 + Math.floor(i / 1000)}/${String(i).padStart(6, "0")}`;

const [NO_BYTES, NO_LABELS] = [new Uint8Array(0), {}];
const entryOf = (key: string): Entry => ({ key, revision: 1, bytes: NO_BYTES, labels: NO_LABELS });
const sortedEntries = (count: number): Entry[] => Array.from({ length: count }, (_, i) => entryOf(keyOf(i)));

test("a state is built in steps, each of a part of the entries", () => {
  let looked = 0;
  const counted = sortedEntries(COUNT).map((entry) => ({
    ...entry,
    get unreadable() {
      looked++;
      return undefined;
    },
  })) as unknown as Entry[];
  const steps = ResourceState.inSteps(counted);
  let [most, count] = [0, 0];
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    most = Math.max(most, looked);
    looked = 0;
    count++;
  }
  expect([step.value.size, step.value.get(keyOf(77))?.key]).toEqual([COUNT, keyOf(77)]);
  expect(most).toBe(10_000);
  expect(count).toBeGreaterThan(2 * (COUNT / 10_000));
});

test("the first unreadable entry of a scope is found without a look at the others", () => {
  let looked = 0;
  const counted = sortedEntries(10_000).map(({ key, ...entry }) => ({
    ...entry,
    unreadable: true,
    get key() {
      looked++;
      return key;
    },
  })) as Entry[];
  const state = ResourceState.of(counted);
  expect(state.unreadable).toHaveLength(10_000);
  looked = 0;
  expect(state.firstUnreadable({ prefix: "" })?.key).toBe("n100/000000");
  expect(state.firstUnreadable({ prefix: "n107/" })?.key).toBe("n107/007000");
  expect(state.firstUnreadable({ prefix: "n107/", key: "n107/007017" })?.key).toBe("n107/007017");
  expect(state.firstUnreadable({ prefix: "n107/", key: "n107/006999" })).toBeUndefined();
  expect(state.firstUnreadable({ prefix: "n1071/" })).toBeUndefined();
  expect(looked).toBeLessThan(200);
});

test("a copy of a state has unreadable entries of its own", () => {
  const state = ResourceState.of([{ ...entryOf("a"), unreadable: true }, entryOf("b")]);
  const copy = state.clone();
  copy.put(entryOf("a"));
  state.put({ ...entryOf("c"), unreadable: true });
  const keys = ({ unreadable }: ResourceState): string[] => unreadable.map(({ key }) => key);
  expect([keys(state), keys(copy), copy.hasUnreadable]).toEqual([["a", "c"], [], false]);
});

test("few entries are kept for reads by key, however many are read", () => {
  const entries = sortedEntries(300_000);
  const budget = (): Budget => new Budget(Infinity);
  const settings = { ...settingsOf({ clock: new ManualClock() }), historyBudget: budget(), versionBudget: budget() };
  const timeline = new Timeline(settings, ResourceState.of(entries), 1);
  const before = bytesInUse();
  expect(entries.every((entry) => timeline.get(entry.key) === entry)).toBe(true);
  // A Map of all of them has 14 MiB.
  expect(bytesInUse() - before).toBeLessThan(4 << 20);
  expect(timeline.get(entries[0]!.key)).toBe(entries[0]);
});
