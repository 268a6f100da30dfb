import fc from "fast-check";
import { expect, test } from "vitest";
import { DecodeError } from "./decode-error.ts";
import { formatPointer, parsePointer } from "./pointer.ts";
import { evaluatePointer } from "./testing/pointer.ts";
import type { Value } from "./value.ts";

const DOCUMENT: Value = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, " ": 7 };

test.each<[string, Value | undefined]>([
  ["", DOCUMENT],
  ["/foo", ["bar", "baz"]],
  ["/foo/0", "bar"],
  ["/", 0],
  ["/a~1b", 1],
  ["/c%d", 2],
  ["/m~0n", 8],
  ["/ ", 7],
  ["/foo/2", undefined],
  ["/foo/-", undefined],
  ["/foo/01", undefined],
  ["/foo/length", undefined],
  ["/toString", undefined],
  ["/__proto__/x", undefined],
])("RFC 6901: %j points to its value", (pointer, value) => {
  expect(evaluatePointer(DOCUMENT, pointer)).toEqual(value);
});

test("RFC 6901: a pointer without a slash is invalid", () => {
  expect(() => parsePointer("foo")).toThrow(DecodeError);
});

test("tokens are equal after formatting and parsing", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("~1", "~01", "/", "~", "__proto__"))), (tokens) => {
      expect(parsePointer(formatPointer(tokens))).toEqual(tokens);
    }),
  );
});
