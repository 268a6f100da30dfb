import { expect, test } from "vitest";
import type { PolicyTestReport } from "../meta/policy-test-report.ts";
import type { TrialReport } from "../meta/trial-report.ts";
import type { Actions } from "./actions.ts";
import { painter } from "./colours.ts";
import { junitOf } from "./policy-test-junit.ts";
import { runPolicyTest, testLines } from "./policy-test-run.ts";
import { tryLines } from "./policy-try-lines.ts";

const plain = { paint: painter(false) };

const results: PolicyTestReport = {
  kind: "PolicyTestReport",
  apiVersion: "keelson.dev/v1",
  suites: [
    {
      name: "a & b",
      file: "t.yaml",
      cases: [
        { name: "good", from: "t.yaml", passed: true, failures: [], said: [], millis: 1 },
        { name: "<bad>", from: "t.yaml", passed: false, failures: ['expected "x"'], said: ["p denied"], millis: 2 },
      ],
    },
  ],
  passed: 1,
  failed: 1,
  coverage: {
    parts: 4,
    reached: 3,
    percent: 75,
    unreached: [{ place: "p.yaml:3", policy: "p", path: "spec.x", what: "never evaluated", text: "a && b" }],
  },
};

test("results are lines, with what was not reached", () => {
  expect(testLines(results, plain)).toEqual([
    "a & b (t.yaml)",
    "  ok   good",
    "  FAIL <bad>",
    '       expected "x"',
    "       - p denied",
    "",
    "p.yaml:3 p spec.x: never evaluated: a && b",
    "1 passed, 1 failed; coverage 75 % (3 of 4 expressions and branches)",
  ]);
});

test("results are JUnit XML", () => {
  expect(junitOf(results).split("\n")).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites tests="2" failures="1" time="0.003">',
    '  <testsuite name="a &amp; b" file="t.yaml" tests="2" failures="1" time="0.003">',
    '    <testcase classname="a &amp; b" name="good" time="0.001"/>',
    '    <testcase classname="a &amp; b" name="&lt;bad&gt;" time="0.002">',
    '      <failure message="expected &quot;x&quot;">expected &quot;x&quot;',
    "p denied</failure>",
    "    </testcase>",
    "  </testsuite>",
    "</testsuites>",
  ]);
});

/** Runs the command with a report; resolves to its exit code and what it prints. */
async function ran(report: PolicyTestReport, coverageMin?: number) {
  const printed: string[] = [];
  const told: string[] = [];
  const exit = { done: 0, failed: 1 };
  const actions = {
    testPolicies: () => Promise.resolve(report),
    print: (text: string) => void printed.push(text),
    terminal: { isTerminal: false, env: {}, columns: undefined, tell: (text: string) => void told.push(text) },
    exit,
  } as unknown as Actions;
  await runPolicyTest(actions, { paths: ["p"], output: "json", ...(coverageMin === undefined ? {} : { coverageMin }) });
  return { code: exit.done, told, printed };
}

test("the exit code is 1 where a case fails, or less is reached than is asked for", async () => {
  const passing = { ...results, failed: 0 };
  expect((await ran(results)).code).toBe(1);
  expect((await ran(passing)).code).toBe(0);
  expect((await ran(passing, 75)).code).toBe(0);
  const tooLittle = await ran(passing, 75.1);
  expect(tooLittle.code).toBe(1);
  expect(tooLittle.told).toEqual(["expected a coverage of at least 75.1 %, got 75 %"]);
  expect(JSON.parse(tooLittle.printed.join(""))).toEqual(passing);
  await expect(ran({ ...results, passed: 0, failed: 0 })).rejects.toThrow("expected at least one case");
});

const none = { judged: 0, refuse: 0, warn: 0, audit: 0, change: 0, fail: 0 };

const trial: TrialReport = {
  kind: "PolicyTrial",
  apiVersion: "keelson.dev/v1",
  policies: [
    {
      kind: "ValidatingAdmissionPolicy",
      policy: "p",
      bindings: ["b"],
      objects: { ...none, judged: 3, refuse: 1 },
      writes: { ...none, judged: 4, change: 1 },
      resources: [{ resource: "configmaps", ...none, judged: 7, refuse: 1, change: 1 }],
      managers: [{ manager: "", refuse: 1, warn: 0, audit: 0, change: 1, fail: 0 }],
      millis: 1.5,
      cost: 30,
      mostExpensive: { object: { apiVersion: "v1", kind: "ConfigMap", name: "a" }, cost: 20 },
    },
  ],
  findings: [
    {
      policy: "p",
      binding: "b",
      would: "refuse",
      of: "object",
      operation: "CREATE",
      object: { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: "n" },
      managers: ["kubectl"],
      message: "no\u001b[2J",
    },
    {
      policy: "p",
      binding: "b",
      would: "change",
      of: "write",
      operation: "UPDATE",
      object: { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: "n", resourceVersion: "7" },
      managers: [],
      changes: [
        { op: "add", pointer: "/data/x", after: 1 },
        { op: "remove", pointer: "/data/y" },
      ],
    },
  ],
  furtherFindings: 2,
  skipped: [{ resource: "secrets", why: "not allowed" }],
  history: { since: "1", until: "9", withoutBefore: 1, stopped: "it was compacted" },
};

test("a trial is a table for each policy, and the first findings", () => {
  expect(tryLines(trial, plain)).toEqual([
    "ValidatingAdmissionPolicy/p  JUDGED  REFUSED  WARNED  AUDITED  CHANGED  FAILED",
    "stored objects               3       1        0       0        0        0",
    "writes of the history        4       0        0       0        1        0",
    "  configmaps                 7       1        0       0        1        0",
    "  by (no manager)                    1        0       0        1        0",
    "1.5 ms, CEL cost 30, most of it for configmap/a: 20",
    "",
    "p (b) would refuse configmap/a in n by kubectl: no\uFFFD[2J",
    "p (b) would change the UPDATE of configmap/a@7 in n",
    "    add .data.x = 1",
    "    remove .data.y",
    "and 2 further findings; --limit shows more",
    "secrets left out: not allowed",
    "history from 1 to 9; 1 update without the version before left out; it was compacted",
  ]);
});
