/**
 * One round: a new world, clients and watches on it while faults happen, then everything made whole, read once more and
 * checked.
 *
 * @module
 */
import { setTimeout as wait } from "node:timers/promises";
import { type Random, seededRandom } from "../../src/util/clock.ts";
import { type Report, check } from "./checker/check.ts";
import { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import { harm, pause } from "./faults.ts";
import type { Beginning, History } from "./history.ts";
import { RESOURCES, type WireObject, pathOf, seenOf } from "./objects.ts";
import { Recorder } from "./recorder.ts";
import { Watcher } from "./watcher.ts";
import type { MakeWorld, World } from "./worlds.ts";

/** What a round was. */
export interface Round {
  readonly history: History;
  readonly report: Report;
  readonly seconds: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly operations: number;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly refused: number;
  readonly watches: number;
}

/** How a round is run. */
export interface RoundOptions {
  readonly seed: number;
  /** For how long clients write, in seconds, on a machine that is not busy. */
  readonly seconds: number;
}

const CLIENTS = 10;
const ROAMERS = 6;
const THINK_MILLIS = 40;
/** Between the end of one fault and the beginning of the next. */
const REST_MILLIS = 1800;
/** Operations for each second of a round, and faults: with less it goes on, up to so many times as long. */
const MIN_RATE = 12;
const MIN_FAULTS = 3;
const MAX_LONGER = 3;

/** Runs a round and checks it. */
export async function runRound(makeWorld: MakeWorld, { seed, seconds }: RoundOptions): Promise<Round> {
  const random = seededRandom(seed);
  const world = await makeWorld(random);
  const recorder = new Recorder();
  const faults = new Map<string, number>();
  const start = performance.now();
  const stop = new AbortController();
  const settled = { revision: Infinity, until: Infinity };
  try {
    await prepare(world, recorder);
    const watchers = startWatchers(world, recorder, random, stop.signal, () => settled);
    await running(world, recorder, { seed, seconds }, faults);
    settled.until = recorder.now() + world.settleMillis;
    settled.revision = await settle(world, recorder, seed, settled.until);
    stop.abort();
    await Promise.all([...watchers, world.reach(settled.revision, settled.until)]);
  } finally {
    // After any failure, no part waits any longer.
    settled.until = 0;
    stop.abort();
    await world.close();
  }
  const history = recorder.history(world.keptMillis);
  return figures(history, check(history), (performance.now() - start) / 1000, faults);
}

/** Makes the second namespace, and takes down what there is. */
async function prepare(world: World, recorder: Recorder): Promise<void> {
  const connection = new Connection(world.servers[0]!.address);
  await connection.send("POST", "/api/v1/namespaces", { metadata: { name: "other" } }, 10_000);
  const beginnings: Beginning[] = [];
  for (const scope of RESOURCES) {
    const { json } = await connection.send("GET", pathOf(scope), undefined, 10_000);
    const { metadata, items } = json as { metadata: { resourceVersion: string }; items: WireObject[] };
    const objects = items.map((item) => seenOf(scope, item));
    beginnings.push({ scope, revision: Number(metadata.resourceVersion), objects });
  }
  recorder.beginnings = beginnings;
  await world.follow(recorder, beginnings[0]!.revision);
  connection.close();
}

function startWatchers(
  world: World,
  recorder: Recorder,
  random: Random,
  signal: AbortSignal,
  due: () => { readonly revision: number; readonly until: number },
): Promise<void>[] {
  const servers = world.servers.map(({ address }) => address);
  const from = recorder.beginnings[0]!.revision;
  const chance = () => seededRandom(Math.floor(random.next() * 2 ** 32));
  const fixed = servers.flatMap((_, server) =>
    RESOURCES.map(
      (scope) => new Watcher(`watch ${server} ${scope}`, servers, chance(), recorder, from, { server, scope }),
    ),
  );
  const roaming = Array.from(
    { length: ROAMERS },
    (_, i) => new Watcher(`roamer ${i}`, servers, chance(), recorder, from),
  );
  return [...fixed, ...roaming].map((watcher) => watcher.run(signal, due));
}

/** Clients and faults, side by side, for the time of the round. */
async function running(
  world: World,
  recorder: Recorder,
  { seed, seconds }: RoundOptions,
  counts: Map<string, number>,
): Promise<void> {
  const servers = world.servers.map(({ address }) => address);
  const over = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, i) => {
    const client = new Client(`c${i}`, i, servers, seededRandom(seed + 1 + i), recorder);
    return client.run(over.signal, THINK_MILLIS);
  });
  // Clients go on until every fault has ended, so that there is something to see after the last one.
  const harmed = new AbortController();
  const harms = world.faults.map((faults, i) =>
    harm(faults, seededRandom(seed + 1000 + i), harmed.signal, REST_MILLIS, counts),
  );
  const all = Promise.all([...harms, ...clients]);
  all.catch(() => {});
  try {
    const isEnough = (): boolean => recorder.operations.length >= MIN_RATE * seconds && sumOf(counts) >= MIN_FAULTS;
    await Promise.race([untilEnough(seconds, isEnough), all]);
    harmed.abort();
    await Promise.all(harms);
    await pause(1000, over.signal);
  } finally {
    harmed.abort();
    over.abort();
  }
  await all;
}

/** Waits for the time of a round, and on a busy machine longer, until enough was done that it shows something. */
async function untilEnough(seconds: number, isEnough: () => boolean): Promise<void> {
  await wait(seconds * 1000);
  for (let more = 0; more < MAX_LONGER * seconds && !isEnough(); more++) await wait(1000);
}

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);

/** Writes and reads once more through every server, when all is whole; the revision that everybody must reach. */
async function settle(world: World, recorder: Recorder, seed: number, until: number): Promise<number> {
  const servers = world.servers.map(({ address }) => address);
  const last = new Client("last", 0, servers, seededRandom(seed), recorder);
  for (const server of servers.keys()) {
    for (const key of ["configmaps/default/", "configmaps/other/", "secrets/default/"]) {
      while (!(await last.mark(server, `${key}last`))) {
        if (recorder.now() > until) throw new Error(`server ${server} takes no writes, long after everything is whole`);
        await wait(200);
      }
    }
  }
  const revision = recorder.newest;
  for (const server of servers.keys()) await last.readAll(server);
  last.close();
  return revision;
}

function figures(history: History, report: Report, seconds: number, faults: ReadonlyMap<string, number>): Round {
  const count = (is: string): number => history.operations.filter(({ outcome }) => outcome.is === is).length;
  const writes = history.operations.filter(({ request }) => request.verb !== "get" && request.verb !== "list");
  return {
    history,
    report,
    seconds,
    faults,
    operations: history.operations.length,
    acknowledged: writes.filter(({ outcome }) => outcome.is === "object" || outcome.is === "deleted").length,
    unknown: count("unknown"),
    refused: count("refused"),
    watches: history.streams.length,
  };
}
