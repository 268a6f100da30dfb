/** The table of the page on controllers: every controller has a row, and `--controllers` takes each of its names. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONTROLLERS, ownName } from "../../src/controllers/names.ts";

const page = readFileSync(new URL("../../docs/reference/controllers.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| (?:`([a-z-]+)`)? *\|/gm)].map(([, here, there]) => ({
  here,
  there,
}));

test("every controller has a row", () => {
  expect(rows.map(({ here }) => here).toSorted()).toEqual(Object.keys(CONTROLLERS).toSorted());
});

test("the name of kube-controller-manager is another name of the controller", () => {
  const others = rows.filter(({ there }) => there !== undefined);
  expect(others.length).toBeGreaterThan(30);
  expect(others.map(({ there }) => ownName(there!))).toEqual(others.map(({ here }) => here));
});
