/**
 * Formats results of tests as JUnit XML, as test runners of CI servers read it.
 *
 * @module
 */
import type { PolicyCaseResult, PolicySuiteResult, PolicyTestReport } from "../meta/policy-test-report.ts";
import { printable } from "./colours.ts";

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string): string => printable(text).replace(/[&<>"]/g, (character) => ESCAPES[character]!);

const secondsOf = (cases: readonly PolicyCaseResult[]): string =>
  (cases.reduce((sum, { millis }) => sum + millis, 0) / 1000).toFixed(3);

const failedOf = (cases: readonly PolicyCaseResult[]): number => cases.filter(({ passed }) => !passed).length;

/** Returns the results as a document. */
export function junitOf({ suites, passed, failed }: PolicyTestReport): string {
  const seconds = secondsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${passed + failed}" failures="${failed}" time="${seconds}">`,
    ...suites.flatMap(suiteLines),
    "</testsuites>",
  ].join("\n");
}

function suiteLines({ name, file, cases }: PolicySuiteResult): string[] {
  const counts = `tests="${cases.length}" failures="${failedOf(cases)}" time="${secondsOf(cases)}"`;
  return [
    `  <testsuite name="${escaped(name)}" file="${escaped(file)}" ${counts}>`,
    ...cases.flatMap((one) => caseLines(name, one)),
    "  </testsuite>",
  ];
}

function caseLines(suite: string, one: PolicyCaseResult): string[] {
  const head = `    <testcase classname="${escaped(suite)}" name="${escaped(one.name)}" time="${secondsOf([one])}"`;
  if (one.passed) return [`${head}/>`];
  const [first = ""] = one.failures;
  const text = [...one.failures, ...one.said].map(escaped).join("\n");
  return [`${head}>`, `      <failure message="${escaped(first)}">${text}</failure>`, "    </testcase>"];
}
