import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ANSWERS } from "./answers.ts";
import { CONFORMANCE, type SpecCase, type SpecFile, TREES } from "./data.ts";
import { type Judge, judgeAnswer, judgeCheck, judgeParse, judgeRun } from "./judge.ts";

/** What differs, with the reason: tests by their names, answers by their expressions. */
const known = JSON.parse(readFileSync(new URL("known.json", import.meta.url), "utf8")) as Readonly<
  Record<"parse" | "check" | "run" | "answers", Readonly<Record<string, string>>>
>;

const named = ({ name }: SpecFile): string => name;

/** What differs, by the names of the tests. */
function differences(cases: readonly SpecCase[], judge: Judge, reasons: Readonly<Record<string, string>>): unknown {
  const verdicts = cases.map((one) => [one.name, judge(one)] as const);
  return verdicts.filter(([name, { kind }]) => (kind === "failed") !== name in reasons);
}

const ALL = [...TREES, ...CONFORMANCE];

test.each(ALL.map((file) => [named(file), file] as const))(
  "CEL-10: the parser makes the specification's trees: %s",
  (_, { cases }) => {
    expect(differences(cases, judgeParse, known.parse)).toEqual([]);
  },
);

test.each(ALL.map((file) => [named(file), file] as const))(
  "CEL-4: the checker gives each node the specification's type: %s",
  (_, { cases }) => {
    expect(differences(cases, judgeCheck, known.check)).toEqual([]);
  },
);

test.each(CONFORMANCE.map((file) => [named(file), file] as const))(
  "CEL-6: expressions have the specification's values: %s",
  (_, { cases }) => {
    expect(differences(cases, judgeRun, known.run)).toEqual([]);
  },
);

test("CEL-50: the specification's expressions cost what they cost in Kubernetes, with its messages", () => {
  const verdicts = ANSWERS.map((answer) => [answer.expr, judgeAnswer(answer)] as const);
  expect(verdicts.filter(([expr, { kind }]) => (kind === "failed") !== expr in known.answers)).toEqual([]);
});

test("most of the tests apply", () => {
  const applied = CONFORMANCE.flatMap(({ cases }) => cases.filter((one) => judgeRun(one).kind !== "outside"));
  expect(applied.length).toBeGreaterThan(1_200);
});
