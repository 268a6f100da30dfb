/**
 * The page on tests has a row with both numbers for each variable that sets the length of a test.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;
const AMOUNT = /amount\("([A-Z_]+)", ([0-9_]+), ([0-9_]+)\)/g;

test("every variable of an amount stands in the table, with its default and its value of LONG=1", () => {
  const files = globSync(["test/**/*.ts", "{src,console,site}/**/*.test.ts"], { cwd: root });
  const used = files.flatMap((file) =>
    [...readFileSync(root + file, "utf8").matchAll(AMOUNT)].map(([, name, usual, long]) =>
      [name, usual, long].join(" ").replaceAll("_", ""),
    ),
  );
  expect(used.length).toBeGreaterThan(30);
  let variable = "";
  const described = readFileSync(`${root}docs/contributing/testing.md`, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, name = "", , usual, long]) => {
      if (name !== "") variable = name.replaceAll("`", "").replaceAll("_", "");
      return `${variable} ${usual} ${long}`;
    });
  expect(used.filter((one) => !described.includes(one))).toEqual([]);
});
