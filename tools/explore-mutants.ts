/**
 * Explores mistakes made by hand in our binder, collector and provisioner, and tells which are found; see docs/evidence/mutants.md.
 *
 *     npm run explore:mutants -- [--of binder] [--only TEXT] [--seed 1] [--plans 60]
 *
 * Ends with 1 where a mutant is not found that has been found before.
 */
import { parseArgs } from "node:util";
import type { Mutant } from "../test/explore/mutants/mutant.ts";
import { type Outcome, playMutants } from "../test/explore/mutants/play.ts";
import { MUTANTS } from "../test/explore/mutants/table.ts";

type Played = { readonly mutant: Mutant } & Outcome;

const { values } = parseArgs({
  options: {
    of: { type: "string" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    plans: { type: "string", default: "60" },
  },
});

const options = { seed: Number(values.seed), plans: Number(values.plans) };
const played: Played[] = [];

/** The mutants of one controller are played one after another, those of others beside them. */
async function play(of: string, mutants: readonly Mutant[]): Promise<void> {
  const chosen = mutants.filter(({ name }) => name.includes(values.only));
  if (chosen.length === 0 || (values.of !== undefined && values.of !== of)) return;
  for await (const one of playMutants(chosen, options)) {
    played.push(one);
    console.log(`${of}: ${textOf(one)}`);
  }
}

function textOf({ mutant, found, notices, plans, seconds }: Played): string {
  const how = `${plans} plans, ${seconds.toFixed(0)} s`;
  if (!found) return `${mutant.name}\n  NOT FOUND (${how}, ${notices.length} notices) ${mutant.hidden ?? ""}`;
  const plan = found.plan.length === 0 ? "without any perturbation" : found.plan.join("; ");
  return `${mutant.name}\n  found ${found.kind} (${how}): ${plan}\n  ${found.sentence}`;
}

await Promise.all(Object.entries(MUTANTS).map(([of, mutants]) => play(of, mutants)));
const found = played.filter((one) => one.found);
console.log(`\nfound ${found.length} of ${played.length} mutants with seed ${values.seed}`);
const lost = played.filter((one) => one.found === undefined && one.mutant.shows !== undefined);
for (const { mutant } of lost) console.log(`NOT FOUND any more: ${mutant.name}`);
process.exitCode = lost.length > 0 ? 1 : 0;
