import type { PolicyCaseResult, PolicyTestReport } from "../meta/policy-test-report.ts";
import type { Actions } from "./actions.ts";
import { CliError } from "./cli-error.ts";
import { printable } from "./colours.ts";
import { junitOf } from "./policy-test-junit.ts";
import { type PrintStyle, styleOf } from "./print-report.ts";

/** The files with tests, and the output format. */
export interface PolicyTestRequest {
  readonly paths: readonly string[];
  readonly output: "text" | "json" | "junit";
  readonly coverageMin?: number;
  readonly run?: string;
}

/** Runs tests of policies and prints the results; the exit code is 1 where a case fails or too little is reached. */
export async function runPolicyTest(actions: Actions, request: PolicyTestRequest): Promise<void> {
  const { run = "", coverageMin = 0, output } = request;
  const report = await actions.testPolicies(request.paths, { run });
  if (report.passed + report.failed === 0) throw new CliError("expected at least one case, found none");
  actions.print(textOf(report, output, styleOf(actions)));
  const { percent } = report.coverage;
  if (percent < coverageMin) {
    actions.terminal.tell(`expected a coverage of at least ${coverageMin} %, got ${percent} %`);
  }
  if (report.failed > 0 || percent < coverageMin) actions.exit.done = actions.exit.failed;
}

function textOf(report: PolicyTestReport, output: PolicyTestRequest["output"], style: PrintStyle): string {
  if (output === "json") return JSON.stringify(report, undefined, 2);
  return output === "junit" ? junitOf(report) : testLines(report, style).join("\n");
}

/** Returns the lines of the results. */
export function testLines({ suites, passed, failed, coverage }: PolicyTestReport, { paint }: PrintStyle): string[] {
  const lines = suites.flatMap(({ name, file, cases }) => [
    `${printable(name)} ${paint("dim", `(${printable(file)})`)}`,
    ...cases.flatMap((one) => caseLines(one).map((line) => (one.passed ? line : paint("red", line)))),
    "",
  ]);
  const { percent, reached, parts, unreached } = coverage;
  return [
    ...lines,
    ...unreached.map(({ place, policy, path, what, text }) =>
      printable(`${place} ${policy} ${path}: ${what}: ${text}`),
    ),
    `${passed} passed, ${failed} failed; coverage ${percent} % (${reached} of ${parts} expressions and branches)`,
  ];
}

function caseLines({ name, passed, failures, said }: PolicyCaseResult): string[] {
  const head = `  ${passed ? "ok  " : "FAIL"} ${printable(name)}`;
  if (passed) return [head];
  return [
    head,
    ...failures.map((text) => `       ${printable(text)}`),
    ...said.map((text) => `       - ${printable(text)}`),
  ];
}
