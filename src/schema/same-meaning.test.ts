import { expect, test } from "vitest";
import { anything, atomicList, map, optional, pointer, quantity, struct, text } from "../meta/types.ts";
import { sameMeaning } from "./same-meaning.ts";

const schema = struct("", {
  name: optional(text()),
  requests: optional(map(quantity())),
  parts: optional(atomicList(struct("", { size: optional(quantity()) }))),
  deep: pointer(struct("", { name: optional(text()) })),
  free: optional(anything()),
});

test.each([
  ["amounts that are spelt otherwise", { requests: { memory: "1Gi" } }, { requests: { memory: "1073741824" } }, true],
  ["an exponent", { requests: { cpu: "1e3" } }, { requests: { cpu: "1k" } }, true],
  ["other amounts", { requests: { cpu: "1" } }, { requests: { cpu: "1001m" } }, false],
  ["amounts in lists", { parts: [{ size: "1k" }] }, { parts: [{ size: "1e3" }] }, true],
  ["one amount more", { requests: { cpu: "1" } }, { requests: { cpu: "1", memory: "1" } }, false],
  ["an amount and none", { requests: { cpu: "0" } }, { requests: {} }, false],
  ["an empty map and none", { requests: {} }, {}, true],
  ["an empty list and none", { parts: [] }, {}, true],
  ["lists of other lengths", { parts: [{}] }, { parts: [{}, {}] }, false],
  ["an empty struct and none", { deep: {} }, {}, false],
  ["other texts", { name: "1k" }, { name: "1e3" }, false],
  ["what no schema knows", { free: { a: "1k" } }, { free: { a: "1e3" } }, false],
  ["what no schema knows, alike", { free: { a: [1] } }, { free: { a: [1] } }, true],
  ["both absent", undefined, undefined, true],
])("%s: %j and %j", (_what, a, b, expected) => {
  expect([sameMeaning(schema, a, b), sameMeaning(schema, b, a)]).toEqual([expected, expected]);
});
