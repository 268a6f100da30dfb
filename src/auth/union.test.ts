import { expect, test } from "vitest";
import { question } from "./rbac/testing/roles.ts";
import type { Authorizer, Decision, Rights } from "./contract.ts";
import { union } from "./union.ts";

const NOTHING: Rights = { resourceRules: [], pathRules: [], incomplete: false };
const PODS = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const kim = { user: "kim", groups: [] };
const ask = question("get pods");

const saying = (decision: Decision, rights: Rights = NOTHING, isLate = false): Authorizer => ({
  authorize: () => (isLate ? Promise.resolve(decision) : decision),
  rightsOf: () => rights,
});
const yes = { allowed: true, reason: "yes" };
const no = { allowed: false, denied: true, reason: "no" };
const silent = (reason = ""): Decision => ({ allowed: false, reason });

test("RBAC-38: the first that allows or denies decides", () => {
  expect(union([saying(silent()), saying(yes), saying(no)]).authorize(kim, ask)).toBe(yes);
  expect(union([saying(silent()), saying(no), saying(yes)]).authorize(kim, ask)).toBe(no);
  expect(union([saying(silent("a")), saying(silent()), saying(silent("b"))]).authorize(kim, ask)).toEqual(
    silent("a; b"),
  );
});

test("RBAC-38: a promise is awaited before the next authorizer is called", async () => {
  const all = union([saying(silent(), NOTHING, true), saying(yes), saying(no)]);
  expect(await all.authorize(kim, ask)).toBe(yes);
});

test("RBAC-12: the result has the error of one authorizer where none decides", () => {
  const failing = { allowed: false, reason: "", error: "no response" };
  expect(union([saying(failing), saying(silent("b"))]).authorize(kim, ask)).toEqual({
    allowed: false,
    reason: "b",
    error: "no response",
  });
  expect(union([saying(failing), saying(yes)]).authorize(kim, ask)).toBe(yes);
});

test("RBAC-53: the rights of all are listed, each once", async () => {
  const first = { ...NOTHING, resourceRules: [PODS], incomplete: true };
  const second = { ...NOTHING, resourceRules: [{ ...PODS }, { ...PODS, verbs: ["list"] }], error: "odd" };
  expect(await union([saying(yes, first), saying(yes, second)]).rightsOf(kim, "n")).toEqual({
    resourceRules: [PODS, { ...PODS, verbs: ["list"] }],
    pathRules: [],
    incomplete: true,
    error: "odd",
  });
});
