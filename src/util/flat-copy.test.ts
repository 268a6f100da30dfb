import { expect, test } from "vitest";
import { flatCopy } from "./flat-copy.ts";
import { bytesInUse } from "./testing/heap.ts";

const MB = 1_000_000;
const COUNT = 40;

/** The bytes that are kept by parts of a text of a megabyte each. */
function keptOf(piece: (large: string, i: number) => string): number {
  const before = bytesInUse();
  const kept = Array.from({ length: COUNT }, (_, i) => piece(`${String(i).padStart(20, "0")}${"x".repeat(MB)}`, i));
  const used = bytesInUse() - before;
  expect(kept).toHaveLength(COUNT);
  return used;
}

/** A search makes a joined text flat. */
const flat = (text: string): string => (text.includes("?") ? "" : text);

const CUTS: readonly ((large: string) => string)[] = [
  (large) => flat(large).slice(0, 200),
  (large) => flat(large).split("xxx", 1)[0]!,
  (large) => /\d+/.exec(large)![0],
  (large) => `u${flat(large).slice(0, 200)}`,
];

test("a copy of a part of a text does not keep the rest alive, however it was cut", () => {
  expect(keptOf((large, i) => flatCopy(CUTS[i % CUTS.length]!(large)))).toBeLessThan(2 * MB);
  // Otherwise a copy is needless, and the module can be deleted.
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
