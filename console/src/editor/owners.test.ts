import { expect, test } from "vitest";
import type { BlameReport, ReportedManager } from "../../../src/meta/ownership-reports.ts";
import type { Value } from "../../../src/value/value.ts";
import { allSteps, changedLines, foldedFor, legendOf, ownedText, withoutOwners } from "./owners.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", name: "web" };
const by = (manager: string, subresource?: string): ReportedManager => ({
  manager,
  operation: "Apply",
  apiVersion: "v1",
  ...(subresource ? { subresource } : {}),
});

/** The report of an object, whose leaves are owned by who is named for their pointers. */
function reportOf(value: Value, owners: Readonly<Record<string, readonly ReportedManager[]>>): BlameReport {
  const report = withoutOwners(value, object);
  return { ...report, leaves: report.leaves.map((leaf) => ({ ...leaf, managers: owners[leaf.pointer] ?? [] })) };
}

const value = {
  metadata: { name: "web", managedFields: [{ manager: "alice" }] },
  data: { a: "1", "b.c/d": "x\ny\n" },
  list: [{ name: "one", port: 1 }, { name: "two" }],
  status: { ready: true },
};
const report = reportOf(value, {
  "/data/a": [by("alice"), by("bob")],
  "/data/b.c~1d": [by("bob", "scale")],
  "/list/1/name": [by("alice")],
});

test("what changes with every write is left out of versions that are compared", () => {
  const object_ = { metadata: { name: "web", resourceVersion: "5", managedFields: [], generation: 2 } };
  const texts = [false, true].map(
    (unreported) => allSteps(ownedText(withoutOwners(object_, object), { unreported })).text,
  );
  expect(texts).toEqual([
    'metadata:\n  name: web\n  resourceVersion: "5"\n  generation: 2\n',
    "metadata:\n  name: web\n  generation: 2\n",
  ]);
});

test("each line has its owners; managedFields are not there", () => {
  const { text, lines } = allSteps(ownedText(report));
  expect(text).toBe(`metadata:
  name: web
data:
  a: "1"
  b.c/d: |
    x
    y
list:
- name: one
  port: 1
- name: two
status:
  ready: true
`);
  expect(lines).toHaveLength(text.split("\n").length - 1);
  expect(lines[3]!.managers.map(({ manager }) => manager)).toEqual(["alice", "bob"]);
  expect(lines.slice(4, 7).map(({ isContinued, managers }) => [isContinued, managers[0]?.manager])).toEqual([
    [false, "bob"],
    [true, "bob"],
    [true, "bob"],
  ]);
  expect(allSteps(ownedText(report, { status: true })).text).not.toContain("status");
});

test("managers have a sign and a colour each", () => {
  const { lines } = allSteps(ownedText(report));
  expect(legendOf(lines)).toEqual([
    { manager: "alice", sign: "A", colour: 0, lines: 2, operations: ["Apply"] },
    { manager: "bob", sign: "B", colour: 1, lines: 4, operations: ["Apply", "Apply scale"] },
  ]);
  const many = Array.from({ length: 30 }, (_, i) => ({ ...lines[0]!, managers: [by(`m${i}`)] }));
  expect(legendOf(many).map(({ sign }) => sign)).toEqual([
    ...Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "AA",
    "AB",
    "AC",
    "AD",
  ]);
});

test("folds what a manager does not own, and keeps what contains its lines", () => {
  const { text, lines } = allSteps(ownedText(report));
  const rows = text.split("\n");
  const seen = (manager: string): string[] => {
    const folded = foldedFor(lines, manager);
    return rows.slice(0, -1).filter((_, at) => !folded.some(([from, to]) => at >= from && at < to));
  };
  expect(seen("alice")).toEqual(["data:", '  a: "1"', "list:", "- name: two"]);
  expect(seen("nobody")).toEqual([]);
});

test("a changed line is found by its place in the object", () => {
  const before = allSteps(ownedText(report));
  const changed = allSteps(ownedText(reportOf({ ...value, data: { new: "1", a: "1", "b.c/d": "x\nz\n" } }, {})));
  const rows = changed.text.split("\n");
  expect(changedLines(before, changed).map((at) => rows[at])).toEqual(['  new: "1"', "  b.c/d: |", "    x", "    z"]);
  expect(changedLines(before, before)).toEqual([]);
});

test("hostile names stay one line of text each", () => {
  const { text, lines } = allSteps(
    ownedText(withoutOwners({ data: { "<script>": "\u202e</script>\u0000", "a\nb": "---\n..." } }, object)),
  );
  expect(lines).toHaveLength(text.split("\n").length - 1);
  expect(text).not.toContain("\u0000");
});
