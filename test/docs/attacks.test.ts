/** The page of attacks: what it says other tests hold, they hold; what was not played again stays. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ELSEWHERE } from "../../tools/attacks/elsewhere.ts";
import { attacksPage } from "../../tools/attacks/page.ts";
import type { TableResult } from "../attacks/results.ts";

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string): string => readFileSync(root + path, "utf8");

test.each(ELSEWHERE)("%s: its test is there", (_what, file, name) => {
  expect(read(file)).toContain(name);
});

test("the page has all of them, and is what would be written", () => {
  const page = read("docs/evidence/attacks.md");
  expect(attacksPage([], page)).toBe(page);
});

const table = (title: string, turnMillis: number): TableResult => ({
  title,
  file: "test/attacks/some.test.ts",
  long: false,
  day: "2026-01-31",
  rows: [
    {
      name: "3 MB of [",
      bounds: { turnMillis: 100, peakMiB: 150, keptMiB: 20 },
      turnMillis,
      peakMiB: 9.4,
      keptMiB: -0.5,
      healthyMillis: 25,
    },
  ],
});

test("a table that was played again has its new figures, others keep theirs", () => {
  const before = attacksPage([table("A", 4), table("B", 5)], "");
  expect(before).toContain("| 3 MB of \\[ | 4, 100 | 9, 150 | 0, 20 | 25 |");
  const after = attacksPage([table("B", 66)], before);
  expect(after).toBe(attacksPage([table("A", 4), table("B", 66)], ""));
});
