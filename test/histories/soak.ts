/**
 * `npm run soak`: rounds of random work under random faults, until the time is over or a promise is broken.
 *
 *     npm run soak -- --minutes 10 [--seed S] [--store embedded|etcd|both] [--seconds 60]
 *     npm run soak -- --check FILE       checks a history that was kept
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { hasEtcd } from "../etcd/start.ts";
import { check } from "./checker/check.ts";
import type { History } from "./history.ts";
import { type Totals, again, judge, newTotals, summary } from "./judge.ts";
import { runRound } from "./round.ts";
import { embeddedWorld, etcdWorld } from "./worlds.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Math.floor(performance.timeOrigin % 1e9)) },
    store: { type: "string", default: "both" },
    seconds: { type: "string", default: "60" },
    check: { type: "string" },
  },
});

const withEtcd = values.check === undefined && values.store !== "embedded" && (await hasEtcd());
if (values.check === undefined) await soak();
else checkFile(values.check);

function checkFile(file: string): void {
  const report = check(JSON.parse(readFileSync(file, "utf8")) as History);
  console.log(JSON.stringify(report, undefined, 2));
  if (report.violations.length > 0) process.exitCode = 1;
}

async function soak(): Promise<void> {
  const { store, seed, minutes, seconds } = values;
  if (!["embedded", "etcd", "both"].includes(store))
    throw new Error(`expected --store embedded, etcd or both, got ${store}`);
  const wanted = store === "both" ? ["embedded", "etcd"] : [store];
  const stores = wanted.filter((name) => name !== "etcd" || withEtcd);
  if (stores.length === 0) throw new Error("expected an etcd for --store etcd");
  const end = performance.now() + Number(minutes) * 60_000;
  const totals: Totals = newTotals();
  for (let round = 0; round === 0 || performance.now() < end; round++) {
    const name = stores[round % stores.length]!;
    const number = Number(seed) + Math.floor(round / stores.length);
    const wrong = await oneRound(name, number, Number(seconds), totals);
    if (wrong !== undefined) {
      console.error(wrong);
      process.exitCode = 1;
      break;
    }
  }
  console.log(summary(totals));
}

/** Runs a round; what is wrong with it, or nothing. */
async function oneRound(store: string, seed: number, seconds: number, totals: Totals): Promise<string | undefined> {
  try {
    const round = await runRound(store === "etcd" ? etcdWorld : embeddedWorld, { seed, seconds });
    return judge(store, seed, seconds, round, totals);
  } catch (error) {
    return `FAILED: ${store} with seed ${seed}: ${(error as Error).stack}\n${again(store, seed, seconds)}`;
  }
}
