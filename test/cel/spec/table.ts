/**
 * Prints how our expressions hold against the specification's tests, a row for each file, and what differs:
 * `node test/cel/spec/table.ts [FILE]`.
 *
 * @module
 */
import { ANSWERS } from "./answers.ts";
import { CONFORMANCE, type SpecFile, TREES } from "./data.ts";
import { type Judge, judgeAnswer, judgeCheck, judgeParse, judgeRun } from "./judge.ts";

const JUDGES: readonly (readonly [string, Judge])[] = [
  ["parse", judgeParse],
  ["check", judgeCheck],
  ["run", judgeRun],
];

const only = process.argv[2];
const reasons = new Map<string, number>();
const differences: string[] = [];
const totals = [0, 0, 0].map(() => ({ passed: 0, failed: 0, outside: 0 }));

function row(file: SpecFile, judges: typeof JUDGES): string {
  const cells = judges.map(([step, judge], i) => {
    const count = { passed: 0, failed: 0, outside: 0 };
    for (const one of file.cases) {
      const verdict = judge(one);
      count[verdict.kind]++;
      totals[i]![verdict.kind]++;
      if (verdict.kind === "outside") reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1);
      if (verdict.kind === "failed")
        differences.push(`${step} ${file.name}: ${one.name}\n  ${one.ask.expr}\n  ${verdict.what}`);
    }
    return `${count.passed}/${count.failed}/${count.outside}`;
  });
  return `| ${[file.name, file.cases.length, ...cells, ...(judges.length < 3 ? [""] : [])].join(" | ")} |`;
}

console.log("Passed, failed and left out.\n\n| file | tests | parse | check | run |\n|---|---|---|---|---|");
for (const file of TREES) if (!only || only === file.name) console.log(row(file, JUDGES.slice(0, 2)));
for (const file of CONFORMANCE) if (!only || only === file.name) console.log(row(file, JUDGES));
console.log(`| all | | ${totals.map((one) => `${one.passed}/${one.failed}/${one.outside}`).join(" | ")} |`);
let right = 0;
for (const answer of only ? [] : ANSWERS) {
  const verdict = judgeAnswer(answer);
  if (verdict.kind === "failed") differences.push(`kubernetes: ${answer.expr}\n  ${verdict.what}`);
  else right++;
}
console.log(`\nAnswered as Kubernetes does, costs and messages included: ${right} of ${ANSWERS.length}.`);
console.log("\nLeft out, for each step:");
for (const [reason, count] of reasons) console.log(`- ${reason}: ${count}`);
if (differences.length > 0) console.log(`\nDifferences:\n\n${differences.join("\n")}`);
