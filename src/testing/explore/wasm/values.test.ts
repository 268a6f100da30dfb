import { expect, test } from "vitest";
import { Values } from "./values.ts";

const [GLOBAL, GO] = [{ name: "global" }, { name: "go" }];

test("ids that Go knows without asking", () => {
  const values = Values.of(GLOBAL, GO);
  expect([0, null, true, false, GLOBAL, GO].map((value) => values.add(value))).toEqual([1, 2, 3, 4, 5, 6]);
});

test("a value has one id as long as it is referred to; then another value gets the id", () => {
  const values = Values.of(GLOBAL, GO);
  const [a, b] = [{}, {}];
  const id = values.add(a);
  expect(values.add(a)).toBe(id);
  values.release(id);
  expect(values.get(id)).toBe(a);
  values.release(id);
  expect(values.add(b)).toBe(id);
  expect(values.get(id)).toBe(b);
});

test("a free id is not that of null", () => {
  const values = Values.of(GLOBAL, GO);
  values.release(values.add({}));
  const copy = Values.from(values.keep(), (value) => value);
  expect(copy.add(null)).toBe(2);
});

test("a copy has the same ids, with host objects of its own", () => {
  const values = Values.of(GLOBAL, GO);
  const [shared, other] = [{}, { name: "other global" }];
  const id = values.add(shared);
  const copy = Values.from(values.keep(), (value) => (value === GLOBAL ? other : value));
  expect([copy.get(5), copy.get(id), copy.add(other)]).toEqual([other, shared, 5]);
  values.release(id);
  expect(copy.get(id)).toBe(shared);
});
