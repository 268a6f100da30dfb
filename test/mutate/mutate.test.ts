/** The tool that changes sources a little: which changes it makes, and what it tells of the tests. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/util/clock.ts";
import { chosen, mutantsOf, mutated } from "../../tools/mutate/mutants.ts";
import { play } from "../../tools/mutate/play.ts";

const changes = (text: string): string[] => mutantsOf("a.ts", text).map((mutant) => mutated(text, mutant));

describe("the mutants of", () => {
  const cases: Readonly<Record<string, readonly [string, readonly string[]]>> = {
    "a comparison": ["f = a < b;", [";", "f = a <= b;"]],
    "an equality": ["f = a === b;", [";", "f = a !== b;"]],
    "a condition": ["if (a) b();", ["if (!(a)) b();", "if (a) ;"]],
    "a choice": ["const f = a ? b : c;", ["const f = !(a) ? b : c;"]],
    "an and": ["const f = a && b;", ["const f = a;", "const f = b;"]],
    "a default": ["const f = a ?? b;", ["const f = a;", "const f = b;"]],
    "a sum": ["const f = a + b;", ["const f = a - b;"]],
    "a return": ["const f = () => { return a; };", ["const f = () => { return; };"]],
    "a boolean": ["const f = true;", ["const f = false;"]],
    "a number": ["const f = 7;", ["const f = 0;"]],
    "a text": [`const f = "x";`, [`const f = "";`]],
  };
  test.each(Object.entries(cases))("%s", (_, [text, expected]) => {
    expect(changes(text)).toEqual(expected);
  });

  test.each([
    `import { a } from "./a.ts";`,
    `type A = { b: true; c: "x" };`,
    `throw new Error("expected a, got " + b);`,
    `const a: "x" = { "b": c };`,
    "const f = () => { return undefined; };",
  ])("%s are none: no test is meant to notice", (text) => {
    expect(changes(text)).toEqual([]);
  });

  test("a line, and the change in words", () => {
    const [mutant] = mutantsOf("a.ts", "\n\nif (a > 1) {\n}\n");
    expect(mutant).toMatchObject({ file: "a.ts", line: 3, change: "`a > 1` becomes `a >= 1`" });
  });
});

test("a seed chooses the same mutants each time, another seed others", () => {
  const all = mutantsOf("a.ts", Array.from({ length: 50 }, (_, i) => `const a${i} = ${i};`).join("\n"));
  const lines = (seed: number): number[] => chosen(all, 5, seededRandom(seed)).map(({ line }) => line);
  expect(lines(1)).toHaveLength(5);
  expect(lines(1)).toEqual(lines(1));
  expect(lines(1)).not.toEqual(lines(2));
});

const root = mkdtempSync(join(tmpdir(), "keelson-mutate-test-"));
afterAll(() => rmSync(root, { recursive: true }));

const SOURCE = `export function sign(n: number): string {
  if (n < 0) return "minus";
  return "plus";
}
export function count(n: number): number {
  let left = n;
  while (left > 0) left -= 1;
  return left;
}
`;
const TEST = `import { expect, test } from "vitest";
import { count, sign } from "./sign.ts";
test("sign", () => {
  expect([sign(-1), count(1)]).toEqual(["minus", 0]);
});
`;

test(
  "a mutant that a test notices is killed, one that none notices survives, one that does not end is a timeout",
  { timeout: 120_000 },
  async () => {
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src/sign.ts"), SOURCE);
    writeFileSync(join(root, "src/sign.test.ts"), TEST);
    writeFileSync(join(root, "package.json"), `{ "type": "module" }`);
    symlinkSync(new URL("../../node_modules", import.meta.url).pathname, join(root, "node_modules"));
    const wanted = [/^`"minus"`/, /^`"plus"`/, /^`left -= 1;`/];
    const all = mutantsOf("src/sign.ts", SOURCE);
    const mutants = wanted.flatMap((change) => all.filter((mutant) => change.test(mutant.change)));
    const played = await play({ root, mutants, tests: ["src"], seconds: 60, graceMs: 1000 });
    expect(played.map(({ mutant, outcome }) => [mutant.line, outcome])).toEqual([
      [2, "killed"],
      [3, "survived"],
      [7, "timeout"],
    ]);
    expect(readFileSync(join(root, "src/sign.ts"), "utf8")).toBe(SOURCE);
    expect(readdirSync(root).toSorted()).toEqual(["node_modules", "package.json", "src"]);
  },
);
