/** Documents that are applied as one are all stored, or none. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, type Manifest, StatusError, applyDocuments } from "../../src/client/index.ts";
import { ConfigMap, Service } from "../../src/client/kinds/index.ts";
import { type Cluster as Core, createCluster as createCore } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { WatchLog } from "../../src/storage/testing/watch-log.ts";
import { createCluster } from "../../src/testing/index.ts";
import { seededRandom, systemClock } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { nextPass } from "../../src/util/testing/pass.ts";
import { NEW, SHARED, documentsOf } from "./rounds.ts";

const KILLS = amount("KILLS", 3, 20);
const SEED = Number(process.env["SEED"] ?? 1);
const WRITER = new URL("./writer.ts", import.meta.url).pathname;
/** So many that judging them takes several slices. */
const MANY = 300;
const OPTIONS = { fieldManager: "deployer" };

const map = (name: string, value = "1"): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { value },
});

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-atomic-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("documents that are applied as one", () => {
  test("are stored in one transaction, and one revision shows all of them", async () => {
    const store = await openMemoryStore();
    await using core = await createCore({ store, dialect: kubernetes });
    const log = WatchLog.start(store, "/core/configmaps/", store.revision);
    const report = await applyDocuments(core.client("test"), [map("a"), map("b"), map("c")], OPTIONS);
    expect(report).toMatchObject({ outcome: "committed", resourceVersion: String(store.revision) });
    expect(log.batches.map((batch) => batch.map(({ key }) => key))).toEqual([
      ["/core/configmaps/default/a", "/core/configmaps/default/b", "/core/configmaps/default/c"],
    ]);
    const { items } = await core.client("test").resource(ConfigMap).list();
    const versions = items.map(({ metadata }) => metadata.resourceVersion);
    expect(report.documents.map(({ object }) => object?.resourceVersion)).toEqual(versions);
  });

  test("reach a watch together, and a read at the revision of the report shows all", async () => {
    await using cluster = await createCluster({ controllers: "none" });
    const client = cluster.client();
    const configMaps = client.resource(ConfigMap);
    const { metadata } = await configMaps.list({ namespace: "default" });
    const names = ["a", "b", "c", "d"];
    const watch = configMaps.watch({ namespace: "default", resourceVersion: metadata.resourceVersion });
    const report = await applyDocuments(
      client,
      names.map((name) => map(name)),
      OPTIONS,
    );
    const seen: (readonly [string, boolean])[] = [];
    for await (const { type, object } of watch) {
      const { resourceVersion } = report;
      const { items } = await configMaps.list({ namespace: "default", resourceVersion });
      seen.push([
        `${type} ${object.metadata.name}`,
        names.every((name) => items.some((one) => one.metadata.name === name)),
      ]);
      if (seen.length === names.length) break;
    }
    expect(seen).toEqual(names.map((name) => [`ADDED ${name}`, true]));
  });

  test("are not stored where one of them is refused: objects, addresses and quotas are as before", async () => {
    await using cluster = await createCluster({ controllers: "none" });
    const service: Manifest = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s", namespace: "default" },
      spec: { ports: [{ port: 80 }], clusterIP: "10.0.0.77" },
    };
    const before = cluster.version;
    const refused = await cluster.applyAll(map("a"), service, map("B")).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StatusError);
    expect(refused).toMatchObject({
      status: { code: 422, reason: "Invalid" },
      plan: {
        outcome: "refused",
        documents: [{ result: "created" }, { result: "created" }, { refusedBy: "validation" }],
      },
    });
    expect(cluster.version).toBe(before);
    await cluster.applyAll(map("a"), service);
    const stored = await cluster.client().resource(Service).get({ name: "s", namespace: "default" });
    expect(stored["spec"]).toMatchObject({ clusterIP: "10.0.0.77" });
    await expect(cluster.applyAll({ ...service, metadata: { name: "t", namespace: "default" } })).rejects.toMatchObject(
      { status: { code: 422 } },
    );
  });

  test("are judged again where another writer was faster", async () => {
    await using cluster = await createCluster({ controllers: "none" });
    await cluster.apply(map("shared", "0"));
    const client = cluster.client();
    const bump = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        const key = { name: "shared", namespace: "default" };
        await client.resource(ConfigMap).patch(key, { metadata: { labels: { at: String(i) } } });
      }
    };
    const [report] = await Promise.all([
      applyDocuments(client, [map("a"), { ...map("shared"), data: { other: "1" } }, map("b")], OPTIONS),
      bump(),
    ]);
    expect(report.outcome).toBe("committed");
    const shared = await client.resource(ConfigMap).get({ name: "shared", namespace: "default" });
    expect(shared).toMatchObject({ data: { value: "0", other: "1" }, metadata: { labels: { at: "19" } } });
  });

  test("by writers that want the same objects: each time all are those of one of them", async () => {
    const store = await openMemoryStore();
    await using core = await createCore({ store, dialect: kubernetes });
    const work = async (by: string): Promise<void> => {
      for (let round = 0; round < 10; round++) {
        await applyDocuments(core.client(by), documentsOf(round, by), { fieldManager: "same" });
      }
    };
    const batches = WatchLog.start(store, "/core/configmaps/default/shared-", store.revision);
    await Promise.all(["x", "y", "z"].map(work));
    expect(batches.batches).toHaveLength(30);
    for (const batch of batches.batches) {
      const rounds = new Set(batch.map(({ value }) => /"round":"(\w+)"/.exec(Buffer.from(value).toString())?.[1]));
      expect([batch.length, rounds.size]).toEqual([SHARED, 1]);
    }
  });

  test("by a client that goes at any moment: all or none, in memory", async () => {
    const random = seededRandom(SEED);
    const store = await openMemoryStore();
    await using core = await createCore({ store, dialect: kubernetes });
    const results = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const gone = new AbortController();
      const documents = documentsOf(round, "", MANY);
      const applying = applyDocuments(core.client("test"), documents, { ...OPTIONS, signal: gone.signal });
      const ended = applying.then(
        () => true,
        () => false,
      );
      for (let passes = Math.floor(random.next() * 12); passes > 0; passes--) await nextPass();
      gone.abort();
      const isDone = await ended;
      for (let i = 0; i < 20; i++) await nextPass();
      const stored = await countOf(core, round);
      expect(isDone ? [MANY] : [0, MANY]).toContain(stored);
      results.add(stored);
    }
    expect(results).toEqual(new Set([0, MANY]));
  });

  test(
    `by a process that is killed ${KILLS} times: all or none, and what was acknowledged is there`,
    { timeout: 60_000 + KILLS * 10_000 },
    async () => {
      const random = seededRandom(SEED);
      const [data, log] = [join(directory, "data"), join(directory, "log")];
      let first = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await runAndKill([WRITER, data, log, String(first)], 20 + random.next() * 400);
        const store = await openSqliteStore({ directory: data, clock: systemClock });
        await using core = await createCore({ store, dialect: kubernetes });
        const lines = readFileSync(log, "utf8").trim().split("\n");
        const begun = lines.filter((line) => line.startsWith("begin ")).length;
        for (let round = first; round < begun; round++) {
          const isAcknowledged = lines.includes(`committed ${round}`);
          expect(isAcknowledged ? [NEW] : [0, NEW]).toContain(await countOf(core, round));
        }
        const shared = await sharedRounds(core.client("test"));
        expect(shared.size).toBeLessThanOrEqual(1);
        first = begun;
        await core.close();
        await store.close();
      }
      expect(first).toBeGreaterThan(KILLS);
    },
  );
});

async function runAndKill(args: readonly string[], millis: number): Promise<void> {
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(writer.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, millis));
  writer.kill("SIGKILL");
  await once(writer, "exit");
}

/** How many of the new objects of a round there are. */
async function countOf(core: Core, round: number): Promise<number> {
  const { items } = await core.client("test").resource(ConfigMap).list({ namespace: "default" });
  return items.filter(({ metadata }) => metadata.name.startsWith(`round-${round}-`)).length;
}

/** The rounds that the shared objects are of. */
async function sharedRounds(client: Client): Promise<ReadonlySet<unknown>> {
  const { items } = await client.resource(ConfigMap).list({ namespace: "default" });
  const shared = items.filter(({ metadata }) => metadata.name.startsWith("shared-"));
  return new Set(shared.map(({ data }) => data?.["round"]));
}
