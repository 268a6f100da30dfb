/**
 * What encryption at rest costs: a write and a start with 10 000 Secrets of 1 KiB in the embedded store, by provider.
 *
 *     node bench/encryption.ts
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cacher } from "../src/cache/index.ts";
import { encryptionConfigurationOf } from "../src/encryption/configuration.ts";
import { KmsProvider } from "../src/encryption/kms/provider.ts";
import { resourceAt } from "../src/encryption/patterns.ts";
import { systemBytes } from "../src/encryption/random.ts";
import { Rules } from "../src/encryption/rules.ts";
import { EncryptedStore } from "../src/encryption/store.ts";
import { TransformationCounts } from "../src/encryption/transformation-counts.ts";
import { localPlugin } from "../src/encryption/testing/local-plugin.ts";
import { cacheResource } from "../src/registry/versions/codec.ts";
import { openSqliteStore } from "../src/storage/sqlite/store.ts";
import type { Store } from "../src/storage/contract.ts";
import { systemClock, systemRandom } from "../src/util/clock.ts";

const COUNT = 10_000;
const ROUNDS = 5;
const secret = Buffer.alloc(32, 7).toString("base64");
const keys = { keys: [{ name: "key1", secret }] };
const PROVIDERS = {
  without: undefined,
  secretbox: { secretbox: keys },
  aesgcm: { aesgcm: keys },
  aescbc: { aescbc: keys },
  kms: { kms: { apiVersion: "v2", name: "plug", endpoint: "unix:///run/plug.sock" } },
};

async function rulesOf(provider: object): Promise<Rules> {
  const plugins: KmsProvider[] = [];
  const content = { resources: [{ resources: ["secrets"], providers: [provider] }] };
  const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
  const rules = new Rules(encryptionConfigurationOf({ ...head, ...content } as never), {
    random: systemBytes,
    counts: new TransformationCounts(),
    resourceAt: (prefix) => resourceAt(prefix, "events.k8s.io"),
    kms: ({ name }) => {
      const plugin = localPlugin({ keyId: "one", healthz: "ok" });
      const provided = new KmsProvider({ name, plugin, clock: systemClock, random: systemRandom, bytes: systemBytes });
      plugins.push(provided);
      return provided;
    },
  });
  await Promise.all(plugins.map((plugin) => plugin.start()));
  return rules;
}

const data = Buffer.alloc(700, "x").toString("base64");
const valueOf = (name: string): Buffer =>
  Buffer.from(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"${name}"},"data":{"word":"${data}"}}`);

const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)]!;

/** Milliseconds of a load, of the longest turn in it, and microseconds of the CPU that a write took. */
async function measure(provider: object | undefined): Promise<{ write: number; start: number; turn: number }> {
  const directory = mkdtempSync(join(tmpdir(), "keelson-bench-"));
  const rules = provider && (await rulesOf(provider));
  const open = async (): Promise<Store> => {
    const store = await openSqliteStore({ directory, clock: systemClock });
    return rules ? new EncryptedStore(store, rules, systemClock.loop) : store;
  };
  let store = await open();
  const cpu = process.cpuUsage();
  const names = Array.from({ length: COUNT }, (_, i) => `s${String(i).padStart(6, "0")}`);
  for (let from = 0; from < COUNT; from += 500) {
    const part = names.slice(from, from + 500);
    await Promise.all(
      part.map((name) => store.write({ type: "create", key: `/core/secrets/d/${name}`, value: valueOf(name) })),
    );
  }
  const write = (process.cpuUsage(cpu).user + process.cpuUsage(cpu).system) / COUNT;
  await store.close();
  const starts: number[] = [];
  const turns: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    store = await open();
    let longest = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const began = performance.now();
    const cacher = await Cacher.open(store, [cacheResource("/core/secrets/")]);
    starts.push(performance.now() - began);
    turns.push(longest);
    clearInterval(watch);
    cacher.close();
    await store.close();
  }
  rmSync(directory, { recursive: true });
  return { write, start: median(starts), turn: median(turns) };
}

for (const [name, provider] of Object.entries(PROVIDERS)) {
  const { write, start, turn } = await measure(provider);
  const line = [
    `${write.toFixed(0)} µs CPU a write`,
    `load ${start.toFixed(0)} ms`,
    `longest turn ${turn.toFixed(0)} ms`,
  ];
  console.log(name.padEnd(10), line.join(", "));
}
