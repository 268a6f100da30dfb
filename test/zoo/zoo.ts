// Explores every controller of the zoo until its fault is found, and its mended twin as long, and prints a table of both. Ends with 1
// where a fault is not found, a finding does not show when it is played again, or a twin is accused.
//
// `--side-by-side 2` explores so many at once: those in TypeScript in threads, the others with two runs each.
// `--replay 10` plays each finding again so often over HTTP, and ten times as often in this process. `--page` writes what was measured
// into docs/evidence/zoo.md.
//
//     npm run zoo -- --seed 7 --language TypeScript --only pools,sweeper --details
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { entries } from "./entries.ts";
import type { Entry } from "./entry.ts";
import { type EntryOptions, type EntryResult, exploreAndReplay, lineOf } from "./explore-entry.ts";
import { type Measured, isLanguage, isRight, loadNow, replaysOf, writePage } from "./page.ts";
import { Semaphore } from "../../src/util/semaphore.ts";
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
    "side-by-side": { type: "string", default: String(availableParallelism()) },
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
const sideBySide = Number(values["side-by-side"]);
await using threads = new SideBySide(runnable.some(({ language }) => language === "TypeScript") ? sideBySide : 0);
const measured: Measured[] = [];
const loadBefore = loadNow();
for (const seed of seeds) measured.push(await explored(seed));
if (chosen.length > runnable.length)
  console.log(`${chosen.length - runnable.length} were left out: what runs them is not here`);
if (values.page) writePage(measured, { times, loadBefore, command: process.argv.slice(2).join(" ") });
process.exitCode = measured.some(({ results }) => results.some((result) => !isRight(result, times))) ? 1 : 0;

/** Explores with one seed: first those in TypeScript, then the others, so that each kind has the machine for itself. */
async function explored(seed: number): Promise<Measured> {
  const of = (entry: Entry): readonly [Entry, EntryOptions][] =>
    sides.map((mended) => {
      const plans = Number(values.plans ?? PLANS[entry.language]);
      return [entry, { seed, plans, mended, replays: replaysOf(entry, times), toolchains: tools }];
    });
  const [typescript, others] = [true, false].map((is) =>
    runnable.filter(({ language }) => (language === "TypeScript") === is).flatMap(of),
  );
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  const results = await printed(typescript!.map((job) => threads.explore(...job)));
  const typescriptSeconds = since();
  const slots = new Semaphore(sideBySide);
  results.push(...(await printed(others!.map((job) => slots.run(() => exploreAndReplay(...job))))));
  const done: Measured = { seed, results, typescriptSeconds, seconds: since() };
  summary(done);
  return done;
}

/** Prints results in the order of the table. Rejects with the first that fails. */
async function printed(exploring: readonly Promise<EntryResult>[]): Promise<EntryResult[]> {
  const all = Promise.all(exploring);
  all.catch(() => {});
  for (const one of exploring) print(await Promise.race([one, all.then(() => one)]));
  return await all;
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
