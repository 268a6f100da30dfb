/** Every rule of the numbering is named by a test, or it is said why no request can show it. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { idsIn } from "../../tools/compatibility/rule-ids.ts";
import type { Section } from "../../tools/compatibility/rules.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const json = <T>(name: string): T => JSON.parse(readFileSync(`${root}test/rules/${name}`, "utf8")) as T;

/** The IDs in a test file, comments aside. */
function namedIn(file: string): readonly string[] {
  const lines = readFileSync(root + file, "utf8").split("\n");
  return lines.filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line)).flatMap(idsIn);
}

test("no rule is without a test of its name", () => {
  const tests = globSync("{src,test}/**/*.test.ts", { cwd: root });
  const named = new Set(tests.filter((file) => !file.endsWith("named.test.ts")).flatMap(namedIn));
  const unseen = new Set(Object.keys(json<Record<string, string>>("not-observable.json")));
  const all = json<readonly Section[]>("rules.json").flatMap(({ ids }) => idsIn(ids));
  expect(all.length).toBeGreaterThan(1000);
  expect(all.filter((id) => !named.has(id) && !unseen.has(id))).toEqual([]);
});
