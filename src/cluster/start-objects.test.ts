import { expect, test } from "vitest";
import { PriorityClass } from "../client/kinds/index.ts";
import { type Dialect, kubernetes, neutral } from "../meta/dialect.ts";
import { tooManyRequests } from "../meta/status.ts";
import type { Store } from "../storage/contract.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { type Cluster, type ClusterParts, createCluster } from "./index.ts";

const started = (
  store: Store,
  dialect: Dialect = kubernetes,
  more: Pick<ClusterParts, "log" | "steps"> = {},
): Promise<Cluster> => createCluster({ store, dialect, clock: new ManualClock(), random: seededRandom(1), ...more });

const classes = (cluster: Cluster) => cluster.client("test").resource(PriorityClass);
const listed = async (cluster: Cluster) => (await classes(cluster).list()).items;

const NODE = "system-node-critical";
const CLUSTER = "system-cluster-critical";

test("KIND-PriorityClass-3: the two classes of the system are there from the start, for everybody to see", async () => {
  await using cluster = await started(await openMemoryStore());
  const found = await listed(cluster);
  expect(found.map(({ metadata, value }) => [metadata.name, value])).toEqual([
    [CLUSTER, 2_000_000_000],
    [NODE, 2_000_001_000],
  ]);
  expect(found[0]).toMatchObject({ preemptionPolicy: "PreemptLowerPriority" });
  expect(found[0]!.metadata).toMatchObject({ generation: 1, managedFields: [{ manager: "kube-apiserver" }] });
});

test("the neutral dialect has none", async () => {
  await using cluster = await started(await openMemoryStore(), neutral);
  const { server } = cluster;
  const response = await server.inject({
    method: "GET",
    url: "/apis/scheduling.k8s.io/v1/priorityclasses",
    headers: {},
    identity: { user: "admin", groups: ["system:masters"] },
  });
  expect(JSON.parse(await response.text())).toMatchObject({ items: [] });
});

test("a server that starts again makes only what is missing", async () => {
  const store = await openMemoryStore();
  const first = await started(store);
  const [before] = await listed(first);
  await classes(first).patch({ name: CLUSTER }, { description: "ours" });
  await classes(first).delete({ name: NODE });
  await first.close();
  await using again = await started(store);
  const found = await listed(again);
  expect(found.map(({ metadata }) => metadata.name)).toEqual([CLUSTER, NODE]);
  expect(found[0]).toMatchObject({ description: "ours", metadata: { uid: before!.metadata.uid } });
});

test("servers that start together make each object once", async () => {
  const store = await openMemoryStore();
  const clusters = await Promise.all([started(store), started(store), started(store)]);
  const uids = await Promise.all(clusters.map(async (one) => (await listed(one)).map(({ metadata }) => metadata.uid)));
  expect(uids[0]).toHaveLength(2);
  expect(uids).toEqual([uids[0], uids[0], uids[0]]);
  for (const cluster of clusters) await cluster.close();
});

test("a server that can make none serves without them, and says so", async () => {
  const store = await openMemoryStore();
  const first = await started(store);
  await classes(first).delete({ name: NODE });
  await first.close();
  const warned: unknown[] = [];
  const quiet = (): void => {};
  const log: Log = { debug: quiet, info: quiet, error: quiet, warn: (_message, fields) => warned.push(fields) };
  const refuse = (): never => {
    throw tooManyRequests("not now", "");
  };
  const steps = [{ name: "Refusing", mutate: refuse }];
  await using cluster = await started(store, kubernetes, { log, steps });
  expect((await listed(cluster)).map(({ metadata }) => metadata.name)).toEqual([CLUSTER]);
  expect(warned).toMatchObject([{ resource: "priorityclasses.scheduling.k8s.io", name: NODE }]);
});
