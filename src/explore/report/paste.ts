/**
 * A test to paste, which fails while the fault exists.
 *
 * @module
 */
import { printable } from "../../util/terminal.ts";
import type { Finding } from "../contract/finding.ts";

/** Texts by what runs them: `vitest` and `node:test`, or `shell`. */
export type TestsToPaste = Readonly<Partial<Record<"vitest" | "node:test" | "shell", string>>>;

/**
 * Returns tests: TypeScript that plays the plan in process, or lines for a shell where the finding is of programs or of a driver.
 *
 * @param command plays the finding again
 */
export function testsToPaste(finding: Finding, command?: string): TestsToPaste {
  if (command !== undefined && (finding.command ?? finding.programs ?? finding.csi)) {
    const lines = [`# ${printable(finding.fault.sentence)}`, "# The exit code is 1 while it shows.", command, ""];
    return { shell: lines.join("\n") };
  }
  return { vitest: testFor("vitest", finding), "node:test": testFor("node:test", finding) };
}

const testFor = (runner: string, finding: Finding): string =>
  [
    `import { it } from ${JSON.stringify(runner)};`,
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

/** A text as source: JSON, in which line separators are escaped as well. */
const literal = (text: string): string =>
  JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

const objectLiteral = (finding: Finding): string =>
  JSON.stringify(finding, undefined, 2).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
