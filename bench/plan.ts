/**
 * Plans and atomic applies in process, over a server that has many objects: the time and the longest slice of a plan of many
 * documents, and the CPU of an atomic apply beside that of as many creates. One JSON line per case.
 *
 *     node bench/plan.ts [objects that are there] [documents] [rounds] [memory | sqlite]
 *
 * The figures to keep: 1,000 documents over 100,000 objects below 500 ms, no slice above 100 ms; an atomic apply at most the CPU
 * of its creates.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyDocuments, planDocuments } from "../src/client/index.ts";
import { ConfigMap } from "../src/client/kinds/index.ts";
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { openSqliteStore } from "../src/storage/sqlite/store.ts";
import { systemClock } from "../src/util/clock.ts";
import { longestSlice } from "../src/util/testing/slices.ts";

const [present = "100000", documents = "1000", rounds = "5", storage = "memory"] = process.argv.slice(2);
const COUNT = Number(documents);
const ROUNDS = Number(rounds);
const OPTIONS = { fieldManager: "bench" };

const map = (name: string, text: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", labels: { app: "bench" } },
  data: { text, more: "x".repeat(200) },
});
const maps = (prefix: string, text = "a"): ReturnType<typeof map>[] =>
  Array.from({ length: COUNT }, (_, i) => map(`${prefix}-${i}`, text));

const directory = mkdtempSync(join(tmpdir(), "keelson-bench-"));
const store = storage === "sqlite" ? await openSqliteStore({ directory, clock: systemClock }) : await openMemoryStore();
const cluster = await createCluster({ store, dialect: kubernetes });
const client = cluster.client("bench");
const configMaps = client.resource(ConfigMap);

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The wall time and the CPU time of some work, in ms. */
async function timed(work: () => Promise<unknown>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const [wall, before] = [performance.now(), cpu()];
  await work();
  return { wall: performance.now() - wall, cpu: cpu() - before };
}

const middle = (numbers: readonly number[]): number =>
  Number(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!.toFixed(1));

async function measure(name: string, work: (round: number) => Promise<unknown>): Promise<void> {
  const all = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await timed(() => work(round)));
  const line = {
    case: name,
    documents: COUNT,
    wall: middle(all.map((one) => one.wall)),
    cpu: middle(all.map((one) => one.cpu)),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

for (let i = 0; i < Number(present); i += 1000) {
  const some = Array.from({ length: Math.min(1000, Number(present) - i) }, (_, n) => map(`there-${i + n}`, "a"));
  await Promise.all(some.map((one) => configMaps.create(one)));
}
await measure("plan of new objects", () => planDocuments(client, maps("new"), OPTIONS));
const slice = await longestSlice(
  () => maps("new"),
  (made) => planDocuments(client, made, OPTIONS),
);
process.stdout.write(`${JSON.stringify({ case: "longest slice of a plan", millis: slice })}\n`);
await measure("plan of changes", () => planDocuments(client, maps("there", "b"), { ...OPTIONS, force: true }));
await measure("creates", (round) => Promise.all(maps(`create-${round}`).map((one) => configMaps.create(one))));
await measure("applies", (round) => Promise.all(maps(`apply-${round}`).map((one) => configMaps.apply(one, OPTIONS))));
await measure("atomic apply", (round) => applyDocuments(client, maps(`atomic-${round}`), OPTIONS));
await cluster.close();
await store.close();
rmSync(directory, { recursive: true });
