// Explores every controller of the zoo until its fault is found, and its mended twin as long, and prints a table of both. Ends with 1
// where a fault is not found or a twin is accused.
//
// `--replay 10` plays each finding again, and says how often it showed. `--page` writes the table of all seeds into docs/evidence/zoo.md.
//
//     npm run zoo -- --seed 7 --language TypeScript --only pools,sweeper --details
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { entries } from "./entries.ts";
import type { Entry } from "./entry.ts";
import { type EntryResult, exploreEntry, lineOf, replayEntry } from "./explore-entry.ts";
import { type Toolchains, toolchains } from "./toolchains.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    language: { type: "string" },
    plans: { type: "string" },
    side: { type: "string" },
    replay: { type: "string", default: "0" },
    page: { type: "boolean", default: false },
    details: { type: "boolean", default: false },
  },
});

const PLANS: Readonly<Record<Entry["language"], number>> = { TypeScript: 60, Go: 30, Python: 30 };

/** With the fault, and mended. */
const SIDES: readonly boolean[] = [false, true];
const nameOf = (mended: boolean): string => (mended ? "twin" : "fault");

const isLanguage = (language: string, asked: string): boolean =>
  language.toLowerCase() === asked || (language === "TypeScript" && asked === "ts");

const isChosen = ({ name, language }: Entry): boolean =>
  (values.only === undefined || values.only.split(",").includes(name)) &&
  (values.language === undefined || isLanguage(language, values.language.toLowerCase()));

const isRunnable = ({ language }: Entry, tools: Toolchains): boolean =>
  language === "TypeScript" || tools[language] !== undefined;

const seeds = values.seed.split(",").map(Number);
const times = Number(values.replay);

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

/** One line of a page: an entry with one seed. */
interface Row {
  readonly seed: number;
  readonly fault: EntryResult | undefined;
  readonly twin: EntryResult | undefined;
  readonly shown: number | undefined;
}

const chosen = entries.filter(isChosen);
const runnable = chosen.some(({ language }) => language !== "TypeScript") ? await toolchains() : {};
const rows = new Map<Entry, Row[]>();
let wrong = 0;
for (const seed of seeds) {
  const results: EntryResult[] = [];
  for (const entry of chosen.filter((one) => isRunnable(one, runnable))) {
    const sides = SIDES.filter((side) => values.side === undefined || values.side === nameOf(side));
    const own: EntryResult[] = [];
    for (const mended of sides) {
      const plans = Number(values.plans ?? PLANS[entry.language]);
      const result = await exploreEntry(entry, { seed, plans, mended, toolchains: runnable });
      own.push(result);
      if (!print(result)) wrong++;
    }
    results.push(...own);
    const fault = own.find(({ mended }) => !mended);
    const options = { mended: false, times, toolchains: runnable };
    const shown = times > 0 && fault?.found ? await replayEntry(entry, fault.found, options) : undefined;
    if (shown !== undefined) console.log(`    shown ${shown} of ${times} times when it was played again`);
    if (shown !== undefined && shown < times * (entry.language === "TypeScript" ? 1 : 0.9)) wrong++;
    const row = { seed, fault, twin: own.find(({ mended }) => mended), shown };
    rows.set(entry, [...(rows.get(entry) ?? []), row]);
  }
  summary(seed, results);
}
const left = chosen.length - rows.size;
if (left > 0) console.log(`${left} were left out: what runs them is not here`);
if (values.page) writeFileSync(new URL("../../docs/evidence/zoo.md", import.meta.url), page());
process.exitCode = wrong > 0 ? 1 : 0;

function summary(seed: number, results: readonly EntryResult[]): void {
  const faulty = results.filter(({ mended }) => !mended);
  const twins = results.filter(({ mended }) => mended);
  const total = results.reduce((sum, result) => sum + result.seconds, 0);
  console.log(
    `\nfound ${faulty.filter(({ found }) => found).length} of ${faulty.length}, ` +
      `accused ${twins.filter(({ findings }) => findings.length > 0).length} of ${twins.length} twins, ` +
      `in ${total.toFixed(0)} s with seed ${seed}\n`,
  );
}

function page(): string {
  const each = (of: readonly Row[], text: (row: Row) => string): string => of.map(text).join(", ");
  const lines = [...rows].map(([entry, of]) => {
    const cells = [
      `\`${entry.name}\` (${entry.language})`,
      entry.fault,
      each(of, ({ fault }) => (fault ? (fault.found?.fault.kind ?? "not found") : "")),
      each(of, ({ fault }) => (fault ? String(fault.plans) : "")),
      each(of, ({ fault }) => (fault ? fault.seconds.toFixed(1) : "")),
      each(of, ({ shown }) => (shown === undefined ? "" : `${shown} of ${times}`)),
      each(of, ({ twin }) => (twin ? (twin.findings.length === 0 ? `no, ${twin.plans} plans` : "yes") : "")),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const [load] = loadavg();
  return `# The zoo

Small controllers with one fault each, and twins in which only that is mended; [testing](../contributing/testing.md) explains them.
\`npm run zoo -- --seed ${values.seed} --replay ${times} --page\` has written this page, with Node ${process.version} on a machine of
${availableParallelism()} CPUs whose load was ${load!.toFixed(1)} in the end. Cells have one value for each of the seeds ${seeds.join(", ")}.

| controller | fault | found as | plans | seconds | played again | twin accused |
| --- | --- | --- | --- | --- | --- | --- |
${lines.join("\n")}
`;
}
