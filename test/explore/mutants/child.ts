/**
 * A process that looks for mutants one after another, and writes what became of each as a line of JSON.
 *
 *     node test/explore/mutants/child.ts '{ "mutants": ["..."], "seed": 1, "plans": 60 }'
 *
 * @module
 */
import { type exploreStory as explore, showsWithout } from "./explore-story.ts";
import type { Mutant } from "./mutant.ts";
import { MutantLoader } from "./loader.ts";
import type { ChildOrder, Outcome } from "./play.ts";
import { MUTANTS } from "./table.ts";

/** Faults that a story shows without a mutant are passed over so many times. */
const MAX_KNOWN = 4;
const ENTRY = new URL("explore-story.ts", import.meta.url);

/** Explores the story of a mutant until it shows a fault that it does not show without the mutant. */
async function look(mutant: Mutant, loader: MutantLoader, { seed, plans }: ChildOrder): Promise<Outcome> {
  const { exploreStory } = (await loader.import(mutant)) as { readonly exploreStory: typeof explore };
  const known: string[] = [];
  let seconds = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each knows what the one before has shown
    const result = await exploreStory({ story: mutant.story, seed, plans, known });
    seconds += result.seconds;
    const notices = result.faults.filter(({ severity }) => severity === "notice");
    const found = result.faults.find(({ severity, key }) => severity === "fault" && !known.includes(key));
    const outcome = { name: mutant.name, notices, plans: result.plans, seconds };
    if (!found || known.length > MAX_KNOWN) return outcome;
    // oxlint-disable-next-line no-await-in-loop
    if (!(await showsWithout(mutant.story, found.finding))) return { ...outcome, found };
    known.push(found.key);
  }
}

const order = JSON.parse(process.argv[2]!) as ChildOrder;
using loader = new MutantLoader(ENTRY);
const all = Object.values(MUTANTS).flat();
for (const name of order.mutants) {
  const mutant = all.find((one) => one.name === name)!;
  // oxlint-disable-next-line no-await-in-loop -- one after another
  process.stdout.write(`${JSON.stringify(await look(mutant, loader, order))}\n`);
}
