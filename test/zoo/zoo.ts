// Explores every controller of the zoo until its fault is found, and its mended twin as long, and prints a table of both. Ends with 1
// where a fault is not found or a twin is accused.
//
//     npm run zoo -- --seed 7 --language TypeScript --only pools,sweeper --details
import { parseArgs } from "node:util";
import { entries } from "./entries.ts";
import type { Entry } from "./entry.ts";
import { type EntryResult, exploreEntry, lineOf } from "./explore-entry.ts";
import { type Toolchains, toolchains } from "./toolchains.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    language: { type: "string" },
    plans: { type: "string" },
    side: { type: "string" },
    details: { type: "boolean", default: false },
  },
});

const PLANS: Readonly<Record<Entry["language"], number>> = { TypeScript: 60, Go: 30, Python: 30 };

/** With the fault, and mended. */
const SIDES: readonly boolean[] = [false, true];
const nameOf = (mended: boolean): string => (mended ? "twin" : "fault");

const isChosen = ({ name, language }: Entry): boolean =>
  (values.only === undefined || values.only.split(",").includes(name)) &&
  (values.language === undefined || values.language.toLowerCase() === language.toLowerCase());

const isRunnable = ({ language }: Entry, tools: Toolchains): boolean =>
  language === "TypeScript" || tools[language] !== undefined;

const seconds = (result: EntryResult): string => `${result.seconds.toFixed(1).padStart(6)} s`;

function print(result: EntryResult): boolean {
  const { entry, mended, found, findings, notices, plans } = result;
  const isRight = mended ? findings.length === 0 : found !== undefined;
  const what = mended
    ? isRight
      ? "not accused"
      : `ACCUSED of ${lineOf(findings[0]!)}`
    : found
      ? `found ${lineOf(found)}`
      : `NOT FOUND (${result.ended})`;
  const name = mended ? `  the twin of ${entry.name}` : `${entry.name} (${entry.language})`;
  console.log(`${name.padEnd(26)} ${String(plans).padStart(4)} plans ${seconds(result)}  ${what}`);
  if (isRight && !values.details) return isRight;
  for (const finding of [...findings, ...notices]) {
    console.log(`    ${finding.fault.severity} ${lineOf(finding)}\n      ${finding.fault.sentence}`);
    if (values.details) console.log(`      seed ${finding.seed} ${JSON.stringify(finding.plan)}`);
    for (const side of ["expected", "found"] as const) {
      const text = finding.fault[side];
      if (values.details && text !== undefined) console.log(`      ${side}: ${text.replaceAll("\n", "\n        ")}`);
    }
  }
  return isRight;
}

const chosen = entries.filter(isChosen);
const tools = chosen.some(({ language }) => language !== "TypeScript") ? await toolchains() : {};
const results: EntryResult[] = [];
let wrong = 0;
for (const entry of chosen.filter((one) => isRunnable(one, tools))) {
  for (const mended of SIDES.filter((side) => values.side === undefined || values.side === nameOf(side))) {
    const plans = Number(values.plans ?? PLANS[entry.language]);
    const result = await exploreEntry(entry, { seed: Number(values.seed), plans, mended, toolchains: tools });
    results.push(result);
    if (!print(result)) wrong++;
  }
}
const faulty = results.filter(({ mended }) => !mended);
const twins = results.filter(({ mended }) => mended);
const total = results.reduce((sum, result) => sum + result.seconds, 0);
console.log(
  `\nfound ${faulty.filter(({ found }) => found).length} of ${faulty.length}, ` +
    `accused ${twins.filter(({ findings }) => findings.length > 0).length} of ${twins.length} twins, ` +
    `in ${total.toFixed(0)} s with seed ${values.seed}`,
);
const left = chosen.length - chosen.filter((one) => isRunnable(one, tools)).length;
if (left > 0) console.log(`${left} were left out: what runs them is not here`);
process.exitCode = wrong > 0 ? 1 : 0;
