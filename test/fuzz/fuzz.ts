/**
 * `npm run fuzz`: sends a server what nearly is right, until the time is over.
 *
 *     npm run fuzz -- --minutes 60 [--seed S] [--dialect kubernetes|neutral]
 *     npm run fuzz -- --play FILE
 *
 * What must not be is kept in `.results/fuzz/`; `--play` sends it again.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Target } from "../attacks/target.ts";
import { Scratch } from "../serve/keelson.ts";
import type { Finding } from "./fuzzer.ts";
import { Fuzzer } from "./fuzzer.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Math.floor(performance.timeOrigin % 1e9)) },
    dialect: { type: "string", default: "kubernetes" },
    play: { type: "string" },
  },
});

const RESULTS = new URL("../../.results/fuzz/", import.meta.url).pathname;
const SETTLE_MS = 60_000;
const { minutes, seed, dialect, play } = values;

const scratch = new Scratch();
// What was superseded goes soon, so that what stays is what has leaked.
const target = await Target.start(scratch.fresh(), {
  args: ["--dialect", dialect, "--history", "10s", "--event-ttl", "10s"],
});
const kinds = new Map<string, number>();

/** Keeps a finding, the first three of each kind. */
function keep(finding: Finding): void {
  process.exitCode = 1;
  const kind = finding.what.replaceAll(/[^a-z ]+/gi, "#").slice(0, 60);
  const count = (kinds.get(kind) ?? 0) + 1;
  kinds.set(kind, count);
  if (count > 3) return;
  console.error(finding.what);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}${seed}-${kinds.size}-${count}.json`, `${JSON.stringify(finding, undefined, 1)}\n`);
}

const fuzzer = await Fuzzer.start(target, Number(seed), keep);

function report(): void {
  const { cases, longestTurn, memory } = fuzzer.figures;
  const { used, history, rss } = memory.at(-1)!;
  const mib = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
  console.log(
    `seed ${seed}: ${cases} cases, longest turn ${longestTurn.toFixed(1)} ms, ${mib(used)} in use (${mib(history)} of recent changes), ${mib(rss)} resident, ` +
      `${[...kinds.values()].reduce((a, b) => a + b, 0)} findings, answers ${JSON.stringify(fuzzer.codes)}`,
  );
}

async function fuzz(): Promise<void> {
  const end = performance.now() + Number(minutes) * 60_000;
  await fuzzer.settle();
  while (performance.now() < end) {
    for (const until = performance.now() + SETTLE_MS; performance.now() < Math.min(until, end);) await fuzzer.round();
    await fuzzer.settle();
    report();
  }
}

void target.keelson.ended.then(({ code, signal }) => {
  if (signal !== "SIGKILL")
    keep({ what: `the server ended, ${code ?? signal}: ${target.keelson.stderr.slice(-3000)}`, cases: [] });
});
if (play === undefined) await fuzz();
else await fuzzer.replay((JSON.parse(readFileSync(play, "utf8")) as Finding).cases);
console.log(`the healthy client: p99 ${(await fuzzer.stop()).toFixed(1)} ms`);
await target.stop();
scratch.remove();
