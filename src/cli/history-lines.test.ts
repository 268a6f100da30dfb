import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { HistoryReport, ReportedVersion } from "../meta/history-report.ts";
import { painter } from "./colours.ts";
import { historyLines } from "./history-lines.ts";

const manager = (name: string, subresource?: string) => ({
  manager: name,
  operation: "Update" as const,
  apiVersion: "v1",
  ...(subresource === undefined ? {} : { subresource }),
});

const VERSIONS: readonly ReportedVersion[] = [
  { resourceVersion: "12", event: "deleted", time: "2026-01-02T03:04:07.123Z", managers: [], changes: [] },
  {
    resourceVersion: "9",
    event: "updated",
    time: "2026-01-02T03:04:06Z",
    managers: [manager("alice"), manager("ctl", "status")],
    changes: [
      { op: "replace", pointer: "/data/colour", before: "red", after: "blue" },
      { op: "add", pointer: "/data/a.b", after: "x".repeat(100) },
      { op: "remove", pointer: "/spec", before: { a: [1] } },
    ],
  },
  { resourceVersion: "8", event: "updated", managers: [manager("bob\u001b[2J")], changes: [] },
  { resourceVersion: "7", event: "created", managers: [manager("bob")], changes: [] },
];

const report = (over: Partial<HistoryReport> = {}): HistoryReport => ({
  kind: "History",
  apiVersion: "keelson.dev/v1",
  object: { apiVersion: "v1", kind: "ConfigMap", name: "web" },
  since: "3",
  more: false,
  versions: VERSIONS,
  ...over,
});

test("a history is a table, newest first, with a line for each change and each manager", () => {
  expect(historyLines(report(), { paint: painter(false) })).toEqual([
    "VERSION  TIME                  EVENT    BY                   CHANGES",
    "12       2026-01-02T03:04:07Z  deleted",
    '9        2026-01-02T03:04:06Z  updated  alice (Update)       ~ .data.colour: "red" -> "blue"',
    `                                        ctl (Update status)  + .data["a.b"]: "${"x".repeat(58)}…`,
    '                                                             - .spec: {"a":[1]}',
    "8        -                     updated  bob\uFFFD[2J (Update)     only the owners of fields",
    "7        -                     created  bob (Update)",
  ]);
});

test.each<[string, Partial<HistoryReport>, string]>([
  ["the limit has cut it", { more: true }, "versions before 7 are left out; --limit shows more"],
  [
    "older versions are gone",
    { versions: [{ ...VERSIONS[3]!, event: "kept" }], since: "10" },
    "what was before version 10 is not kept any more",
  ],
])("the last line tells that %s", (_when, over, expected) => {
  expect(historyLines(report(over), { paint: painter(false) }).at(-1)).toBe(expected);
});

test("on a terminal additions are green, removals red and replacements yellow", () => {
  const lines = historyLines(report(), { paint: painter(true) });
  expect(lines[2]).toContain('\u001b[33m~ .data.colour: "red" -> "blue"\u001b[0m');
  expect(lines[3]).toContain('\u001b[32m+ .data["a.b"]');
  expect(lines[4]).toContain("\u001b[31m- .spec");
});

test("on a terminal long lines are cut", () => {
  const columns = 103;
  const lines = historyLines(report(), { paint: painter(false), columns });
  expect(lines.slice(2, 4)).toEqual([
    '9        2026-01-02T03:04:06Z  updated  alice (Update)       ~ .data.colour: "red" -> "blue"',
    `                                        ctl (Update status)  + .data["a.b"]: "${"x".repeat(24)}…`,
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBe(columns);
});

test("on a narrow terminal changes are below their version, and colours have no width", () => {
  const narrow = { paint: painter(false), columns: 70 };
  const lines = historyLines(report(), narrow);
  expect(lines).toEqual([
    "VERSION  TIME                  EVENT    BY",
    "12       2026-01-02T03:04:07Z  deleted",
    "9        2026-01-02T03:04:06Z  updated  alice (Update)",
    "                                        ctl (Update status)",
    '    ~ .data.colour: "red" -> "blue"',
    `    + .data["a.b"]: "${"x".repeat(48)}…`,
    '    - .spec: {"a":[1]}',
    "8        -                     updated  bob\uFFFD[2J (Update)",
    "    only the owners of fields",
    "7        -                     created  bob (Update)",
  ]);
  const painted = historyLines(report(), { ...narrow, paint: painter(true) });
  expect(painted.map((line) => stripVTControlCharacters(line))).toEqual(lines);
  for (const columns of [1, 20, 40]) {
    for (const line of historyLines(report(), { paint: painter(false), columns })) {
      expect(line.length).toBeLessThanOrEqual(columns);
    }
  }
});
