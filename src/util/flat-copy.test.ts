import { expect, test } from "vitest";
import { flatCopy } from "./flat-copy.ts";
import { bytesInUse } from "./testing/heap.ts";

const MB = 1_000_000;
const COUNT = 40;

/** What is kept, in bytes, of pieces that were cut out of a megabyte each. */
function keptOf(piece: (large: string) => string): number {
  const before = bytesInUse();
  const kept = Array.from({ length: COUNT }, (_, i) => piece(`${String(i).padStart(20, "0")}${"x".repeat(MB)}`));
  const used = bytesInUse() - before;
  expect(kept).toHaveLength(COUNT);
  return used;
}

/** Joined texts are made flat when they are searched. */
const flat = (text: string): string => (text.includes("?") ? "" : text);

test.each<[name: string, cut: (large: string) => string]>([
  ["slice", (large) => flat(large).slice(0, 200)],
  ["split", (large) => flat(large).split("xxx", 1)[0]!],
  ["a regular expression", (large) => /\d+/.exec(large)![0]],
  ["a slice that was joined with something", (large) => `u${flat(large).slice(0, 200)}`],
])("a copy of what was cut by %s keeps nothing of the rest", (_, cut) => {
  expect(keptOf((large) => flatCopy(cut(large)))).toBeLessThan(2 * MB);
  // Else nothing has to be copied, and this file can go.
  expect(keptOf(cut)).toBeGreaterThan(COUNT * MB * 0.9);
});

test.each([
  "",
  "short",
  "a name of more than thirteen characters",
  "Жучка и другие собаки",
  '\ud800 alone \udc00 \0 " \\ \u2028',
])("a copy of %j is the same text", (text) => {
  expect(flatCopy(text)).toBe(text);
});
