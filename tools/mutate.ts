/**
 * Changes the sources of a room a little, again and again, and tells which changes no test of the room notices; see
 * docs/contributing/testing.md. The checkout itself is never changed.
 *
 *     node tools/mutate.ts FOLDER... [--most 60] [--seed 1] [--seconds 900] [--also test/rules]
 *
 * `FOLDER` is a folder of sources, whose tests run first; the folders or files of `--also` run for what has survived them.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../src/util/clock.ts";
import { chosen, mutantsOf } from "./mutate/mutants.ts";
import { play } from "./mutate/play.ts";

const root = new URL("../", import.meta.url).pathname;
const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "900" },
    also: { type: "string", multiple: true, default: [] },
  },
});
if (folders.length === 0) throw new Error("expected a folder of sources: npm run mutate -- src/apply");

const sources = globSync(
  folders.map((folder) => join(folder, "**/*.ts")),
  { cwd: root },
);
const mutants = sources
  .filter((file) => !/\.test\.ts$|\/testing\/|\/generated\//.test(file))
  .toSorted()
  .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
const played = await play({
  root,
  mutants: chosen(mutants, Number(values.most), seededRandom(Number(values.seed))),
  tests: [...folders, ...values.also],
  seconds: Number(values.seconds),
  onPlayed: ({ mutant: { file, line, change }, outcome }) =>
    console.log(`${outcome.padEnd(8)}  ${file}:${line}  ${change}`),
});
const count = (outcome: string): number => played.filter((one) => one.outcome === outcome).length;
console.log(`\n${mutants.length} mutants, ${played.length} played by seed ${values.seed}:`);
for (const outcome of ["killed", "timeout", "survived"]) console.log(`${outcome.padEnd(8)}  ${count(outcome)}`);
