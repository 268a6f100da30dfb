/**
 * Durable writes of the embedded store, against the floor under them.
 *
 * Each writer waits for its answer before it writes again: updates of 1 KiB values on 10 000 keys. The floor appends
 * the same bytes to a file and waits for one `fdatasync` per batch, with the same number of writers. CPU is that of the
 * whole process, all threads and the kernel's part together. One JSON line per case. What the history costs is measured
 * against a store that forgets at once, in turns, so that both see the same disk.
 *
 *     node bench/storage.ts [seconds per case] [directory]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { openSqliteStore } from "../src/storage/sqlite/store.ts";
import type { Store } from "../src/storage/contract.ts";
import { systemClock } from "../src/util/clock.ts";

const SECONDS = Number(process.argv[2] ?? 3);
const DIRECTORY = process.argv[3] ?? tmpdir();
const KEYS = 10_000;
const VALUE = Buffer.alloc(1024, "keelson ");
const WRITERS = [1, 16, 64, 256];

type WriteOnce = (writer: number) => Promise<void>;

interface Measured {
  readonly writesPerSecond: number;
  readonly cpuMicrosPerWrite: number;
  readonly mainThreadMicrosPerWrite: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly maxMillis: number;
}

async function measure(name: string, writers: number, write: WriteOnce): Promise<void> {
  console.log(JSON.stringify({ case: name, writers, ...(await rateOf(writers, write)) }));
}

async function rateOf(writers: number, write: WriteOnce): Promise<Measured> {
  await run(writers, write, SECONDS / 4, []);
  const millis: number[] = [];
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  const begin = performance.now();
  await run(writers, write, SECONDS, millis);
  const elapsed = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpu);
  const main = performance.eventLoopUtilization(loop).active * 1000;
  millis.sort((a, b) => a - b);
  const at = (share: number): number => round(millis[Math.floor(millis.length * share)] ?? Number.NaN, 2);
  return {
    writesPerSecond: Math.round((millis.length / elapsed) * 1000),
    cpuMicrosPerWrite: round((user + system) / millis.length, 1),
    mainThreadMicrosPerWrite: round(main / millis.length, 1),
    p50Millis: at(0.5),
    p99Millis: at(0.99),
    maxMillis: at(0.999_999),
  };
}

async function run(writers: number, write: WriteOnce, seconds: number, millis: number[]): Promise<void> {
  const end = performance.now() + seconds * 1000;
  const writer = async (id: number): Promise<void> => {
    for (let begin = performance.now(); begin < end;) {
      await write(id);
      const now = performance.now();
      millis.push(now - begin);
      begin = now;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, id) => writer(id)));
}

/** Updates of keys that belong to one writer each: a refusal would be a mistake, and ends the benchmark. */
async function updater(store: Store, writers: number): Promise<WriteOnce> {
  const { records } = await store.range("");
  const revisions = new Map(records.map((record) => [record.key, record.revision]));
  const keys = records.map((record) => record.key);
  let step = 0;
  return async (writer) => {
    step = (step + 7919) % KEYS;
    // Writer w has the keys w, w + writers, w + 2 * writers, ...
    const index = Math.floor(step / writers) * writers + writer;
    const key = keys[index < KEYS ? index : writer]!;
    revisions.set(key, await store.write({ type: "update", key, value: VALUE, expected: revisions.get(key)! }));
  };
}

async function fill(store: Store): Promise<void> {
  const keys = Array.from({ length: KEYS }, (_, i) => `/registry/configmaps/namespace-${i % 100}/object-${i}`);
  await Promise.all(keys.map((key) => store.write({ type: "create", key, value: VALUE })));
}

/** Appends what has gathered, then waits for the disk; what arrives meanwhile is the next batch. */
async function floor(directory: string, writers: number): Promise<void> {
  const file = await open(join(directory, "floor"), "w");
  let waiting: (() => void)[] = [];
  let running = false;
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await file.write(Buffer.concat(batch.map(() => VALUE)));
      await file.datasync();
      for (const done of batch) done();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    running = false;
  };
  await measure("floor", writers, () => {
    return new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (running) return;
      running = true;
      setImmediate(() => void flush());
    });
  });
  await file.close();
}

async function stores(name: string, openStore: (directory: string) => Promise<Store>): Promise<void> {
  const directory = mkdtempSync(join(DIRECTORY, "keelson-bench-"));
  try {
    const store = await openStore(directory);
    await fill(store);
    for (const writers of WRITERS) await measure(name, writers, await updater(store, writers));
    await store.close();
    if (name === "sqlite") await startUp(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const NO_HISTORY = { historyMillis: 0, historyMaxShare: 0, historyMinBytes: 0 };
const TURNS = 7;

/** Creates and updates with the history that a server keeps by default, and with none. */
async function historyCost(writers: number): Promise<void> {
  const sides = await Promise.all(
    [{}, NO_HISTORY].map(async (bounds) => {
      const directory = mkdtempSync(join(DIRECTORY, "keelson-bench-"));
      const store = await openSqliteStore({ directory, clock: systemClock, ...bounds });
      await fill(store);
      let made = 0;
      const create: WriteOnce = async () => {
        await store.write({ type: "create", key: `/registry/leases/namespace/object-${made++}`, value: VALUE });
      };
      return { directory, store, writes: { create, update: await updater(store, writers) } };
    }),
  );
  for (const name of ["create", "update"] as const) {
    const found: [kept: Measured[], forgotten: Measured[]] = [[], []];
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [i, { writes }] of sides.entries()) found[i]!.push(await rateOf(writers, writes[name]));
    }
    const [kept, forgotten] = found.map((turns) => ({
      rate: Math.max(...turns.map((one) => one.writesPerSecond)),
      cpu: Math.min(...turns.map((one) => one.cpuMicrosPerWrite)),
    })) as [{ rate: number; cpu: number }, { rate: number; cpu: number }];
    const line = {
      case: `history: ${name}`,
      writers,
      keptPerSecond: kept.rate,
      forgottenPerSecond: forgotten.rate,
      costPercent: round((1 - kept.rate / forgotten.rate) * 100, 1),
      cpuCostPercent: round((kept.cpu / forgotten.cpu - 1) * 100, 1),
    };
    console.log(JSON.stringify(line));
  }
  for (const { store, directory } of sides) {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Opens the store and reads all of it, as the cache does at start. */
async function startUp(directory: string): Promise<void> {
  const begin = performance.now();
  const store = await openSqliteStore({ directory, clock: systemClock });
  const opened = performance.now();
  const { records } = await store.range("");
  const read = performance.now();
  await store.close();
  const line = {
    case: "start-up",
    records: records.length,
    openMillis: round(opened - begin, 1),
    readMillis: round(read - opened, 1),
  };
  console.log(JSON.stringify(line));
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

const directory = mkdtempSync(join(DIRECTORY, "keelson-bench-"));
for (const writers of WRITERS) await floor(directory, writers);
rmSync(directory, { recursive: true, force: true });
await stores("sqlite", (path) => openSqliteStore({ directory: path, clock: systemClock }));
await historyCost(64);
await stores("memory", () => openMemoryStore());
