import { expect, test } from "vitest";
import type { BlameReport, ReportedManager } from "../../../src/meta/ownership-reports.ts";
import type { Value } from "../../../src/value/value.ts";
import {
  changedLines,
  foldedFor,
  isChanged,
  legendOf,
  ownedText,
  ownerText,
  plainText,
  withoutOwners,
} from "./owners.ts";
import { atOnce } from "../../../src/util/steps.ts";

const object = { apiVersion: "v1", kind: "ConfigMap", name: "web" };
const by = (manager: string, subresource?: string): ReportedManager => ({
  manager,
  operation: "Apply",
  apiVersion: "v1",
  ...(subresource ? { subresource } : {}),
});

/** The report of an object, whose leaves are owned by who is named for their pointers. */
function reportOf(value: Value, owners: Readonly<Record<string, readonly ReportedManager[]>>): BlameReport {
  const report = atOnce(withoutOwners(value, object));
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
  const texts = [false, true].map((unreported) => atOnce(plainText(object_, { unreported })));
  expect(texts).toEqual([
    'metadata:\n  name: web\n  resourceVersion: "5"\n  generation: 2\n',
    "metadata:\n  name: web\n  generation: 2\n",
  ]);
});

test("each line has its owners; managedFields are not there", () => {
  const { text, lines } = atOnce(ownedText(report));
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
  expect(atOnce(ownedText(report, { status: true })).text).not.toContain("status");
});

test("managers have a sign and a colour each", () => {
  const { lines } = atOnce(ownedText(report));
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
  const { text, lines } = atOnce(ownedText(report));
  const rows = text.split("\n");
  const seen = (manager: string): string[] => {
    const folded = foldedFor(lines, manager);
    return rows.slice(0, -1).filter((_, at) => !folded.some(([from, to]) => at >= from && at < to));
  };
  expect(seen("alice")).toEqual(["data:", '  a: "1"', "list:", "- name: two"]);
  expect(seen("nobody")).toEqual([]);
});

test("a changed line is found by its place in the object", () => {
  const before = atOnce(ownedText(report));
  const changed = atOnce(ownedText(reportOf({ ...value, data: { new: "1", a: "1", "b.c/d": "x\nz\n" } }, {})));
  const rows = changed.text.split("\n");
  expect(changedLines(before, changed).map((at) => rows[at])).toEqual(['  new: "1"', "  b.c/d: |", "    x", "    z"]);
  expect(changedLines(before, before)).toEqual([]);
});

test("hostile names stay one line of text each", () => {
  const { text, lines } = atOnce(
    ownedText(reportOf({ data: { "<script>": "\u202e</script>\u0000", "a\nb": "---\n..." } }, {})),
  );
  expect(lines).toHaveLength(text.split("\n").length - 1);
  expect(text).not.toContain("\u0000");
});

test("who owns a line is said in words", () => {
  const line = { pointer: "/data/a", managers: [], isUnowned: true, isContinued: false };
  const now = Date.parse("2026-11-30T10:00:00Z");
  expect(ownerText(line, now)).toBe("no owner");
  expect(ownerText({ ...line, isUnowned: false }, now)).toBe("its presence has no owner; see its members");
  expect(ownerText({ ...line, setBy: { name: "default", source: "the\u202e schema" } as never }, now)).toBe(
    String.raw`no owner; default of the\u{202e} schema sets it`,
  );
  const managers = [{ ...by("alice"), time: "2026-11-30T09:55:00Z" }, by("bob", "scale")];
  expect(ownerText({ ...line, managers }, now)).toBe("owned by alice (Apply, 5m ago), bob (Apply scale)");
});

test("an object has changed if a value has that not every write changes", () => {
  const of = (metadata: object, more: object = {}): BlameReport =>
    reportOf({ metadata: { name: "web", ...metadata }, data: { a: "1" }, ...more } as Value, {});
  const before = of({ resourceVersion: "1", generation: 1 }, { status: { ready: true } });
  expect(isChanged(before, of({ resourceVersion: "2", generation: 2 }, { status: { ready: true } }))).toBe(false);
  const ready = of({ resourceVersion: "2" }, { status: { ready: false } });
  expect(isChanged(before, ready)).toBe(true);
  expect(isChanged(before, ready, { status: true })).toBe(false);
  expect(isChanged(before, of({ resourceVersion: "2", labels: { a: "" } }), { status: true })).toBe(true);
  expect(isChanged(of({ labels: { a: "" } }), of({}))).toBe(true);
});

test("the text of a large object is made in many steps, and all of it comes out", () => {
  const data = Object.fromEntries(Array.from({ length: 12_000 }, (_, i) => [`key-${i}`, "x"]));
  const steps = plainText({ data });
  let count = 0;
  for (let step = steps.next(); ; step = steps.next(), count++) {
    if (!step.done) continue;
    expect(step.value.split("\n")).toHaveLength(12_002);
    break;
  }
  expect(count).toBeGreaterThan(60);
});
