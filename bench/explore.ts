/**
 * Explorations of a controller of five writes: what a plan costs, how long 1,000 of them take side by side, and whether memory stays flat. One
 * JSON line per figure.
 *
 *     node bench/explore.ts plan [runs] [rounds]        CPU of fork, run and judge of a clean run and of plans of each type, in ms
 *     node bench/explore.ts pool [plans] [workers]      plans in worker threads: seconds, and CPU of the process
 *     node --expose-gc bench/explore.ts memory [plans] [workers]    MiB after each 1,000 plans: heap of this thread, and all of the process
 *
 * The figures to keep: a plan below 30 ms of CPU; 1,000 plans in 30 s with 2 workers on 2 cores; memory flat over 10,000 plans.
 *
 * @module
 */
import type { Laboratory, RunOrder } from "../src/explore/contract/laboratory.ts";
import { analyse } from "../src/explore/causality.ts";
import type { Exploration, Progress } from "../src/explore/exploration.ts";
import { explore } from "../src/explore/explore.ts";
import { proposals } from "../src/explore/perturbations/index.ts";
import { rank } from "../src/explore/plans/rank.ts";
import { judgeOf, openLaboratory } from "../src/testing/explore/explore.ts";
import { LaboratoryPool } from "../src/testing/explore/pool.ts";
import { systemClock } from "../src/util/clock.ts";
import shops from "./explore/shops.ts";

const MODULE = new URL("./explore/shops.ts", import.meta.url);
const MIB = 1024 * 1024;
const EACH = 1000;
/** V8 compiles meanwhile what runs often. */
const WARM = 100;

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const tenth = (value: number): number => Number(value.toFixed(1));

/** CPU of all threads of the process, in ms. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least of several is what the machine disturbed least. */
function leastAndMiddle(values: readonly number[]): { readonly least: number; readonly middle: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return { least: tenth(sorted[0]!), middle: tenth(sorted[Math.floor(sorted.length / 2)]!) };
}

async function measurePlans(runs: number, rounds: number): Promise<void> {
  await using lab = await openLaboratory(shops.scenario, shops);
  const clean = [await lab.run({ seed: 1, plan: [] }), await lab.run({ seed: 2, plan: [] })];
  const judge = judgeOf(shops.scenario)(clean);
  const candidates = rank(clean.flatMap(({ trace }) => proposals(analyse(trace), lab.scenario, lab.perturbations)));
  const play = async (order: RunOrder): Promise<void> => void judge.faults(await lab.run(order));
  for (let seed = 1; seed <= WARM; seed++) await play({ seed, plan: [] });
  const costs = async (orders: readonly RunOrder[]): Promise<number> => {
    const before = cpu();
    for (const order of orders) await play(order);
    return (cpu() - before) / orders.length;
  };
  const cleanOrders = Array.from({ length: runs }, (_, i): RunOrder => ({ seed: i + 1, plan: [] }));
  const orders = candidates.map(({ perturbation }, i): RunOrder => ({ seed: i + 1, plan: [perturbation] }));
  const [ofClean, ofPlans]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ofClean.push(await costs(cleanOrders));
    ofPlans.push(await costs(orders.filter((_, i) => i % rounds === round)));
  }
  print({ figure: "CPU of a clean run, ms", runs: runs * rounds, ...leastAndMiddle(ofClean) });
  print({ figure: "CPU of a plan of one perturbation, ms", plans: orders.length, ...leastAndMiddle(ofPlans) });
}

const exploreIn = (lab: Laboratory, plans: number, onProgress: (progress: Progress) => void): Promise<Exploration> =>
  explore(lab, judgeOf(shops.scenario), {
    clock: systemClock,
    origin: { scenario: { name: shops.scenario.name }, versions: { keelson: "bench", node: "", platform: "" } },
    seed: 1,
    plans,
    onProgress,
  });

async function measurePool(plans: number, workers: number): Promise<void> {
  const [began, before] = [performance.now(), cpu()];
  await using lab = await LaboratoryPool.of(MODULE, workers, { clock: systemClock });
  const opened = performance.now();
  const explored = await exploreIn(lab, plans, () => {});
  const used = cpu() - before;
  print({
    figure: "plans in worker threads",
    plans: explored.plans,
    runs: explored.runs,
    workers,
    startSeconds: tenth((opened - began) / 1000),
    seconds: tenth((performance.now() - began) / 1000),
    cpuSeconds: tenth(used / 1000),
    cpuMillisOfPlan: tenth(used / explored.plans),
    ended: explored.ended,
  });
}

async function measureMemory(plans: number, workers: number): Promise<void> {
  await using lab: Laboratory =
    workers === 0
      ? await openLaboratory(shops.scenario, shops)
      : await LaboratoryPool.of(MODULE, workers, { clock: systemClock });
  let next = EACH;
  await exploreIn(lab, plans, ({ plans: done }) => {
    if (done < next) return;
    next += EACH;
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    print({ figure: "memory, MiB", plans: done, heap: tenth(heapUsed / MIB), process: tenth(rss / MIB) });
  });
}

const [mode = "plan", first, second] = process.argv.slice(2);
const measures = { plan: measurePlans, pool: measurePool, memory: measureMemory };
const defaults = { plan: [20, 10], pool: [1000, 2], memory: [10_000, 2] } as const;
if (!(mode in measures)) {
  process.stderr.write(`expected plan, pool or memory, got ${mode}\n`);
  process.exit(2);
}
const chosen = mode as keyof typeof measures;
await measures[chosen](Number(first ?? defaults[chosen][0]), Number(second ?? defaults[chosen][1]));
