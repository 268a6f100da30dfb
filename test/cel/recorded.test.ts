import { describe, expect, test } from "vitest";
import { play, readCases } from "./player.ts";

const file = readCases(new URL("../conformance/cel.json", import.meta.url).pathname);

describe.each([
  ["self", "CEL-1..35, CEL-50..56: types, estimates, values, failures and costs of expressions over a schema"],
  ["object", "CEL-36..47: what the rules of a schema say of an object, and what that costs"],
  ["schema", "CEL-36..39, CEL-52..55, CRD-40..42: what is wrong with a definition and its rules"],
  ["claims", "CEL-1: expressions over the claims of a token"],
  ["user", "CEL-1: expressions over the user that was made of claims"],
  ["sar", "CEL-1: match conditions of a webhook that authorizes"],
  ["admission", "CEL-1, CEL-26: expressions over a request, its objects, its authorizer and stored variables"],
])("%s: %s", (env) => {
  const cases = file.cases.filter((one) => one.env === env);

  test("has cases", () => {
    expect(cases.length).toBeGreaterThan(0);
  });

  test.each(cases.map((one) => [one.id, one] as const))("%s is as the real packages answered", (_, one) => {
    expect(play(file, one)).toEqual([]);
  });
});

test("every case is played", () => {
  const played = new Set(["self", "object", "schema", "claims", "user", "sar", "admission"]);
  expect(file.cases.filter(({ env }) => !played.has(env))).toEqual([]);
});
