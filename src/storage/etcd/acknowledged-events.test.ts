import { expect, test } from "vitest";
import type { StoreEvent } from "../contract.ts";
import { AcknowledgedEvents } from "./acknowledged-events.ts";

const event = (revision: number): StoreEvent => ({
  type: "put",
  key: `k${revision}`,
  revision,
  value: Buffer.of(revision),
  previousRevision: 0,
});

test("events are taken in order of revision, as far as none is missing before them", () => {
  const acknowledged = new AcknowledgedEvents();
  for (const revision of [7, 5, 6, 9]) acknowledged.add(revision, [event(revision)]);
  expect(acknowledged.takeAfter(3)).toEqual([]);
  expect(acknowledged.takeAfter(4).map(({ revision }) => revision)).toEqual([5, 6, 7]);
  expect(acknowledged.takeAfter(7)).toEqual([]);
  // 8 was written by another server: the watch brings it.
  expect(acknowledged.takeAfter(8)).toEqual([event(9)]);
  expect(acknowledged.takeAfter(8)).toEqual([]);
});

test("events of the watch are not delivered again", () => {
  const acknowledged = new AcknowledgedEvents();
  for (const revision of [5, 6, 7]) acknowledged.add(revision, [event(revision)]);
  acknowledged.forget(6);
  expect(acknowledged.takeAfter(4)).toEqual([]);
  expect(acknowledged.takeAfter(6)).toEqual([event(7)]);
});

test("all events of a revision are taken together", () => {
  const acknowledged = new AcknowledgedEvents();
  acknowledged.add(6, [event(6)]);
  acknowledged.add(5, [
    { ...event(5), key: "a" },
    { ...event(5), key: "b" },
  ]);
  expect(acknowledged.takeAfter(4).map(({ key }) => key)).toEqual(["a", "b", "k6"]);
  acknowledged.add(8, [event(8), event(8)]);
  acknowledged.forget(8);
  expect(acknowledged.takeAfter(7)).toEqual([]);
});
