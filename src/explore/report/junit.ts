import { painter } from "../../util/terminal.ts";
import { explorationLines } from "./exploration-text.ts";
import type { ExplorationReport } from "./exploration-report.ts";
import type { FindingReport } from "./finding-report.ts";
import { escaped } from "./markup.ts";
import { findingLines } from "./terminal.ts";

const PLAIN = { paint: painter(false), columns: 120 };

/**
 * Returns an exploration as JUnit XML, as CI servers read it: a test case for the exploration with its coverage, which has an error where it could not go on, a failed one for each
 * finding, and a passed one with the report as its output for each notice.
 */
export function explorationJunit(report: ExplorationReport): string {
  const { scenario, seconds, findings, notices, failure } = report;
  const counts = `tests="${1 + findings.length + notices.length}" failures="${findings.length}" time="${seconds.toFixed(3)}"`;
  const summary = explorationLines(report, PLAIN).join("\n");
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="keelson explore" ${counts}>`,
    `  <testsuite name="${escaped(scenario)}" errors="${failure === undefined ? 0 : 1}" skipped="0" ${counts}>`,
    ...testcase(scenario, "exploration", seconds, [
      ...(failure === undefined ? [] : [`<error type="failed" message="${escaped(failure)}"/>`]),
      `<system-out>${escaped(summary)}</system-out>`,
    ]),
    ...findings.flatMap((one) => {
      const { kind, sentence } = one.finding.fault;
      const failed = `<failure type="${kind}" message="${escaped(sentence)}">${textOf(one)}</failure>`;
      return testcase(scenario, sentence, 0, [failed]);
    }),
    ...notices.flatMap((one) =>
      testcase(scenario, `notice: ${one.finding.fault.sentence}`, 0, [`<system-out>${textOf(one)}</system-out>`]),
    ),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const textOf = (report: FindingReport): string => escaped(findingLines(report, PLAIN).join("\n"));

const testcase = (scenario: string, name: string, seconds: number, content: readonly string[]): string[] => [
  `    <testcase classname="${escaped(scenario)}" name="${escaped(name)}" time="${seconds.toFixed(3)}">`,
  ...content.map((line) => `      ${line}`),
  "    </testcase>",
];
