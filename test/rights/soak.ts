/**
 * `npm run soak:rights`: random roles, bindings and questions, decided by a real server and by ours, until they differ.
 *
 *     npm run soak:rights -- --server https://127.0.0.1:6443 --token T [--rounds 50] [--seed S]
 *     npm run soak:rights -- --server ... --token T --rounds 8 --record test/rights/decided.json
 *
 * The token has to be one of a member of `system:masters`. What is made on the real server is taken away again.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Answers, ask, build, clear } from "./answers.ts";
import { differences } from "./compare.ts";
import { openOurs } from "./ours.ts";
import { realServer } from "./real.ts";
import { type World, drawWorld } from "./world.ts";

const { values } = parseArgs({
  options: {
    server: { type: "string" },
    token: { type: "string" },
    rounds: { type: "string", default: "50" },
    seed: { type: "string", default: String(Math.floor(performance.timeOrigin % 1e9)) },
    record: { type: "string" },
  },
});
const { server: url, token } = values;
if (url === undefined || token === undefined) throw new Error("expected --server and --token of a real server");

const real = realServer(url, token);

/** A moment until a real server, which follows its own objects, has seen the last of them. */
const seen = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1000));

/** What was recorded: the world and its answers, under a prefix that does not depend on the run. */
interface Recorded {
  readonly world: World;
  readonly answers: Answers;
}

const recorded: Recorded[] = [];
let decisions = 0;

for (let round = 0; round < Number(values.rounds); round++) {
  const seed = Number(values.seed) + round;
  const prefix = `w${seed.toString(36)}-`;
  const world = drawWorld(seed, prefix);
  await build(real, world);
  await seen();
  const theirs = await ask(real, world);
  await clear(real, world);
  await using server = await openOurs();
  await build(server, world);
  const found = await differences(world, theirs, await ask(server, world));
  decisions += world.asked.length + world.gifts.length;
  console.log(`seed ${seed}: ${found.length} differences`);
  for (const line of found) console.log(`  ${line}`);
  if (found.length > 0) process.exitCode = 1;
  const text = JSON.stringify({ world, answers: theirs }).replaceAll(prefix, `w${round}-`);
  recorded.push(JSON.parse(text) as Recorded);
}
console.log(`${decisions} decisions compared`);
if (values.record !== undefined) writeFileSync(values.record, `${JSON.stringify(recorded)}\n`);
