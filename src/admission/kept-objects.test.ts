import { expect, test } from "vitest";
import type { Lookup } from "../schema/lookup.ts";
import { KeptObjects } from "./kept-objects.ts";
import { lookupOf, objectOf } from "./testing/requests.ts";

/** A lookup over some names with a mark; `planned` where objects are about to be stored. */
const at = (mark: number, names: readonly string[], planned = false): Lookup => ({
  ...lookupOf({ things: names.map((name) => objectOf({ name })) }),
  follow: () => ({ mark, changedSince: () => (planned ? undefined : []) }),
});

const kept = () => new KeptObjects("things", ({ metadata }) => metadata.name);

test("objects are read once for each mark, and are there at once after that", async () => {
  const names = kept();
  const first = names.of(at(1, ["a"]));
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toEqual(["a"]);
  expect(names.of(at(1, ["not read"]))).toEqual(["a"]);
  const second = names.of(at(2, ["a", "b"]));
  expect(second).toBeInstanceOf(Promise);
  expect(await second).toEqual(["a", "b"]);
  expect(names.of(at(2, []))).toEqual(["a", "b"]);
});

test("what is about to be stored is read each time, and not kept", async () => {
  const names = kept();
  await names.of(at(1, ["a"]));
  expect(await names.of(at(1, ["a", "planned"], true))).toEqual(["a", "planned"]);
  expect(names.of(at(1, []))).toEqual(["a"]);
});
