/**
 * Plays a file of recorded volumes and prints which differ: `npm run projection -- FILE [--only REGEX] [--show N]`.
 */
import { parseArgs } from "node:util";
import { readCases } from "../test/projection/cases.ts";
import { mayOwn, needsOwners, play } from "../test/projection/player.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, show: { type: "string", default: "1000" } },
});

const own = new URL("../test/conformance/projection.json", import.meta.url).pathname;
const only = new RegExp(values.only);
const cases = readCases(positionals[0] ?? own).filter(({ name }) => only.test(name));
const unowned = mayOwn ? [] : cases.filter(needsOwners);
for (const { name } of unowned) console.log(`? ${name}: owners are not compared: they can be set by root only`);
let [equal, left] = [0, Number(values.show)];
for (const one of cases) {
  let lines: readonly string[];
  try {
    lines = await play(one);
  } catch (error) {
    lines = [`threw: ${error instanceof Error ? error.stack : String(error)}`];
  }
  if (lines.length === 0) equal++;
  else if (left-- > 0) console.log(`✗ ${one.name}\n${lines.map((line) => `    ${line}`).join("\n")}`);
}
console.log(`cases ${equal}/${cases.length}`);
process.exitCode = equal === cases.length ? 0 : 1;
