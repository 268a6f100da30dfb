/**
 * Plays a file of recorded expressions and prints which differ: `npm run cel -- FILE [--only REGEX] [--show N]`.
 */
import { parseArgs } from "node:util";
import { play, readCases } from "../test/cel/player.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, show: { type: "string", default: "1000" } },
});

const own = new URL("../test/conformance/cel.json", import.meta.url).pathname;
const file = readCases(positionals[0] ?? own);
const chosen = new RegExp(values.only);
let [equal, all, left] = [0, 0, Number(values.show)];
for (const one of file.cases) {
  if (!chosen.test(one.id) && !chosen.test(one.env)) continue;
  all++;
  let lines: string[];
  try {
    lines = play(file, one);
  } catch (error) {
    lines = [`threw: ${error instanceof Error ? error.stack : String(error)}`];
  }
  if (lines.length === 0) equal++;
  else if (left-- > 0) console.log(`✗ ${one.id} ${one.expr ?? ""}\n${lines.map((line) => `    ${line}`).join("\n")}`);
}
console.log(`cases ${equal}/${all}`);
process.exitCode = equal === all ? 0 : 1;
