import { describe, expect, test } from "vitest";
import type { Value } from "../../../../src/value/value.ts";
import { actorOf, lanesOf, openedOf, thinned, type TraceRow } from "./read.ts";

const finding = {
  format: 1,
  scenario: { name: "shop", file: "shop.yaml" },
  seed: 7,
  plan: [
    {
      type: "crash",
      at: {
        actor: "operator",
        protocol: "api",
        verb: "create",
        group: "",
        kind: "ConfigMap",
        namespace: "default",
        name: "a",
        occurrence: 0,
      },
      when: "after",
      downMillis: 1000,
    },
  ],
  fault: {
    kind: "missing",
    key: "missing a",
    sentence: "ConfigMap default/a is missing",
    step: 0,
    severity: "fault",
    expected: "a: 1\n",
  },
  replayed: { shown: 3, of: 3 },
  versions: { keelson: "0.1.0", node: "24", platform: "linux" },
};
const moment = (at: number, text: string, more: object = {}): object => ({
  seq: at,
  at,
  kind: "write",
  key: text,
  text,
  isPerturbed: false,
  ...more,
});
const report = {
  scenario: "shop",
  version: "0.1.0",
  summary: ["1 fault."],
  notices: [],
  coverage: { anything: true },
  findings: [
    {
      finding,
      file: "missing.yaml",
      plan: ["x"],
      steps: ["create the shop"],
      timeLine: [
        { run: moment(0, "step: create the shop", { kind: "step" }), isFirst: false },
        {
          clean: moment(1, "operator created ConfigMap default/a"),
          run: moment(2, "operator created ConfigMap default/a"),
          isFirst: true,
        },
        { run: moment(3, "operator is killed", { kind: "life", isPerturbed: true }), isFirst: false },
      ],
      difference: {
        text: "operator created",
        where: "run",
        lines: [
          { sign: "gap", count: 3 },
          { sign: "+", text: "b: 1" },
        ],
      },
      owners: [],
      state: [],
      output: [{ actor: "operator", lines: ["hello"] }],
      replay: { command: "keelson explore --replay missing.yaml" },
      tests: {},
    },
  ],
};

test("the file of a finding is opened with its plan and what was expected", () => {
  const { title, findings } = openedOf(finding as unknown as Value, "f.yaml");
  expect([title, findings.length, findings[0]!.finding.plan[0]!.type]).toEqual(["shop", 1, "crash"]);
  expect(findings[0]!.state).toEqual([{ sign: "-", text: "a: 1" }]);
});

test("a report is opened with the traces, output and commands of its findings", () => {
  const { summary, findings } = openedOf(report as unknown as Value, "r.json");
  expect(summary).toEqual(["1 fault."]);
  expect(findings[0]).toMatchObject({
    steps: ["create the shop"],
    command: "keelson explore --replay missing.yaml",
    difference: {
      lines: [
        { sign: "gap", text: "3 lines" },
        { sign: "+", text: "b: 1" },
      ],
    },
    output: [{ actor: "operator", lines: ["hello"] }],
  });
  expect(
    lanesOf(findings[0]!.rows).map(({ actor, moments }) => [
      actor,
      moments.map(({ side, isFirst }) => `${side}${isFirst ? " first" : ""}`),
    ]),
  ).toEqual([
    ["user", ["run"]],
    ["operator", ["both first", "run"]],
  ]);
});

describe("what is malformed is refused with the member and what was expected", () => {
  const without = (name: keyof typeof finding): object =>
    Object.fromEntries(Object.entries(finding).filter(([key]) => key !== name));
  test.each([
    ["a text", "expected an object"],
    [{}, "format: expected 1, found nothing"],
    [{ ...finding, format: 2 }, "format: expected 1, found 2"],
    [{ ...finding, extra: 1 }, "extra: unknown member"],
    [without("fault"), "fault: expected an object"],
    [{ ...finding, plan: [{ type: "boom" }] }, "plan[0].type: expected one of"],
    [{ ...finding, scenario: { name: "x", file: "https://example.com/x" } }, "scenario.file: expected a path relative"],
    [{ ...report, findings: {} }, "findings: expected a list"],
    [
      { ...report, findings: [{ ...report.findings[0], timeLine: [{ isFirst: "no" }] }] },
      "findings[0].timeLine[0].isFirst: expected true or false",
    ],
    [{ ...report, findings: Array(2000).fill({}) }, "findings: expected at most 1000 items, found 2000"],
    [{ ...report, findings: [{}] }, "findings[0].finding: expected a finding"],
    [{ ...report, summary: [1] }, "summary[0]: expected a text"],
  ])("%#", (value, message) => {
    expect(() => openedOf(value as unknown as Value, "x")).toThrow(message);
  });
});

test("the program of a moment is its first word, and programs beyond the bound share a lane", () => {
  expect([
    actorOf({ kind: "write", text: "operator: create of ConfigMap a" }),
    actorOf({ kind: "delivery", text: "operator sees x" }),
    actorOf({ kind: "step", text: "step: x" }),
    actorOf({ kind: "perturbation", text: "node lost" }),
    actorOf({ kind: "life", text: "alone" }),
  ]).toEqual(["operator", "operator", "user", "perturbations", "alone"]);
  const rows = Array.from({ length: 100 }, (_, i) => ({
    run: moment(i, `p${i} created x`),
    isFirst: false,
  })) as unknown as TraceRow[];
  const lanes = lanesOf(rows);
  expect([lanes.length, lanes.at(-1)!.actor, lanes.at(-1)!.moments.length]).toEqual([31, "others", 70]);
});

test("of many moments a page draws a part, with the first one that differs", () => {
  const moments = Array.from({ length: 20_000 }, (_, i) => ({
    seq: i,
    at: i,
    kind: "write" as const,
    text: `a${i % 30} wrote`,
    isPerturbed: i % 3 === 0,
  }));
  const rows = moments.map((run, i) => ({ run, isFirst: i === 777 }));
  const lanes = thinned(lanesOf(rows));
  expect(lanes.length).toBe(30);
  const drawn = lanes.flatMap((lane) => lane.moments);
  expect(drawn.length).toBeLessThan(1300);
  expect(drawn.filter(({ isFirst }) => isFirst).map(({ seq }) => seq)).toEqual([777]);
  const few = lanesOf(rows.slice(0, 100));
  expect(thinned(few)).toBe(few);
});
