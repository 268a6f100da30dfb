import { describe, expect, test } from "vitest";
import { play, readCases } from "./player.ts";

const file = readCases(new URL("../conformance/cel.json", import.meta.url).pathname);

/** Environments of what is not served yet. */
const NOT_YET = new Set(["admission", "claims", "user", "sar"]);

describe.each([
  ["self", "CEL-1..35, CEL-50..56: types, estimates, values, failures and costs of expressions over a schema"],
  ["object", "CEL-36..47: what the rules of a schema say of an object, and what that costs"],
  ["schema", "CEL-36..39, CEL-52..55, CRD-40..42: what is wrong with a definition and its rules"],
])("%s: %s", (env) => {
  const cases = file.cases.filter((one) => one.env === env);

  test("has cases", () => {
    expect(cases.length).toBeGreaterThan(30);
  });

  test.each(cases.map((one) => [one.id, one] as const))("%s is as the real packages answered", (_, one) => {
    expect(play(file, one)).toEqual([]);
  });
});

test("every case is played, or belongs to what is not served yet", () => {
  const others = file.cases.filter(({ env }) => !["self", "object", "schema"].includes(env) && !NOT_YET.has(env));
  expect(others).toEqual([]);
});
