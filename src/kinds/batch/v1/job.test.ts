import { describe, expect, test } from "vitest";
import { kubernetes } from "../../../meta/dialect.ts";
import type { ApiObject } from "../../../schema/definition.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { commonIndex, countIndexes, indexFault } from "./indexes.ts";
import { jobKind } from "./job.ts";

const ctx = contextOf(kubernetes);
const kind = new KindUnderTest(jobKind(ctx), ctx);

const pod = { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" };
const template = { spec: pod };
const specOf = (object: ApiObject): Record<string, unknown> => object["spec"] as Record<string, unknown>;
const causesOf = (changes: object): readonly string[] => kind.create({ spec: { template, ...changes } }).causes;

const changed = (object: ApiObject, changes: object): readonly string[] =>
  kind.change(object, { spec: { ...specOf(object), ...changes } }).causes;

describe("a Job", () => {
  test.each<[object, object]>([
    [{}, { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false }],
    [{ parallelism: 3 }, { parallelism: 3 }],
    [{ completions: 3 }, { parallelism: 1, completions: 3, manualSelector: false }],
    [{ completionMode: "Indexed", completions: 2, backoffLimitPerIndex: 1 }, { backoffLimit: 2147483647 }],
    [
      { podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "X" }] }] } },
      {
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules: [{ onPodConditions: [{ type: "X", status: "True" }] }] },
      },
    ],
  ])("KIND-Job-1: %j is filled in", (sent, full) => {
    const { object, causes } = kind.create({ spec: { template, ...sent } });
    expect(causes).toEqual([]);
    expect(specOf(object)).toMatchObject(full);
  });

  test("KIND-Job-1: a queue has no completions", () => {
    expect(specOf(kind.create({ spec: { template, parallelism: 3 } }).object)["completions"]).toBeUndefined();
  });

  test("KIND-Job-2, KIND-Job-3: the server makes the selector and the labels", () => {
    const { object } = kind.create({ spec: { template } });
    const { uid } = object.metadata;
    const made = {
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-name": "x",
      "controller-uid": uid,
      "job-name": "x",
    };
    expect(specOf(object)["selector"]).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
    expect(specOf(object)).toMatchObject({ template: { metadata: { labels: made } } });
    expect(object.metadata.labels).toEqual(made);
    const labelled = { metadata: { labels: { app: "a" } }, spec: pod };
    expect(kind.create({ spec: { template: labelled } }).object.metadata.labels).toMatchObject({
      app: "a",
      "job-name": "x",
    });
    const own = { metadata: { name: "x", labels: { own: "1" } }, spec: { template: labelled } };
    expect(kind.create(own).object.metadata.labels).toEqual({ own: "1" });
  });

  test("KIND-Job-4: what the client says of them needs manualSelector", () => {
    const selector = { matchLabels: { app: "a" } };
    const labelled = { metadata: { labels: { app: "a", "job-name": "other" } }, spec: pod };
    expect(causesOf({ selector, template: { metadata: { labels: { app: "a" } }, spec: pod } })).toEqual([
      "FieldValueInvalid spec.selector",
    ]);
    expect(causesOf({ template: labelled })).toEqual(["FieldValueInvalid spec.template.metadata.labels[job-name]"]);
    expect(causesOf({ manualSelector: true, selector, template: labelled })).toEqual([]);
    expect(causesOf({ manualSelector: true, template: labelled })).toEqual([
      "FieldValueInvalid spec.template.metadata.labels",
      "FieldValueRequired spec.selector",
    ]);
  });

  test("KIND-Job-5: Pods of a Job come to an end", () => {
    const field = "spec.template.spec.restartPolicy";
    const withPolicy = (restartPolicy: string | undefined, more: object = {}): readonly string[] =>
      causesOf({ template: { spec: { ...pod, restartPolicy } }, ...more });
    expect(withPolicy("Always")).toEqual([`FieldValueRequired ${field}`]);
    expect(withPolicy("OnFailure")).toEqual([]);
    const podFailurePolicy = { rules: [{ action: "Ignore", onPodConditions: [{ type: "X" }] }] };
    expect(withPolicy("OnFailure", { podFailurePolicy })).toEqual([`FieldValueInvalid ${field}`]);
  });

  test("KIND-Job-6: a name that is no label is warned of, one that is too long for a label is refused", () => {
    expect(kind.create({ metadata: { name: "a.b" }, spec: { template } }).warnings).toHaveLength(1);
    const { causes } = kind.create({ metadata: { name: "a".repeat(64) }, spec: { template } });
    expect(causes).toEqual(["FieldValueInvalid spec.template.labels"]);
  });

  test.each(["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"])(
    "KIND-Job-7: %s is not negative",
    (member) => {
      expect(causesOf({ [member]: -1 })).toContain(`FieldValueInvalid spec.${member}`);
    },
  );

  const indexed = { completionMode: "Indexed", completions: 3 };
  const policy = (rule: object, more: object = {}): readonly string[] =>
    causesOf({ podFailurePolicy: { rules: [rule] }, ...more });
  const RULE = "spec.podFailurePolicy.rules[0]";
  const conditions = { onPodConditions: [{ type: "X" }] };

  test.each<[string, object, string]>([
    ["KIND-Job-8", { completionMode: "Indexed", parallelism: 1 }, "FieldValueRequired spec.completions"],
    ["KIND-Job-8", { ...indexed, parallelism: 100_001 }, "FieldValueInvalid spec.parallelism"],
    ["KIND-Job-8", { backoffLimitPerIndex: 1 }, "FieldValueInvalid spec.backoffLimitPerIndex"],
    ["KIND-Job-8", { ...indexed, maxFailedIndexes: 1 }, "FieldValueRequired spec.backoffLimitPerIndex"],
    [
      "KIND-Job-8",
      { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
      "FieldValueInvalid spec.maxFailedIndexes",
    ],
    ["KIND-Job-10", { successPolicy: { rules: [{ succeededCount: 1 }] } }, "FieldValueInvalid spec.successPolicy"],
    ["KIND-Job-10", { ...indexed, successPolicy: { rules: [] } }, "FieldValueRequired spec.successPolicy.rules"],
    [
      "KIND-Job-10",
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,3" }] } },
      "FieldValueInvalid spec.successPolicy.rules[0].succeededIndexes",
    ],
    [
      "KIND-Job-10",
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 3 }] } },
      "FieldValueInvalid spec.successPolicy.rules[0].succeededCount",
    ],
    ["KIND-Job-11", { managedBy: "me" }, "FieldValueInvalid spec.managedBy"],
    ["KIND-Job-11", { managedBy: "" }, "FieldValueRequired spec.managedBy"],
    ["KIND-Job-11", { managedBy: `example.com/${"a".repeat(60)}` }, "FieldValueTooLong spec.managedBy"],
  ])("%s: %j is %s", (_, changes, cause) => {
    expect(causesOf(changes)).toEqual([cause]);
  });

  test("KIND-Job-9: rules of failures", () => {
    expect(policy({ action: "Other", ...conditions })).toEqual([`FieldValueNotSupported ${RULE}.action`]);
    expect(policy({ action: "FailIndex", ...conditions })).toEqual([`FieldValueInvalid ${RULE}.action`]);
    expect(policy({ action: "Ignore" })).toEqual([`FieldValueInvalid ${RULE}`]);
    const codes = (onExitCodes: object): readonly string[] => policy({ action: "Count", onExitCodes });
    expect(codes({ operator: "In", values: [1, 2] })).toEqual([]);
    expect(codes({ operator: "In", values: [0] })).toEqual([`FieldValueInvalid ${RULE}.onExitCodes.values[0]`]);
    expect(codes({ operator: "In", values: [2, 1] })).toEqual([`FieldValueInvalid ${RULE}.onExitCodes.values`]);
    expect(codes({ operator: "NotIn", values: [1, 1] })).toEqual([`FieldValueDuplicate ${RULE}.onExitCodes.values[1]`]);
    expect(codes({ operator: "In", values: [1], containerName: "d" })).toEqual([
      `FieldValueInvalid ${RULE}.onExitCodes.containerName`,
    ]);
    const many = Array.from({ length: 21 }, () => ({ action: "Ignore", ...conditions }));
    expect(causesOf({ podFailurePolicy: { rules: many } })).toEqual(["FieldValueTooMany spec.podFailurePolicy.rules"]);
  });

  test("KIND-Job-12: what stays", () => {
    const { object } = kind.create({ spec: { template, ...indexed } });
    for (const change of [{ completionMode: "NonIndexed" }, { managedBy: "example.com/me" }, { completions: 9 }]) {
      const [member] = Object.keys(change);
      expect(changed(object, change)).toEqual([`FieldValueInvalid spec.${member}`]);
    }
    expect(changed(object, { suspend: true, parallelism: 2, backoffLimit: 1, activeDeadlineSeconds: 9 })).toEqual([]);
    const { template: now } = specOf(object) as { template: { spec: object } };
    expect(changed(object, { template: { ...now, spec: { ...now.spec, hostNetwork: true } } })).toEqual([
      "FieldValueInvalid spec.template",
    ]);
  });

  test("KIND-Job-13: an indexed Job is scaled by both numbers together", () => {
    const { object } = kind.create({ spec: { template, ...indexed } });
    expect(changed(object, { completions: 5, parallelism: 5 })).toEqual([]);
    expect(changed(object, { completions: 5, parallelism: 4 })).toEqual(["FieldValueInvalid spec.completions"]);
  });

  test("KIND-Job-14: a suspended Job that has not begun may be directed", () => {
    const { object } = kind.create({ spec: { template, suspend: true } });
    const { template: now } = specOf(object) as { template: { spec: object } };
    const directed = { template: { ...now, spec: { ...now.spec, nodeSelector: { zone: "a" } } } };
    expect(changed(object, directed)).toEqual([]);
    expect(changed({ ...object, status: { startTime: "2026-01-01T00:00:00Z" } }, directed)).toEqual([
      "FieldValueInvalid spec.template",
    ]);
    const image = { template: { ...now, spec: { ...now.spec, containers: [{ name: "c", image: "j" }] } } };
    expect(changed(object, image)).toEqual(["FieldValueInvalid spec.template"]);
  });

  const [began, ended] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
  const condition = (type: string) => ({ type, status: "True" });
  const complete = {
    startTime: began,
    completionTime: ended,
    succeeded: 1,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  };

  test("KIND-Job-15, KIND-Job-16: the status", () => {
    const { object } = kind.create({ spec: { template } });
    const of = (status: object, before: object = {}): readonly string[] =>
      kind.update({ ...object, status: before }, { ...object, status }, "status").causes;
    expect(of(complete)).toEqual([]);
    expect(of({ active: 1, ready: 2 })).toEqual(["FieldValueInvalid status.ready"]);
    expect(of({ active: -1 })).toEqual(["FieldValueInvalid status.active"]);
    expect(of({ ...complete, conditions: [condition("Complete")] })).toEqual(["FieldValueInvalid status.conditions"]);
    expect(of({ ...complete, active: 1 })).toEqual(["FieldValueInvalid status.active"]);
    expect(of({ ...complete, completionTime: "2025-01-01T00:00:00Z" })).toEqual([
      "FieldValueInvalid status.completionTime",
    ]);
    expect(of({ startTime: began, completionTime: ended })).toEqual(["FieldValueInvalid status.completionTime"]);
    expect(of({ startTime: ended }, { startTime: began })).toEqual(["FieldValueRequired status.startTime"]);
    expect(of({ failed: 1 }, { failed: 2 })).toEqual(["FieldValueInvalid status.failed"]);
    expect(of({}, complete)).toContain("FieldValueInvalid status.conditions");
    expect(of({ completedIndexes: "0" })).toEqual(["FieldValueInvalid status.completedIndexes"]);
    expect(of({ uncountedTerminatedPods: { succeeded: ["a"], failed: ["a", ""] } })).toEqual([
      "FieldValueDuplicate status.uncountedTerminatedPods.failed[0]",
      "FieldValueInvalid status.uncountedTerminatedPods.failed[1]",
    ]);
  });

  test("KIND-Job-16: what ends stays, and what is not begun may end", () => {
    const { object } = kind.create({ spec: { template } });
    const of = (job: ApiObject, status: object, before: object = {}): readonly string[] =>
      kind.update({ ...job, status: before }, { ...job, status }, "status").causes;
    const later = { ...complete, completionTime: "2026-01-01T00:02:00Z" };
    expect(of(object, later, complete)).toEqual(["FieldValueInvalid status.completionTime"]);
    const { startTime: _, ...never } = complete;
    expect(of(object, never)).toEqual(["FieldValueRequired status.startTime"]);
    const idle = kind.create({ spec: { template, suspend: true, completions: 0 } }).object;
    expect(of(idle, never)).toEqual([]);
    const resumed = { startTime: ended, conditions: [{ type: "Suspended", status: "False" }] };
    expect(of(object, resumed, { startTime: began, conditions: [condition("Suspended")] })).toEqual([]);
  });

  test("KIND-Job-16: counts of an indexed Job shrink with completions and parallelism only; no index is in both lists", () => {
    const per = { ...indexed, backoffLimitPerIndex: 1 };
    const of = (changes: object, status: object, before: object = {}): readonly string[] => {
      const { object } = kind.create({ spec: { template, ...per, ...changes } });
      return kind.update({ ...object, status: before }, { ...object, status }, "status").causes;
    };
    expect(of({ parallelism: 1 }, { succeeded: 1 }, { succeeded: 2 })).toEqual(["FieldValueInvalid status.succeeded"]);
    expect(of({ parallelism: 3, completions: 3 }, { succeeded: 1 }, { succeeded: 2 })).toEqual([]);
    const lists = { completedIndexes: "0", failedIndexes: "0-1" };
    expect(of({}, lists)).toEqual(["FieldValueInvalid status.failedIndexes"]);
    expect(of({}, lists, lists)).toEqual([]);
    expect(of({}, { completedIndexes: "0", failedIndexes: "1" })).toEqual([]);
    expect(of({ backoffLimitPerIndex: null }, { failedIndexes: "" })).toEqual([
      "FieldValueInvalid status.failedIndexes",
    ]);
  });

  test("KIND-Job-3: a write of the status without labels leaves the Job those of its template", () => {
    const { object } = kind.create({ spec: { template } });
    const sent = { metadata: { name: "x" }, spec: { template }, status: {} };
    expect(kind.update(object, sent, "status").object.metadata.labels).toEqual(object.metadata.labels);
  });

  test("KIND-Job-4: a selector that finds what the server makes is taken", () => {
    expect(causesOf({ selector: { matchLabels: { "job-name": "x" } } })).toEqual([]);
    const { object } = kind.create({
      spec: {
        manualSelector: true,
        selector: { matchLabels: { a: "" } },
        template: { ...template, metadata: { labels: { a: "" } } },
      },
    });
    expect(changed(object, { manualSelector: false })).toEqual([
      "FieldValueInvalid spec.selector",
      "FieldValueRequired spec.template.metadata.labels[controller-uid]",
      "FieldValueRequired spec.template.metadata.labels[job-name]",
    ]);
  });

  test("KIND-Job-8: maxFailedIndexes is for indexed Jobs, and at most 100 000", () => {
    const field = "FieldValueInvalid spec.maxFailedIndexes";
    expect(causesOf({ maxFailedIndexes: 1 })).toEqual([field, "FieldValueRequired spec.backoffLimitPerIndex"]);
    const most = { ...indexed, backoffLimitPerIndex: 1, completions: 100_000 };
    expect(causesOf({ ...most, maxFailedIndexes: 100_000 })).toEqual([]);
    expect(causesOf({ ...most, maxFailedIndexes: 100_001 })).toEqual([field]);
    expect(causesOf({ completionMode: "Odd", backoffLimitPerIndex: 1 })).toEqual([
      "FieldValueNotSupported spec.completionMode",
    ]);
  });

  test("a Job whose failed indexes may be too many to be told is warned of", () => {
    const wide = { completionMode: "Indexed", completions: 100_001, parallelism: 10_001 };
    expect(kind.create({ spec: { template, ...wide } }).warnings).toEqual([expect.stringMatching(/^spec: /)]);
    expect(kind.create({ spec: { template, ...wide, parallelism: 10_000 } }).warnings).toEqual([]);
  });

  test("KIND-Job-17, KIND-Job-18: what is selected by, and the columns", () => {
    const { object } = kind.create({ spec: { template } });
    const done = { ...object, status: complete };
    expect(kind.definition.selectableFields!["status.successful"]!(done)).toBe("1");
    expect(kind.cells(done).slice(0, 3)).toEqual(["Complete", "1/1", "60s"]);
    expect(kind.cells(object).slice(0, 3)).toEqual(["Running", "0/1", ""]);
    const queue = kind.create({ spec: { template, parallelism: 3 } }).object;
    expect(kind.cells(queue)[1]).toBe("0/1 of 3");
  });

  test("KIND-Job-19: its Pods stay when it is deleted, unless told otherwise", () => {
    expect(kind.definition.orphansDependents).toMatchObject({ warning: expect.any(String) as string });
  });
});

test.each<[string, number, boolean]>([
  ["0,2-4", 5, true],
  ["", 5, true],
  ["2,1", 5, false],
  ["3-1", 5, false],
  ["1-1", 5, false],
  ["01", 5, true],
  ["0-5", 5, false],
  ["a", 5, false],
])("KIND-Job-10: %j names indexes below %d: %s", (text, end, isRight) => {
  expect(indexFault(text, end) === undefined).toBe(isRight);
});

test("indexes are counted without being listed", () => {
  expect(countIndexes("0,2-4,1000000-1999999")).toBe(1_000_004);
});

test("an index that is in two lists is found, past parts that are wrong", () => {
  expect(commonIndex("0,2-4", "1,5", 9)).toBeUndefined();
  expect(commonIndex("0,2-4", "1,3", 9)).toBe(3);
  expect(commonIndex("a,9,3", "3-8", 9)).toBe(3);
  expect(commonIndex("", "0", 9)).toBeUndefined();
});
