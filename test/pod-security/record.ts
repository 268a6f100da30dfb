/**
 * Compares our decisions about Pods with those of the original implementation, and records some of them for the tests.
 *
 *     go -C test/pod-security/oracle build -o /tmp/oracle .
 *     node test/pod-security/record.ts /tmp/oracle --pods 20000 --seed 7        compares, prints the first difference
 *     node test/pod-security/record.ts /tmp/oracle --pods 300 --record          writes decided.json
 *     node test/pod-security/record.ts /tmp/oracle --from pods.jsonl            compares Pods of a file, one on each line
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { seededRandom } from "../../src/util/clock.ts";
import { type Decisions, decisionsOf } from "./decisions.ts";
import { type DrawnPod, drawPod } from "./pods.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pods: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    from: { type: "string" },
    record: { type: "boolean", default: false },
  },
});
const [oracle] = positionals;
if (oracle === undefined) throw new Error("expected the path of the built oracle");

const random = seededRandom(Number(values.seed));
const pods: DrawnPod[] =
  values.from === undefined
    ? Array.from({ length: Number(values.pods) }, () => drawPod(random))
    : linesOf(readFileSync(values.from, "utf8"));

const { stdout, status } = spawnSync(oracle, {
  input: pods.map((pod) => `${JSON.stringify(pod)}\n`).join(""),
  encoding: "utf8",
  maxBuffer: 1 << 30,
  stdio: ["pipe", "pipe", "inherit"],
});
if (status !== 0) throw new Error(`expected the oracle to end with 0, got ${status}`);

const decided: Decisions[] = linesOf(stdout);
const different = pods.filter((pod, i) => !isDeepStrictEqual(decisionsOf(pod), decided[i]));
console.log(`${pods.length} Pods, ${different.length} are decided differently`);
for (const pod of different.slice(0, 1)) {
  const at = pods.indexOf(pod);
  console.log(JSON.stringify(pod), JSON.stringify(decided[at], null, 1), JSON.stringify(decisionsOf(pod), null, 1));
}
if (different.length > 0) process.exitCode = 1;
if (values.record) {
  const lines = pods.map((pod, i) => JSON.stringify({ pod, decided: decided[i] }));
  writeFileSync(new URL("decided.json", import.meta.url), `[\n${lines.join(",\n")}\n]\n`);
}

function linesOf<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}
