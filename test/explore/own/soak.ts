/**
 * `npm run soak:explore`: explores all stories by turns, each time with another seed, until the time is over. Each finding is a file.
 *
 *     npm run soak:explore -- --hours 1 [--seed S] [--budget 60s] [--plans N] [--only rollout,job] [--rounds 1] [--out DIR]
 *         [--perturbations crash,lead-changes]
 *     npm run soak:explore -- --replay FILE
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { PerturbationType } from "../../../src/explore/contract/plan.ts";
import type { Finding } from "../../../src/explore/contract/finding.ts";
import { decodeFinding, encodeFinding } from "../../../src/explore/finding-file.ts";
import { describePlan } from "../../../src/explore/perturbations/index.ts";
import { type Duration, millisOf } from "../../../src/util/duration.ts";
import { exploreStory, replayStory } from "./run.ts";
import { OWN_STORIES } from "./stories.ts";
import { acceptedBy } from "./story.ts";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "1" },
    rounds: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(performance.timeOrigin % 1e9)) },
    budget: { type: "string", default: "60s" },
    plans: { type: "string" },
    only: { type: "string" },
    perturbations: { type: "string" },
    out: { type: "string", default: "findings" },
    replay: { type: "string" },
  },
});

const names = Object.keys(OWN_STORIES).filter((name) => values.only?.split(",").includes(name) ?? true);
if (names.length === 0)
  throw new Error(`expected --only to name some of ${Object.keys(OWN_STORIES).join(", ")}, got ${values.only}`);

const totals = { plans: 0, runs: 0, findings: 0 };
if (values.replay === undefined) await soakAll();
else await again(values.replay);
process.exitCode = totals.findings > 0 ? 1 : 0;

async function again(file: string): Promise<void> {
  const finding = decodeFinding(readFileSync(file, "utf8"), file);
  const { name } = finding.scenario;
  const story = Object.values(OWN_STORIES).find(({ scenario }) => scenario.name === name);
  if (story === undefined) throw new Error(`expected ${file} to be of one of the stories, found the scenario ${name}`);
  const { fault } = await replayStory(story, finding);
  const accepted = fault && acceptedBy(story, { fault, plan: finding.plan });
  console.log(fault ? `${fault.key}\n${fault.sentence}` : "the fault does not show");
  if (accepted) console.log(`accepted: ${accepted.why}`);
  else if (fault) totals.findings++;
}

async function soakAll(): Promise<void> {
  const end = performance.now() + Number(values.hours) * 3_600_000;
  for (let round = 0; round < Number(values.rounds) && performance.now() < end; round++) {
    for (const name of names) {
      if (performance.now() >= end) break;
      // oxlint-disable-next-line no-await-in-loop -- stories are one after the other
      await soak(name, Number(values.seed) + round);
    }
  }
  console.log(`${totals.plans} plans in ${totals.runs} runs, ${totals.findings} findings`);
}

async function soak(name: string, seed: number): Promise<void> {
  const { exploration, findings, notices, accepted } = await exploreStory(OWN_STORIES[name]!, {
    seed,
    budgetMillis: millisOf(values.budget as Duration),
    ...(values.plans !== undefined && { plans: Number(values.plans) }),
    ...(values.perturbations !== undefined && { only: values.perturbations.split(",") as PerturbationType[] }),
  });
  const { plans, runs, seconds, ended } = exploration;
  totals.plans += plans;
  totals.runs += runs;
  totals.findings += findings.length;
  console.log(
    `${name} (seed ${seed}): ${plans} plans in ${runs} runs, ${seconds.toFixed(1)} s, ${ended}; ` +
      `${findings.length} findings, ${accepted.length} accepted, ${notices.length} notices`,
  );
  findings.forEach((finding, index) => report(finding, `${name.replaceAll(" ", "-")}-${seed}-${index}.json`));
  for (const notice of notices) print(notice);
  for (const { fault, plan } of accepted) console.log(`  accepted ${fault.key}\n    ${describePlan(plan).join("; ")}`);
}

function report(finding: Finding, file: string): void {
  mkdirSync(values.out, { recursive: true });
  const path = join(values.out, file);
  writeFileSync(path, encodeFinding(finding));
  print(finding);
  console.log(`    ${path}`);
}

function print({ fault, plan, steps, replayed }: Finding): void {
  const what = plan.length > 0 ? describePlan(plan).join("; ") : "without any perturbation";
  console.log(`  ${fault.severity} ${fault.key}\n    ${fault.sentence}`);
  console.log(`    ${what}; steps ${steps?.join(", ") ?? "all"}; shown ${replayed.shown} of ${replayed.of}`);
}
