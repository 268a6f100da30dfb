import { describe, expect, test } from "vitest";
import { atOnce } from "../../util/steps.ts";
import { missingRights } from "./coverage.ts";
import type { RuleForm } from "./rule.ts";
import { pathRule, rule } from "./testing/roles.ts";

const missing = (held: readonly RuleForm[], given: readonly RuleForm[]): readonly RuleForm[] =>
  atOnce(missingRights(held, given)).rules;
const covered = (held: string, given: string): boolean => missing([rule(held)], [rule(given)]).length === 0;

describe("RBAC-40: which rules cover which", () => {
  test.each([
    ["get,list pods", "get pods", true],
    ["get pods", "get,list pods", false],
    ["* pods", "get,odd,* pods", true],
    ["get pods", "* pods", false],
    ["get pods *", "get pods x.io,core,*", true],
    ["get pods core", "get pods *", false],
    ["get *", "get pods,pods/log,*", true],
    ["get pods", "get *", false],
    ["get pods", "get pods/log", false],
    ["get */log", "get pods/log,*/log", true],
    ["get */log", "get pods", false],
    ["get */*", "get pods/log", false],
    ["get pods", "get pods core a", true],
    ["get pods core a,b", "get pods core a", true],
    ["get pods core a", "get pods core a,b", false],
    ["get pods core a", "get pods", false],
    ["get pods core ''", "get pods core ''", true],
    ["get pods core ''", "get pods", false],
  ])("%j covers %j: %s", (held, given, is) => {
    expect(covered(held, given)).toBe(is);
  });

  test.each([
    ["get /a", "get /a", true],
    ["get /a", "get /b", false],
    ["get /a/*", "get /a/b", true],
    ["get /a/*", "get /a", false],
    ["get /a*", "get /a/*", true],
    ["get *", "get *,/a", true],
    ["get /a*", "get *", false],
    ["* /a", "put /a", true],
    ["get /a", "put /a", false],
  ])("of paths %j covers %j: %s", (held, given, is) => {
    expect(missing([pathRule(held)], [pathRule(given)]).length === 0).toBe(is);
  });

  test("several rules may cover the parts of one", () => {
    const held = [rule("get pods,services"), rule("list pods"), rule("list services core a"), rule("list services")];
    expect(missing(held, [rule("get,list pods,services")])).toEqual([]);
    expect(missing(held.slice(0, 3), [rule("get,list pods,services")])).toEqual([rule("list services")]);
  });

  test("objects and paths do not cover each other, and a rule with names covers no path", () => {
    expect(missing([rule("* * *")], [pathRule("get /a")])).toEqual([pathRule("get /a")]);
    expect(missing([pathRule("* *")], [rule("get pods")])).toEqual([rule("get pods")]);
    const odd = { ...pathRule("get /a"), resourceNames: ["x"] };
    expect(missing([odd], [pathRule("get /a")])).toEqual([pathRule("get /a")]);
  });

  test("a rule that grants nothing is covered", () => {
    expect(missing([], [{}, { verbs: ["get"] }, { verbs: ["get"], resources: ["pods"] }])).toEqual([]);
  });

  test("missing rights are reported in few rules", () => {
    expect(missing([rule("get pods")], [rule("get,list pods,secrets")])).toEqual([
      rule("list pods,secrets"),
      rule("get secrets"),
    ]);
  });
});

test("other requests run between the steps", () => {
  const given = rule("a,b,c,d,e pods,services,secrets");
  const held = ["a", "b", "c", "d"].map((verb) => rule(`${verb} pods`));
  const steps = missingRights(held, [given]);
  let count = 0;
  while (steps.next().done !== true) count++;
  // Each of the four rules adds one box to those that are left, and the next rule is compared with all of them.
  expect(count).toBe(1 + 2 + 3 + 4);
});

/** Checks the same by definition: each combination by itself. */
function missesByOne(held: readonly RuleForm[], given: RuleForm): boolean {
  const has = (list: readonly string[] | null | undefined, one: string): boolean =>
    Boolean(list?.includes("*")) || Boolean(list?.includes(one));
  const names = given.resourceNames?.length ? given.resourceNames : [undefined];
  for (const verb of given.verbs ?? [])
    for (const group of given.apiGroups ?? [])
      for (const resource of given.resources ?? [])
        for (const name of names) {
          const isCovered = held.some((own) => {
            const sub = resource.includes("/") ? `*/${resource.split(/\/(.*)/)[1]}` : resource;
            const hasName = !own.resourceNames?.length || (name !== undefined && own.resourceNames.includes(name));
            const hasResource = has(own.resources, resource) || has(own.resources, sub);
            return has(own.verbs, verb) && has(own.apiGroups, group) && hasResource && hasName;
          });
          if (!isCovered) return true;
        }
  return false;
}

test("RBAC-40: cutting boxes is equivalent to comparing every combination", () => {
  let seed = 7;
  const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const some = (from: readonly string[]): string[] => from.filter(() => next(3) > 0);
  const any = (): RuleForm => ({
    verbs: some(["get", "list", "*"].slice(0, 2 + (next(4) === 0 ? 1 : 0))),
    apiGroups: some(["", "x", "*"].slice(0, 2 + (next(4) === 0 ? 1 : 0))),
    resources: some(["a", "a/s", "*/s", "*"].slice(0, 2 + next(2) + (next(5) === 0 ? 1 : 0))),
    resourceNames: next(2) === 0 ? [] : some(["n", "m"]),
  });
  let count = 0;
  for (let i = 0; i < 3000; i++) {
    const held = Array.from({ length: 1 + next(5) }, any);
    const given = any();
    const misses = missesByOne(held, given);
    expect({ held, given, misses: missing(held, [given]).length > 0 }).toEqual({ held, given, misses });
    if (misses) count++;
  }
  expect(count).toBeGreaterThan(500);
  expect(count).toBeLessThan(2900);
});

test("an enormous number of combinations takes a moment", () => {
  const many = (letter: string): string[] => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`);
  const given = { verbs: many("v"), apiGroups: many("g"), resources: many("r"), resourceNames: many("n") };
  expect(missing([rule("* * *")], [given])).toEqual([]);
  const half = { ...given, resources: given.resources.slice(0, 10_000) };
  expect(missing([half], [given])).toEqual([{ ...given, resources: given.resources.slice(10_000) }]);
});

test("at the limit of comparisons the result says so, and nothing counts as covered", () => {
  const texts = Array.from({ length: 3000 }, (_, i) => `t${i}`);
  const given = { verbs: texts, apiGroups: texts, resources: texts };
  const held = texts.map((text) => ({ verbs: [text], apiGroups: [text], resources: [text] }));
  const found = atOnce(missingRights(held, [given]));
  expect(found.isTruncated).toBe(true);
  expect(found.rules.length).toBeGreaterThan(0);
});
