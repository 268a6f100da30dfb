import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { BlameReport, ReportedManager } from "../meta/ownership-reports.ts";
import { blameLines } from "./blame-lines.ts";
import { painter } from "./colours.ts";

const alice: ReportedManager = { manager: "alice", operation: "Apply", apiVersion: "v1", time: "2030-01-01T00:00:00Z" };
const bob: ReportedManager = { manager: "bob", operation: "Update", apiVersion: "v1", subresource: "status" };

const report: BlameReport = {
  kind: "Blame",
  apiVersion: "keelson.dev/v1",
  object: { apiVersion: "v1", kind: "Pod", name: "p" },
  leaves: [
    { field: ".kind", pointer: "/kind", value: "Pod", managers: [] },
    { field: ".metadata.labels.a/b", pointer: "/metadata/labels/a~1b", value: "x", managers: [alice, bob] },
    { field: '.spec.containers[name="a"].name', pointer: "/spec/containers/0/name", value: "a", managers: [alice] },
    {
      field: '.spec.containers[name="a"].args',
      pointer: "/spec/containers/0/args",
      value: ["1", "2"],
      managers: [alice],
    },
    { field: '.spec.containers[name="b"].name', pointer: "/spec/containers/1/name", value: "b", managers: [] },
    { field: '.metadata.finalizers[="f"]', pointer: "/metadata/finalizers/0", value: "f", managers: [bob] },
    { field: ".data.text", pointer: "/data/text", value: "one\ntwo\nthree\n", managers: [alice, bob] },
    { field: ".data.empty", pointer: "/data/empty", value: {}, managers: [alice] },
  ],
  containers: [
    { field: ".metadata", pointer: "/metadata", list: false, managers: [] },
    { field: ".metadata.labels", pointer: "/metadata/labels", list: false, managers: [alice] },
    { field: ".metadata.finalizers", pointer: "/metadata/finalizers", list: true, managers: [] },
    { field: ".spec", pointer: "/spec", list: false, managers: [] },
    { field: ".spec.containers", pointer: "/spec/containers", list: true, managers: [] },
    { field: '.spec.containers[name="a"]', pointer: "/spec/containers/0", list: false, managers: [alice] },
    { field: '.spec.containers[name="b"]', pointer: "/spec/containers/1", list: false, managers: [] },
    { field: ".data", pointer: "/data", list: false, managers: [] },
  ],
  absent: [{ field: ".stringData", manager: alice }],
};

const now = Date.parse("2030-01-01T00:02:30Z");

test("type and name of the object stand first, other members in the order of the report", () => {
  const pointers = [
    "/kind",
    "/data/b",
    "/data/a",
    "/apiVersion",
    "/metadata/uid",
    "/metadata/namespace",
    "/metadata/name",
  ];
  const leaves = pointers.map((pointer) => ({ field: pointer, pointer, value: "x", managers: [] }));
  const lines = blameLines({ ...report, leaves, containers: [], absent: [] }, { paint: painter(false), now });
  expect(lines.slice(1).map((line) => line.slice(line.search(/ \S+:/u)).trim())).toEqual([
    "apiVersion: x",
    "kind: x",
    "metadata:",
    "name: x",
    "namespace: x",
    "uid: x",
    "data:",
    "b: x",
    "a: x",
  ]);
});

test("the tree reads as YAML, with manager, operation and age before each line", () => {
  expect(`\n${blameLines(report, { paint: painter(false), now }).join("\n")}\n`).toBe(
    `
MANAGER  OPERATION      AGE
-                              kind: Pod
                               metadata:
alice    Apply          2m30s    labels:
alice    Apply          2m30s      a/b: x
bob      Update status  -
                                 finalizers:
bob      Update status  -        - f
                               spec:
                                 containers:
alice    Apply          2m30s    - name: a
alice    Apply          2m30s      args:
|                                  - "1"
|                                  - "2"
-                                - name: b
                               data:
alice    Apply          2m30s    text: |
bob      Update status  -          one
|                                  two
|                                  three
alice    Apply          2m30s    empty: {}

Recorded, but not in the object:
alice    Apply          2m30s  .stringData
`,
  );
});

test("every manager has a colour of its own in all its lines", () => {
  const lines = blameLines(report, { paint: painter(true), now });
  expect(lines.find((line) => line.includes("a/b"))).toContain(
    "\u001b[36malice    Apply          2m30s\u001b[0m      a/b: x",
  );
  expect(lines.find((line) => line.endsWith("- f"))).toContain("\u001b[33mbob ");
  expect(lines.find((line) => line.includes("kind: Pod"))).toContain("\u001b[2m- ");
});

test("names of managers cannot control the terminal", () => {
  const evil = { ...alice, manager: "\u001b[2Jx" };
  const leaves = [{ field: ".kind", pointer: "/kind", value: "Pod", managers: [evil] }];
  const text = blameLines({ ...report, leaves, absent: [] }, { paint: painter(false), now }).join("\n");
  expect(text).not.toContain("\u001b");
});

test("an object with many leaves is printed fast enough", () => {
  const leaves = Array.from({ length: 150_000 }, (_, i) => ({
    field: `.data.k${i}`,
    pointer: `/data/k${i}`,
    value: "",
    managers: [alice],
  }));
  expect(blameLines({ ...report, leaves, absent: [] }, { paint: painter(false), now })).toHaveLength(150_002);
});

test("on a terminal long lines are cut, and colours have no width", () => {
  const style = { paint: painter(false), now, columns: 41 };
  const lines = blameLines(report, style);
  expect(lines.slice(0, 6)).toEqual([
    "MANAGER  OPERATION      AGE",
    "-                              kind: Pod",
    "                               metadata:",
    "alice    Apply          2m30s    labels:",
    "alice    Apply          2m30s      a/b: x",
    "bob      Update status  -",
  ]);
  expect(lines).toContain("                                 finaliz…");
  expect(Math.max(...lines.map((line) => line.length))).toBe(41);
  const painted = blameLines(report, { ...style, paint: painter(true) });
  expect(painted.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(lines);
  for (const columns of [1, 10, 30]) {
    const tree = blameLines({ ...report, absent: [] }, { ...style, columns });
    for (const line of tree) expect(line.length).toBeLessThanOrEqual(columns);
  }
});
