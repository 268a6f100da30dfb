/**
 * A process that explores a story with one mutant: the loader gives the text of the mutant in place of one file.
 *
 *     node test/explore/mutants/child.ts '{ "story": "owners", "seed": 1, "plans": 100, "mutant": "..." }'
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { mutated } from "./mutant.ts";
import { MUTANTS } from "./table.ts";

const { mutant: name, ...order } = JSON.parse(process.argv[2]!);
if (name !== undefined) {
  const mutant = Object.values(MUTANTS)
    .flat()
    .find((one) => one.name === name)!;
  const target = pathToFileURL(`${import.meta.dirname}/../../../${mutant.file}`).href;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      return url === target ? { ...loaded, source: mutated(String(loaded.source), mutant) } : loaded;
    },
  });
}
const { exploreStory } = await import("./explore-story.ts");
process.stdout.write(JSON.stringify(await exploreStory(order)));
