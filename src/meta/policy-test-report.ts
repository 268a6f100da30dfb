/**
 * The results of tests of policies. See docs/guides/admission-policies.md.
 *
 * @module
 */

/** The result of one case. */
export interface PolicyCaseResult {
  readonly name: string;
  /** The file and the document of the case. */
  readonly from: string;
  readonly passed: boolean;
  /** What was expected, and what was found; empty where the case has passed. */
  readonly failures: readonly string[];
  /** The decisions of the policies, one line for each. */
  readonly said: readonly string[];
  readonly millis: number;
}

/** The results of the cases of one document. */
export interface PolicySuiteResult {
  readonly name: string;
  readonly file: string;
  readonly cases: readonly PolicyCaseResult[];
}

/** A part that no case has reached. */
export interface UnreachedPart {
  /** The file and the line: `policies/limit.yaml:12`. */
  readonly place: string;
  /** The policy, and the path of the expression in it. */
  readonly policy: string;
  readonly path: string;
  /** `never evaluated`, or the branch that was never taken. */
  readonly what: string;
  /** The line of the expression. */
  readonly text: string;
}

/** How much of the expressions was reached. */
export interface PolicyCoverage {
  /** Expressions and branches. */
  readonly parts: number;
  readonly reached: number;
  /** 100 where there is nothing to reach. */
  readonly percent: number;
  readonly unreached: readonly UnreachedPart[];
}

/** The results of a run. */
export interface PolicyTestReport {
  readonly kind: "PolicyTestReport";
  readonly apiVersion: string;
  readonly suites: readonly PolicySuiteResult[];
  readonly passed: number;
  readonly failed: number;
  readonly coverage: PolicyCoverage;
}
