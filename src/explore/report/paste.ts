/**
 * A test to paste, which fails while the fault is there.
 *
 * @module
 */
import { printable } from "../../util/terminal.ts";
import type { Finding } from "../contract/finding.ts";
import type { FindingReport } from "./finding-report.ts";

/** The runners of tests for which a test is written. */
export type TestRunner = "vitest" | "node:test";

/**
 * Returns the text of a test: TypeScript that plays the plan in process, or lines for a shell where the finding is of programs or of a
 * driver.
 */
export function testToPaste({ finding, replay }: FindingReport, runner: TestRunner = "vitest"): string {
  if (finding.command ?? finding.csi) {
    return [`# ${printable(finding.fault.sentence)}`, "# The exit code is 1 while it shows.", replay.command, ""].join(
      "\n",
    );
  }
  return [
    ...(runner === "vitest" ? ['import { it } from "vitest";'] : ['import { it } from "node:test";']),
    'import { type Finding, replay } from "keelson/testing";',
    "// The scenario and the controllers that were explored.",
    `import { controllers, scenario } from ${literal(`./${finding.scenario.file ?? "scenario.ts"}`)};`,
    "",
    `it(${literal(finding.fault.sentence)}, async () => {`,
    "  const result = await replay(scenario, { controllers }, finding);",
    "  result.assertNone();",
    "});",
    "",
    `const finding: Finding = ${objectLiteral(finding)};`,
    "",
  ].join("\n");
}

/** A text as source: JSON, in which line separators are escaped as well. */
const literal = (text: string): string =>
  JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

const objectLiteral = (finding: Finding): string =>
  JSON.stringify(finding, undefined, 2).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
