/**
 * What clusters of the kit cost, each figure as a ratio to a floor of the same run: the CPU time of reading and writing ten
 * thousand small objects as JSON, some 14 ms on the machine of the figures. The bounds are three times what is promised, so
 * that a busy machine keeps them; the promises stand beside them.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";
import { cpuMillis } from "../../src/util/testing/cpu-time.ts";

const SLACK = 3;
/** Milliseconds of the floor on the machine on which the promises were made. */
const FLOOR_MS = 14;

const SMALL = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data: { a: "x".repeat(200) },
});

/** Milliseconds of CPU of the floor, now. */
function floor(): number {
  const began = cpuMillis();
  let bytes = 0;
  for (let i = 0; i < 10_000; i++) bytes += JSON.stringify(JSON.parse(SMALL)).length;
  expect(bytes).toBe(10_000 * SMALL.length);
  return cpuMillis() - began;
}

/** Milliseconds of CPU of one `work`, on average, on the machine of the promises. */
async function cost(times: number, work: () => unknown): Promise<number> {
  const before = floor();
  const began = cpuMillis();
  for (let i = 0; i < times; i++) await work();
  const each = (cpuMillis() - began) / times;
  return (each / ((before + floor()) / 2)) * FLOOR_MS;
}

const map = (name: string) => ({ metadata: { name, namespace: "default" }, data: { text: "x".repeat(200) } });

async function worldOf(objects: number): Promise<Cluster> {
  const world = await createCluster();
  for (let i = 0; i < objects; i++) await world.apply(ConfigMap, map(`m${i}`));
  await world.settled();
  return world;
}

beforeAll(async () => {
  for (let i = 0; i < 20; i++) await (await createCluster()).close();
  floor();
});

test("a cluster beyond the first takes 10 ms, its first write included", async () => {
  const clusters: Cluster[] = [];
  const each = await cost(50, async () => {
    const cluster = await createCluster();
    await cluster.client().resource(ConfigMap).create(map("first"));
    clusters.push(cluster);
  });
  console.log(`createCluster() and a write: ${each.toFixed(2)} ms`);
  await Promise.all(clusters.map((cluster) => cluster.close()));
  expect(each).toBeLessThan(10 * SLACK);
});

test("the first cluster of a process takes 60 ms beyond loading the module", { timeout: 60_000 }, async () => {
  const script = `
    const millis = ({ user, system }) => (user + system) / 1000;
    const start = process.cpuUsage();
    const { createCluster } = await import(${JSON.stringify(new URL("../../src/testing/index.ts", import.meta.url).href)});
    const loading = millis(process.cpuUsage(start));
    const before = process.cpuUsage();
    await createCluster();
    console.log(millis(process.cpuUsage(before)), loading);`;
  const before = floor();
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const machine = (before + floor()) / 2 / FLOOR_MS;
  const [first, loading] = stdout.split(" ").map((millis) => Number(millis) / machine) as [number, number];
  console.log(
    `the first createCluster(): ${first.toFixed(1)} ms; loading the sources before: ${loading.toFixed(0)} ms`,
  );
  expect(first).toBeLessThan(60 * SLACK);
});

describe.each([10, 10_000])("with %i objects", { timeout: 120_000 }, (objects) => {
  test("fork and reset take 1.2 ms, and a fork that writes nothing keeps less than 1 MiB", async () => {
    await using world = await worldOf(objects);
    const forks: Cluster[] = [];
    const fork = await cost(200, async () => {
      const made = world.fork();
      await made.client().resource(ConfigMap).get({ namespace: "default", name: "m1" });
      forks.push(made);
    });
    await Promise.all(forks.splice(0).map((made) => made.close()));
    const mark = world.mark();
    const reset = await cost(100, () => world.reset(mark));
    const { gc } = globalThis as { gc?: () => void };
    gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 50; i++) {
      const made = world.fork();
      await made.client().resource(ConfigMap).get({ namespace: "default", name: "m1" });
      forks.push(made);
    }
    gc?.();
    const kept = (process.memoryUsage().heapUsed - before) / 50;
    console.log(`fork ${fork.toFixed(2)} ms, reset ${reset.toFixed(2)} ms, ${(kept / 1024).toFixed(0)} KiB a fork`);
    await Promise.all(forks.map((made) => made.close()));
    expect(fork).toBeLessThan(1.2 * SLACK);
    expect(reset).toBeLessThan(1.2 * SLACK);
    expect(kept).toBeLessThan(1 << 20);
  });
});

test("a day with 100 open watches and 1,000 timers takes 100 ms", async () => {
  await using cluster = await createCluster();
  const subject = cluster.as({ user: "alice", groups: ["system:masters"] });
  const read = async (): Promise<void> => {
    for await (const _ of subject.resource(ConfigMap).watch());
  };
  const reading = Array.from({ length: 100 }, () => read().catch(() => {}));
  await cluster.settled();
  const day = await cost(3, async () => {
    for (let i = 0; i < 1000; i++) void cluster.clock.sleep(i * 86_000);
    await cluster.clock.advance("24h");
  });
  console.log(`a day: ${day.toFixed(1)} ms`);
  await cluster.close();
  await Promise.all(reading);
  expect(day).toBeLessThan(100 * SLACK);
});

test(
  "a hundred clusters side by side keep 400 MiB, the process and all its modules included",
  { timeout: 60_000 },
  async () => {
    const script = `
    const { createCluster } = await import(${JSON.stringify(new URL("../../src/testing/index.ts", import.meta.url).href)});
    const clusters = [];
    for (let i = 0; i < 100; i++) clusters.push(await createCluster());
    console.log(process.memoryUsage().rss / 2 ** 20);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    console.log(`a hundred clusters: ${Number(stdout).toFixed(0)} MiB`);
    expect(Number(stdout)).toBeLessThan(400);
  },
);

test("unused kinds keep less than 5 MiB more than those of the documents alone", { timeout: 60_000 }, async () => {
  const module = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    const { createCluster } = await import(${module("cluster/index.ts")});
    const { openMemoryStore } = await import(${module("storage/memory/store.ts")});
    const { kubernetes } = await import(${module("meta/dialect.ts")});
    const kinds = process.argv[1];
    const { server } = await createCluster({ store: await openMemoryStore(), dialect: kubernetes, kinds });
    const identity = { user: "admin", groups: ["system:masters"] };
    const { code } = await server.inject({ method: "GET", url: "/apis/apps/v1/deployments", headers: {}, identity });
    gc();
    console.log(code, process.memoryUsage().heapUsed / 2 ** 20);`;
  const kept = async (kinds: string): Promise<number[]> => {
    const args = ["--expose-gc", "--input-type=module", "-e", script, kinds];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout.split(" ").map(Number);
  };
  // A first run compiles its modules, and keeps what is for the cache of compiled code.
  for (const kinds of ["all", "documents"]) await kept(kinds);
  const [[all, more], [documents, less]] = [await kept("all"), await kept("documents")];
  expect([all, documents]).toEqual([200, 404]);
  console.log(`all kinds: ${(more! - less!).toFixed(1)} MiB`);
  expect(more! - less!).toBeLessThan(5);
});
