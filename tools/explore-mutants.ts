/**
 * Explores mistakes made by hand in our binder, collector and provisioner, and tells which are found; see docs/evidence/mutants.md.
 *
 *     npm run explore:mutants -- [--of binder] [--only TEXT,TEXT] [--seed 1] [--plans 200]
 *     npm run explore:mutants -- --originals [--only STORY,STORY] [--seed 1,2,3]
 *     npm run explore:mutants -- --page
 *
 * What came of each is kept in .results/mutants.json, so that they can be played in parts. `--originals` explores the stories without
 * mutants, which must show nothing. `--rest` leaves out what is kept. `--page` plays nothing, and writes what is kept into docs/evidence/mutants.md.
 *
 * Ends with 1 where a mutant is not found that has been found before, or a story shows a fault without a mutant.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { exploreStory } from "../test/explore/mutants/explore-story.ts";
import type { Mutant } from "../test/explore/mutants/mutant.ts";
import { type Kept, PAGE, sectionOf, withSection } from "../test/explore/mutants/page.ts";
import { playMutants } from "../test/explore/mutants/play.ts";
import { STORIES, type StoryName } from "../test/explore/mutants/stories.ts";
import { MUTANTS } from "../test/explore/mutants/table.ts";

const { values } = parseArgs({
  options: {
    of: { type: "string" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    plans: { type: "string", default: "200" },
    originals: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    rest: { type: "boolean", default: false },
  },
});

const KEPT = new URL("../.results/mutants.json", import.meta.url);
const plans = Number(values.plans);
const only = values.only.split(",");
const isChosen = (name: string): boolean => only.some((text) => name.includes(text));
const seeds = values.seed.split(",").map(Number);

const readKept = (): Kept =>
  existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, "utf8")) as Kept) : { mutants: {}, originals: {} };

/** Keeps what came of one; others may be playing at the same time. */
function keep(part: keyof Kept, key: string, value: object): void {
  const kept = readKept();
  mkdirSync(new URL(".", KEPT), { recursive: true });
  writeFileSync(KEPT, JSON.stringify({ ...kept, [part]: { ...kept[part], [key]: value } }, undefined, 1));
}

/** The mutants of one controller are played one after another, those of others beside them; those that hide come last. Returns how many were lost. */
async function play(of: string, mutants: readonly Mutant[], seed: number): Promise<number> {
  const { mutants: known } = readKept();
  const isLeft = (name: string): boolean => !values.rest || known[name]?.seed !== seed || known[name].limit !== plans;
  const chosen = mutants
    .filter(({ name }) => isChosen(name) && isLeft(name))
    .toSorted((a, b) => Number(a.hidden !== undefined) - Number(b.hidden !== undefined));
  if (chosen.length === 0 || (values.of !== undefined && values.of !== of)) return 0;
  let lost = 0;
  for await (const { mutant, name, found, notices, plans: played, seconds } of playMutants(chosen, { seed, plans })) {
    const how = `${played} plans, ${seconds.toFixed(0)} s`;
    keep("mutants", name, { seed, limit: plans, plans: played, ...(found && { kind: found.kind, plan: found.plan }) });
    if (found) {
      const plan = found.plan.length === 0 ? "without any perturbation" : found.plan.join("; ");
      console.log(`${of}: ${name}\n  found ${found.kind} (${how}): ${plan}\n  ${found.sentence}`);
      continue;
    }
    if (mutant.shows !== undefined) lost++;
    const why = mutant.hidden ?? (mutant.shows === undefined ? "" : `it was found before, as ${mutant.shows}`);
    console.log(`${of}: ${name}\n  NOT FOUND (${how}, ${notices.length} notices) ${why}`);
  }
  return lost;
}

/** Explores the stories without mutants. Returns how many faults they show. */
async function playOriginals(seed: number): Promise<number> {
  let accused = 0;
  for (const name of Object.keys(STORIES).filter(isChosen) as StoryName[]) {
    if (values.rest && readKept().originals[`${name} ${seed}`]?.limit === plans) continue;
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const { faults, plans: played, seconds } = await exploreStory({ story: name, seed, plans });
    const found = faults.filter(({ severity }) => severity === "fault");
    accused += found.length;
    keep("originals", `${name} ${seed}`, { limit: plans, faults: found.map(({ key }) => key) });
    console.log(`${name}, seed ${seed}: ${found.length} faults (${played} plans, ${seconds.toFixed(0)} s)`);
    for (const { sentence, plan } of found) console.log(`  ${sentence}\n    ${plan.join("; ")}`);
  }
  return accused;
}

if (values.page) {
  writeFileSync(PAGE, withSection(readFileSync(PAGE, "utf8"), sectionOf(MUTANTS, Object.keys(STORIES), readKept())));
} else {
  for (const seed of seeds) {
    const wrong = values.originals
      ? [await playOriginals(seed)]
      : await Promise.all(Object.entries(MUTANTS).map(([of, mutants]) => play(of, mutants, seed)));
    if (wrong.some((count) => count > 0)) process.exitCode = 1;
  }
}
