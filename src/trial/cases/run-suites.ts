/**
 * Runs suites, and reports.
 *
 * @module
 */
import type { PolicyCaseResult, PolicySuiteResult, PolicyTestReport } from "../../meta/policy-test-report.ts";
import type { ReportedRule } from "../../meta/admission-report.ts";
import { REPORT_GROUP, REPORT_VERSION } from "../../meta/ownership-reports.ts";
import { ApiError } from "../../meta/status.ts";
import type { TrialParts } from "../contract.ts";
import { KindTable, readDocuments } from "../documents.ts";
import { failuresOf } from "./check-case.ts";
import { Coverage } from "./coverage.ts";
import type { FileDocument } from "./files.ts";
import { TestFileError } from "./members.ts";
import { type CaseParts, runCase } from "./run-case.ts";
import type { PolicyCase, PolicySuite } from "./suite.ts";

/** Runs suites. Rejects with {@link TestFileError} for documents that the server would refuse. */
export async function runSuites(
  parts: TrialParts,
  suites: readonly PolicySuite[],
  textOf: (file: string) => string,
): Promise<PolicyTestReport> {
  const coverage = new Coverage();
  const observed = { ...parts, observePolicy: coverage.observePolicy };
  const results: PolicySuiteResult[] = [];
  for (const suite of suites) results.push(await runSuite(observed, suite, coverage));
  const cases = results.flatMap((one) => one.cases);
  const passed = cases.filter((one) => one.passed).length;
  return {
    kind: "PolicyTestReport",
    apiVersion: `${REPORT_GROUP}/${REPORT_VERSION}`,
    suites: results,
    passed,
    failed: cases.length - passed,
    coverage: coverage.report(textOf),
  };
}

async function runSuite(parts: TrialParts, suite: PolicySuite, coverage: Coverage): Promise<PolicySuiteResult> {
  const { policies, others } = await readDocuments(suite.documents, parts).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw new TestFileError(`${suite.file}: ${error.status.message ?? error.message}`, { cause: error });
  });
  if (policies.length === 0) throw new TestFileError(`expected a policy for ${suite.file}, found none`);
  const files = new Map(
    suite.documents.map(({ from, ...more }) => [from, (more as Partial<FileDocument>).file ?? from]),
  );
  for (const tried of policies) coverage.add(tried, files.get(tried.policy.from) ?? tried.policy.from);
  for (const { policy, from } of suite.cases) {
    if (policy === undefined || policies.some((one) => one.policy.object.metadata.name === policy)) continue;
    throw new TestFileError(`expected the policy ${policy} of ${from} to be there, it is not`);
  }
  const table = new KindTable(parts.kinds);
  const results: PolicyCaseResult[] = [];
  for (const one of suite.cases) results.push(await resultOf(one, { parts, table, policies, others }));
  return { name: suite.name, file: suite.file, cases: results };
}

async function resultOf(one: PolicyCase, given: CaseParts): Promise<PolicyCaseResult> {
  const { clock } = given.parts.api;
  const began = clock.steady();
  const { name, from } = one;
  const result = await judged(one, given);
  const millis = Math.round((clock.steady() - began) * 100) / 100;
  return { name, from, passed: result.failures.length === 0, ...result, millis };
}

async function judged(one: PolicyCase, given: CaseParts): Promise<Pick<PolicyCaseResult, "failures" | "said">> {
  try {
    const outcome = await runCase(one, given);
    return { failures: failuresOf(one.expect, outcome), said: outcome.rules.map(lineOf) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { failures: [error.status.message ?? error.message], said: [] };
  }
}

/** The decision of one policy. */
function lineOf({ source, matched, result, why }: ReportedRule): string {
  const what = matched ? (result ?? "matched") : "did not match";
  return why === undefined ? `${source} ${what}` : `${source} ${what}: ${why}`;
}
