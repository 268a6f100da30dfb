/**
 * Mistakes made by hand in our controllers are found by exploring; `npm run explore:mutants` looks for all of them.
 */
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import { sampled } from "../../../src/util/testing/amount.ts";
import { mutated } from "./mutant.ts";
import { PAGE } from "./page.ts";
import { playMutants } from "./play.ts";
import { MUTANTS } from "./table.ts";

const all = Object.values(MUTANTS).flat();
const found = all.filter(({ shows }) => shows !== undefined);
const PLANS = 200;
/** Three or four are played in the usual run. */
const ONE_OF = Math.ceil(found.length / 4);

test.each(all)("$name: its text stands once in its file, and what replaces it can be run", (mutant) => {
  const text = readFileSync(new URL(`../../../${mutant.file}`, import.meta.url), "utf8");
  const changed = mutated(text, mutant);
  expect(changed).not.toBe(text);
  expect(() => stripTypeScriptTypes(changed)).not.toThrow();
});

test("a mutant whose text is not there once is refused", () => {
  const mutant = { ...all[0]!, find: "absent" };
  expect(() => mutated("present", mutant)).toThrow("once, found it 0 times: change its find");
  expect(() => mutated("absent, absent", mutant)).toThrow("found it 2 times");
});

test("mutants have names of their own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

test("a mutant says how it shows, or why it does not, and the page says the same", () => {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  for (const { name, shows, hidden } of all) {
    expect([name, (shows === undefined) !== (hidden === undefined)]).toEqual([name, true]);
    const [line = "no line", ...others] = lines.filter((one) => one.split("|")[2]?.trim() === name);
    expect(others).toEqual([]);
    expect(line).toContain(hidden ?? `| \`${shows}\``);
  }
});

test("exploring finds a few of them", { timeout: 240_000 }, async () => {
  const some = sampled(found, ONE_OF);
  const played = [];
  for await (const one of playMutants(some, { seed: 1, plans: PLANS })) played.push([one.name, one.found?.kind]);
  expect(played).toEqual(some.map(({ name }) => [name, expect.any(String)]));
});
