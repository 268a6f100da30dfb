import { describe, expect, test } from "vitest";
import type { PlannedRestart } from "../../../../src/meta/plan-report.ts";
import { countsOf, nameOf, restartText, savedPlan, valueText } from "./report.ts";

const object = { apiVersion: "apps/v1", kind: "Deployment", namespace: "team", name: "web" };
const saved = {
  kind: "Plan",
  apiVersion: "keelson.dev/v1",
  outcome: "planned",
  resourceVersion: "12",
  documents: [
    {
      document: 0,
      object,
      result: "changed",
      changes: [{ op: "replace", pointer: "/spec/replicas", before: 1, after: 2, managers: ["keelson"] }],
      lost: [{ manager: "helm", fields: [".a"] }],
      warnings: ["w"],
    },
    { document: 1, result: "refused", refusedBy: "validation", status: { message: "no", code: 422 }, warnings: [] },
  ],
  pruned: [{ object, result: "deleted", warnings: [] }],
  findings: [{ kind: "quota", namespace: "team", name: "q", message: "too much" }],
  restarts: [{ object, strategy: "RollingUpdate", count: 2, pods: ["a", "b"], maxUnavailable: 1, maxSurge: 0 }],
  unknown: { later: true },
};

describe("a saved plan", () => {
  test("is read with its documents, findings and restarts; members of later versions are left out", () => {
    const plan = savedPlan([JSON.stringify(saved)])!;
    expect(plan.documents[0]).toMatchObject({
      object,
      result: "changed",
      changes: [{ pointer: "/spec/replicas", before: 1, after: 2 }],
    });
    expect(plan.documents[1]).toMatchObject({ refusedBy: "validation", status: { message: "no" } });
    expect(countsOf(plan)).toEqual([
      ["created", 0],
      ["changed", 1],
      ["deleted", 1],
      ["unchanged", 0],
      ["refused", 1],
    ]);
    expect([plan.findings.length, plan.restarts.length, "unknown" in plan]).toEqual([1, 1, false]);
  });
  test("is the only document, and says that it is one", () => {
    const json = JSON.stringify(saved);
    expect([[], [json, json], ["{}"], ['{"a":{"kind":"Plan"}}'], ['["\\"kind\\":\\"Plan\\""]']].map(savedPlan)).toEqual(
      Array(5).fill(undefined),
    );
  });
  test.each([
    [{ kind: "Plan", outcome: "x" }, "outcome: expected planned, committed or refused"],
    [{ ...saved, documents: {} }, "documents: expected a list"],
    [{ ...saved, documents: [1] }, "documents[0]: expected an object"],
    [{ ...saved, documents: [{ result: "<script>" }] }, "result: expected one of created"],
    [{ ...saved, documents: [{ result: "created", warnings: [1] }] }, "warnings: expected a list of texts"],
    [{ ...saved, documents: Array(5000).fill({}) }, "documents: expected at most 4096 items, found 5000"],
    [{ ...saved, restarts: [{ strategy: "x" }] }, "strategy: expected"],
    [{ ...saved, findings: [{ kind: {} }] }, "kind: expected a text"],
  ])("that is malformed says what was expected: %#", (value, message) => {
    expect(() => savedPlan([JSON.stringify(value)])).toThrow(message);
  });
});

const restart = (more: Partial<PlannedRestart>): PlannedRestart =>
  ({
    object,
    strategy: "RollingUpdate",
    count: 2,
    pods: ["a", "b"],
    maxUnavailable: 1,
    maxSurge: 0,
    ...more,
  }) as PlannedRestart;

test.each([
  [{}, "Deployment team/web replaces 2 Pods, at most 1 unavailable: a, b"],
  [
    { maxUnavailable: 0, maxSurge: 1, count: 1, pods: [] },
    "Deployment team/web replaces 1 Pod, none unavailable, 1 more than desired",
  ],
  [{ strategy: "Recreate", podsLeftOut: 3 }, "Deployment team/web replaces 2 Pods, all at once: a, b and 3 more"],
  [{ strategy: "OnDelete", stays: 2 }, "Deployment team/web replaces none of 2 Pods until they are deleted"],
  [{ isPaused: true, stays: 1 }, "Deployment team/web is paused: 1 Pod stay until it is resumed"],
  [{ stays: 1 }, "Deployment team/web replaces 2 Pods, at most 1 unavailable; 1 below the partition stay: a, b"],
] as const)("a restart in a sentence: %#", (more, text) => {
  expect(restartText(restart(more as Partial<PlannedRestart>))).toBe(text);
});

test("a document without an object has a name, and a long value is cut", () => {
  expect(nameOf({})).toBe("an object without a kind or a name");
  expect(valueText("x".repeat(5000)).length).toBe(2001);
  expect([valueText(undefined), valueText({ a: null })]).toEqual(["", '{"a":null}']);
});
