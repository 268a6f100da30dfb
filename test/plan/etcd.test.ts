/** Documents that are applied as one over etcd: by two servers, while members are killed, and more than fit into a transaction. */
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, applyDocuments, planDocuments } from "../../src/client/index.ts";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { type Cluster as Core, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { Store } from "../../src/storage/contract.ts";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { WatchLog } from "../../src/storage/testing/watch-log.ts";
import { seededRandom, systemClock, systemRandom } from "../../src/util/clock.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "../etcd/start.ts";
import { NEW, SHARED, documentsOf } from "./rounds.ts";

const SEED = Number(process.env["SEED"] ?? 1);
const OPTIONS = { fieldManager: "same" };

describe.skipIf(!(await hasEtcd()))("documents that are applied as one over etcd", { timeout: 120_000 }, () => {
  let etcd: EtcdCluster;
  let stores: Store[];
  let servers: Core[];
  beforeAll(async () => {
    etcd = await startEtcd({});
    const open = () =>
      openEtcdStore({ endpoints: etcd.endpoints, prefix: "/plan", clock: systemClock, random: systemRandom });
    stores = [await open(), await open()];
    servers = [];
    for (const store of stores) servers.push(await createCluster({ store, dialect: kubernetes }));
  });
  afterAll(async () => {
    for (const server of servers ?? []) await server.close();
    for (const store of stores ?? []) await store.close();
    await etcd?.close();
  });

  const clients = (): Client[] => servers.map((server) => server.client("test"));

  async function countOf(client: Client, round: string): Promise<number> {
    const { items } = await client.resource(ConfigMap).list({ namespace: "default" });
    return items.filter(({ metadata }) => metadata.name.startsWith(`round${round}-`)).length;
  }

  test("have one revision, at which both servers show all of them", async () => {
    const [one, other] = clients();
    const log = WatchLog.start(stores[1]!, "/core/configmaps/default/round", stores[1]!.revision);
    const report = await applyDocuments(one!, documentsOf(0, "first"), OPTIONS);
    expect(report.outcome).toBe("committed");
    const versions = new Set(report.documents.map(({ object }) => object?.resourceVersion));
    expect(versions).toEqual(new Set([report.resourceVersion]));
    expect(await countOf(other!, "first")).toBe(NEW);
    await log.until(NEW);
    expect(log.batches.map((batch) => batch.length)).toEqual([NEW]);
  });

  test("by two servers at once: the objects that both want are those of one of them", async () => {
    const work = async (client: Client, by: string): Promise<void> => {
      for (let round = 0; round < 8; round++) {
        const { outcome } = await applyDocuments(client, documentsOf(round, by), OPTIONS);
        expect(outcome).toBe("committed");
      }
    };
    const log = WatchLog.start(stores[0]!, "/core/configmaps/default/shared-", stores[0]!.revision);
    await Promise.all(clients().map((client, i) => work(client, i === 0 ? "x" : "y")));
    await log.until(16 * SHARED);
    const rounds = new Map<number, Set<string>>();
    for (const { revision, value } of log.batches.flat()) {
      const of = /"round":"(\w+)"/.exec(Buffer.from(value).toString())?.[1] ?? "";
      rounds.set(revision, (rounds.get(revision) ?? new Set()).add(of));
    }
    expect([...rounds.values()].map((one) => one.size)).toEqual(Array.from({ length: 16 }, () => 1));
    const perRevision = new Map<number, number>();
    for (const { revision } of log.batches.flat()) perRevision.set(revision, (perRevision.get(revision) ?? 0) + 1);
    expect(new Set(perRevision.values())).toEqual(new Set([SHARED]));
  });

  test("are refused where they do not fit into a transaction of etcd, and nothing is stored; a plan of them is made", async () => {
    const [client] = clients();
    const documents = documentsOf(0, "many", 200);
    const report = await applyDocuments(client!, documents, OPTIONS);
    expect(report).toMatchObject({
      outcome: "refused",
      status: { code: 413, message: expect.stringContaining("larger --max-txn-ops") },
    });
    expect(await countOf(client!, "many")).toBe(0);
    const plan = await planDocuments(client!, documents, OPTIONS);
    expect(plan.documents.filter(({ result }) => result === "created")).toHaveLength(200);
  });

  test("while the member of etcd is killed at any moment: all or none", async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 4; round++) {
      const by = `kill${round}`;
      const [client, other] = clients();
      const applying = applyDocuments(client!, documentsOf(0, by, 60), OPTIONS).then(
        ({ outcome }) => outcome === "committed",
        () => false,
      );
      await wait(random.next() * 60);
      await etcd.members[0]!.kill();
      await etcd.members[0]!.start();
      const isDone = await applying;
      const stored = await retried(() => countOf(other!, by));
      expect(isDone ? [60] : [0, 60]).toContain(stored);
    }
  });
});

/** Repeats what fails while etcd comes back. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 40) throw error;
      await wait(250);
    }
  }
}
