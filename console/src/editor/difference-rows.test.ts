import { expect, test } from "vitest";
import { atOnce } from "../../../src/util/steps.ts";
import { compared } from "./difference-rows.ts";

const numbers = (count: number, word = "line"): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");

test("what is equal is counted, but for the lines around a difference", () => {
  const before = numbers(30);
  const after = before.replace("line 10\n", "other\n").replace("line 25\n", "");
  const { blocks, hasMore } = atOnce(compared(before, after));
  expect(hasMore).toBe(false);
  expect(
    blocks
      .flat()
      .map((row) => (typeof row === "number" ? `(${row})` : row.sign + row.text))
      .join("\n"),
  ).toBe(
    `(7)
 line 7
 line 8
 line 9
-line 10
+other
 line 11
 line 12
 line 13
(8)
 line 22
 line 23
 line 24
-line 25
 line 26
 line 27
 line 28`,
  );
  expect(atOnce(compared(before, before)).blocks).toEqual([]);
});

test("a large difference has an end, and is drawn in blocks", () => {
  const { blocks, hasMore } = atOnce(compared(numbers(3000), numbers(3000, "other")));
  expect(hasMore).toBe(true);
  expect(blocks.flat()).toHaveLength(2000);
  expect(Math.max(...blocks.map(({ length }) => length))).toBe(200);
  expect(atOnce(compared("", numbers(2000))).hasMore).toBe(false);
  expect(atOnce(compared("", numbers(2001))).hasMore).toBe(true);
});
