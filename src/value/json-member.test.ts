import fc from "fast-check";
import { expect, test } from "vitest";
import { memberRange } from "./json-member.ts";

const find = (text: string, key: string): unknown => {
  const bytes = Buffer.from(text);
  const place = memberRange(bytes, 1, Buffer.from(JSON.stringify(key)));
  return place && JSON.parse(bytes.toString("utf8", place.from, place.to));
};

test("a member of the object itself is found, after any similar text", () => {
  const labels = { a: "b" };
  const before = {
    text: '"labels":{"x":"y"},\\',
    labels2: { labels: 1 },
    list: [[{ labels: {} }], "]"],
    n: -1.5e3,
    t: true,
  };
  expect(find(JSON.stringify({ ...before, labels, after: null }), "labels")).toEqual(labels);
  expect(find(JSON.stringify({ labels }), "labels")).toEqual(labels);
  expect(find(JSON.stringify({ ...before, labels: 7 }), "labels")).toBe(7);
  expect(find(JSON.stringify(before), "labels")).toBeUndefined();
  expect(find("{}", "labels")).toBeUndefined();
});

test("every member of every object is found, and no other", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, other) => {
      const text = JSON.stringify(object);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      for (const [key, value] of Object.entries(parsed)) expect(find(text, key)).toEqual(value);
      expect(find(text, other)).toEqual(Object.hasOwn(parsed, other) ? parsed[other] : undefined);
    }),
  );
});
