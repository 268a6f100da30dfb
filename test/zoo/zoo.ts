// Explores every controller of the zoo until its fault is found, and its mended twin as long, and prints a table of both. Ends with 1
// where a fault is not found, a finding does not show when it is played again, or a twin is accused.
//
// Controllers in TypeScript are explored side by side (`--threads 2`), the others one after the other, each with two programs at once.
// `--replay 10` plays each finding again so often over HTTP, and ten times as often in this process. `--page` writes what was measured
// into docs/evidence/zoo.md.
//
//     npm run zoo -- --seed 7 --language TypeScript --only pools,sweeper --details
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { entries } from "./entries.ts";
import type { Entry } from "./entry.ts";
import { type EntryResult, exploreAndReplay, lineOf } from "./explore-entry.ts";
import { type Measured, isLanguage, isRight, loadNow, replaysOf, writePage } from "./page.ts";
import { SideBySide } from "./side-by-side.ts";
import { toolchains } from "./toolchains.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    language: { type: "string" },
    plans: { type: "string" },
    side: { type: "string" },
    replay: { type: "string", default: "0" },
    threads: { type: "string", default: String(availableParallelism()) },
    page: { type: "boolean", default: false },
    details: { type: "boolean", default: false },
  },
});

const PLANS: Readonly<Record<Entry["language"], number>> = { TypeScript: 60, Go: 30, Python: 30 };

/** With the fault, and mended. */
const SIDES: readonly boolean[] = [false, true];
const sides = SIDES.filter((mended) => values.side === undefined || values.side === (mended ? "twin" : "fault"));
const seeds = values.seed.split(",").map(Number);
const times = Number(values.replay);
const chosen = entries.filter(
  ({ name, language }) =>
    (values.only === undefined || values.only.split(",").includes(name)) &&
    (values.language === undefined || values.language.split(",").some((asked) => isLanguage(language, asked))),
);

const tools = chosen.some(({ language }) => language !== "TypeScript") ? await toolchains() : {};
const runnable = chosen.filter(({ language }) => language === "TypeScript" || tools[language] !== undefined);
await using threads = new SideBySide(
  runnable.some(({ language }) => language === "TypeScript") ? Number(values.threads) : 0,
);
const measured: Measured[] = [];
const loadBefore = loadNow();
for (const seed of seeds) measured.push(await explored(seed));
if (chosen.length > runnable.length)
  console.log(`${chosen.length - runnable.length} were left out: what runs them is not here`);
if (values.page) writePage(measured, { times, loadBefore, command: process.argv.slice(2).join(" ") });
process.exitCode = measured.some(({ results }) => results.some((result) => !isRight(result, times))) ? 1 : 0;

/** Explores with one seed. */
async function explored(seed: number): Promise<Measured> {
  const of = (entry: Entry) =>
    sides.map((mended) => {
      const plans = Number(values.plans ?? PLANS[entry.language]);
      return { seed, plans, mended, replays: replaysOf(entry, times), toolchains: tools };
    });
  const began = performance.now();
  const inThreads = runnable
    .filter(({ language }) => language === "TypeScript")
    .flatMap((entry) => of(entry).map((options) => threads.explore(entry, options)));
  // All are waited for at once, so that the first that fails ends all.
  const failed = Promise.all(inThreads);
  failed.catch(() => {});
  const results: EntryResult[] = [];
  for (const exploring of inThreads) {
    const result = await Promise.race([exploring, failed.then(() => exploring)]);
    print(result);
    results.push(result);
  }
  const typescriptSeconds = (performance.now() - began) / 1000;
  for (const entry of runnable.filter(({ language }) => language !== "TypeScript"))
    for (const options of of(entry)) {
      const result = await exploreAndReplay(entry, options);
      print(result);
      results.push(result);
    }
  const done: Measured = { seed, results, typescriptSeconds, seconds: (performance.now() - began) / 1000 };
  summary(done);
  return done;
}

function print(result: EntryResult): void {
  const { entry, mended, found, findings, notices, plans, seconds, shown } = result;
  const what = mended
    ? findings.length === 0
      ? "not accused"
      : `ACCUSED of ${lineOf(findings[0]!)}`
    : found
      ? `found ${lineOf(found)}`
      : `NOT FOUND (${result.ended})`;
  const name = mended ? `  the twin of ${entry.name}` : `${entry.name} (${entry.language})`;
  console.log(`${name.padEnd(26)} ${String(plans).padStart(4)} plans ${seconds.toFixed(1).padStart(6)} s  ${what}`);
  if (shown !== undefined)
    console.log(`    shown ${shown} of ${replaysOf(entry, times)} times when it was played again`);
  if (isRight(result, times) && !values.details) return;
  for (const finding of [...findings, ...notices]) {
    console.log(`    ${finding.fault.severity} ${lineOf(finding)}\n      ${finding.fault.sentence}`);
    if (values.details) console.log(`      seed ${finding.seed} ${JSON.stringify(finding.plan)}`);
    for (const side of ["expected", "found"] as const) {
      const text = finding.fault[side];
      if (values.details && text !== undefined) console.log(`      ${side}: ${text.replaceAll("\n", "\n        ")}`);
    }
  }
}

function summary({ seed, results, typescriptSeconds, seconds }: Measured): void {
  const faulty = results.filter(({ mended }) => !mended);
  const twins = results.filter(({ mended }) => mended);
  console.log(
    `\nfound ${faulty.filter(({ found }) => found).length} of ${faulty.length}, ` +
      `accused ${twins.filter(({ findings }) => findings.length > 0).length} of ${twins.length} twins, ` +
      `in ${seconds.toFixed(0)} s with seed ${seed}, those in TypeScript in ${typescriptSeconds.toFixed(0)} s\n`,
  );
}
