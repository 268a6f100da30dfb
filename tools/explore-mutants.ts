/**
 * Explores mistakes made by hand in our binder, collector and provisioner, and tells which are found; see docs/evidence/mutants.md.
 *
 *     npm run explore:mutants -- [--of binder] [--only TEXT] [--seed 1] [--plans 100] [--parallel 2]
 *
 * Ends with 1 where a mutant is not found that should be, or one is found that counts as hidden.
 */
import { parseArgs } from "node:util";
import { type PlayedMutant, playMutant } from "../test/explore/mutants/play.ts";
import { MUTANTS } from "../test/explore/mutants/table.ts";

const { values } = parseArgs({
  options: {
    of: { type: "string" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    plans: { type: "string", default: "100" },
    parallel: { type: "string", default: "2" },
  },
});

const chosen = Object.entries(MUTANTS)
  .filter(([of]) => values.of === undefined || values.of === of)
  .flatMap(([of, mutants]) => mutants.map((mutant) => ({ of, mutant })))
  .filter(({ mutant }) => mutant.name.includes(values.only));
const options = { seed: Number(values.seed), plans: Number(values.plans) };
const played: PlayedMutant[] = [];
const left = chosen.values();

async function work(): Promise<void> {
  for (const { of, mutant } of left) {
    // oxlint-disable-next-line no-await-in-loop -- several side by side
    const one = await playMutant(mutant, options);
    played.push(one);
    console.log(`${of}: ${lineOf(one)}`);
  }
}

function lineOf({ mutant, found, notices, plans, seconds }: PlayedMutant): string {
  const how = `${plans} plans, ${seconds.toFixed(0)} s`;
  if (!found) return `${mutant.name}\n  NOT FOUND (${how}, ${notices.length} notices) ${mutant.hidden ?? ""}`;
  const plan = found.plan.length === 0 ? "without any perturbation" : found.plan.join("; ");
  return `${mutant.name}\n  found ${found.kind} (${how}): ${plan}\n  ${found.sentence}`;
}

await Promise.all(Array.from({ length: Number(values.parallel) }, work));
const found = played.filter((one) => one.found);
console.log(`\nfound ${found.length} of ${played.length} mutants with seed ${values.seed}`);
const wrong = played.filter((one) => (one.found === undefined) !== (one.mutant.hidden !== undefined));
for (const { mutant } of wrong) console.log(`${mutant.hidden === undefined ? "NOT FOUND" : "FOUND"}: ${mutant.name}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
