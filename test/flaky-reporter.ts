import type { Reporter, TestCase } from "vitest/node";

/** Names the tests that failed and then passed: each is a test, or a program, that depends on how busy the machine is. */
export class FlakyReporter implements Reporter {
  readonly #flaky: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#flaky.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#flaky.length === 0) return;
    console.log(
      `\nPassed only when run once more, to be looked at:\n${this.#flaky.map((name) => `  ${name}\n`).join("")}`,
    );
  }
}
