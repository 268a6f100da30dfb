import { expect, test } from "vitest";
import { fnv1, fnv1a, fnv1aOfText } from "./fnv.ts";

// From the test suite of the authors, http://www.isthe.com/chongo/tech/comp/fnv/.
test.each([
  ["", 0x811c9dc5, 0x811c9dc5],
  ["a", 0x050c5d7e, 0xe40c292c],
  ["foobar", 0x31f0b262, 0xbf9cf968],
])("the hashes of %j", (text, first, second) => {
  const bytes = Buffer.from(text);
  expect([fnv1(bytes), fnv1a(bytes), fnv1aOfText(text)]).toEqual([first, second, second]);
});

test("a hash goes on with what follows", () => {
  expect(fnv1a(Buffer.from("bar"), fnv1a(Buffer.from("foo")))).toBe(fnv1a(Buffer.from("foobar")));
  expect(fnv1aOfText("bar", fnv1aOfText("foo"))).toBe(fnv1aOfText("foobar"));
});
