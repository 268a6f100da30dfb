/**
 * Draws scenarios of all kinds by chance and writes them into a folder, for `npm run conformance -- --record --from DIR`;
 * see docs/contributing/testing.md.
 *
 *     node tools/draw.ts DIR [--seed 1] [--each 2] [--questions 12] [--only REGEX]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawScenarios } from "../test/conformance/draw/scenarios.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    each: { type: "string", default: "2" },
    questions: { type: "string", default: "12" },
    only: { type: "string", default: "" },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("expected a folder");
for (const part of ["scenarios", "golden"]) mkdirSync(join(folder, part), { recursive: true });
const scenarios = drawScenarios(
  Number(values.seed),
  Number(values.each),
  Number(values.questions),
  new RegExp(values.only),
);
const lines = scenarios.map((scenario) => ` ${JSON.stringify(scenario)}`);
writeFileSync(join(folder, "scenarios", "drawn.json"), `[\n${lines.join(",\n")}\n]\n`);
console.log(`${scenarios.length} scenarios`);
