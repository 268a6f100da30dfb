import { expect, test } from "vitest";
import { flatCopy } from "./flat-copy.ts";
import { bytesInUse } from "./testing/heap.ts";

const MB = 1_000_000;
const COUNT = 40;

/** What is kept, in bytes, of pieces that were cut out of a megabyte each. */
function keptOf(piece: (large: string, i: number) => string): number {
  const before = bytesInUse();
  const kept = Array.from({ length: COUNT }, (_, i) => piece(`${String(i).padStart(20, "0")}${"x".repeat(MB)}`, i));
  const used = bytesInUse() - before;
  expect(kept).toHaveLength(COUNT);
  return used;
}

/** Joined texts are made flat when they are searched. */
const flat = (text: string): string => (text.includes("?") ? "" : text);

const CUTS: readonly ((large: string) => string)[] = [
  (large) => flat(large).slice(0, 200),
  (large) => flat(large).split("xxx", 1)[0]!,
  (large) => /\d+/.exec(large)![0],
  (large) => `u${flat(large).slice(0, 200)}`,
];

test("a copy of what was cut out of a text, in whatever way, keeps nothing of the rest", () => {
  expect(keptOf((large, i) => flatCopy(CUTS[i % CUTS.length]!(large)))).toBeLessThan(2 * MB);
  // Else nothing has to be copied, and this file can go.
  expect(keptOf((large, i) => CUTS[i % CUTS.length]!(large))).toBeGreaterThan(COUNT * MB * 0.9);
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
