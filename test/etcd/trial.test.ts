/** Trials of policies on the history of an etcd: what another server wrote, what is compacted, and an etcd that pauses. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { TrialReport } from "../../src/meta/trial-report.ts";
import type { Store } from "../../src/storage/contract.ts";
import { openEtcdStore } from "../../src/storage/etcd/store.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { systemClock, systemRandom } from "../../src/util/clock.ts";
import type { Value } from "../../src/value/value.ts";
import { type EtcdCluster, hasEtcd, startEtcd } from "./start.ts";

const policy = (expression: string): Value => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "grows" },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
    },
    matchConditions: [{ name: "mine", expression: "object.metadata.name.startsWith('m')" }],
    validations: [{ expression }],
  },
});

/** Refuses each update that does not count up by one, so it sees whether the version before is the right one. */
const COUNTS = policy("oldObject == null || int(object.data.n) == int(oldObject.data.n) + 1");
const NOTHING = policy("false");

/** How many objects are written, and how often each of them; more than a page of the log has. */
const OBJECTS = 50;
const VERSIONS = 60;

async function write(cluster: Cluster): Promise<void> {
  const maps = cluster.client("writer").resource(ConfigMap);
  await Promise.all(
    Array.from({ length: OBJECTS }, async (_, i) => {
      const metadata = { name: `m${i}`, namespace: "default" };
      await maps.create({ metadata, data: { n: "0" } });
      for (let n = 1; n < VERSIONS; n++) await maps.patch(metadata, { data: { n: String(n) } });
      if (i % 10 === 0) await maps.delete(metadata);
    }),
  );
}

const counts = ({ policies, history }: TrialReport) => {
  const [{ objects, writes } = { objects: undefined, writes: undefined }] = policies;
  const { withoutBefore, stopped } = history;
  return { objects, writes, withoutBefore, stopped };
};

describe.skipIf(!(await hasEtcd()))("a trial on the history of an etcd", { timeout: 90_000 }, () => {
  let etcd: EtcdCluster;
  const stores: Store[] = [];
  const clusters: Cluster[] = [];
  const open = async (): Promise<Cluster> => {
    const store = await openEtcdStore({
      endpoints: etcd.endpoints,
      prefix: "/trial",
      clock: systemClock,
      random: systemRandom,
    });
    stores.push(store);
    const cluster = await createCluster({ store, dialect: kubernetes });
    clusters.push(cluster);
    return cluster;
  };

  beforeAll(async () => {
    etcd = await startEtcd();
    await write(await open());
    // A server that was not there when it was written has nothing of it in memory.
    await open();
  });
  afterAll(async () => {
    for (const cluster of clusters) await cluster.close();
    for (const store of stores) await store.close();
    await etcd?.close();
  });

  test("says the same as one on the memory of one server, also on a server that has written nothing", async () => {
    const memory = await createCluster({ store: await openMemoryStore(), dialect: kubernetes });
    await write(memory);
    for (const tried of [COUNTS, NOTHING]) {
      const expected = counts(await memory.tryPolicies([tried]));
      expect(expected.writes?.judged).toBe(OBJECTS * VERSIONS);
      for (const cluster of clusters) expect(counts(await cluster.tryPolicies([tried]))).toEqual(expected);
    }
    expect(counts(await clusters[1]!.tryPolicies([COUNTS]))).toMatchObject({ writes: { refuse: 0, fail: 0 } });
    await memory.close();
  });

  test("sees what another server has just written", async () => {
    const [one, other] = clusters;
    const maps = one!.client("writer").resource(ConfigMap);
    for (let i = 0; i < 5; i++) {
      const metadata = { name: `m-late-${i}`, namespace: "default" };
      await maps.create({ metadata, data: { n: "0" } });
      const { objects, writes } = counts(await other!.tryPolicies([NOTHING]));
      expect([objects?.judged, writes?.judged]).toEqual([OBJECTS - 5 + i + 1, OBJECTS * VERSIONS + i + 1]);
    }
  });

  test("begins after what is compacted, and knows the versions before the first ones that are left", async () => {
    const [one, other] = clusters;
    const all = await one!.tryPolicies([COUNTS]);
    const half = Math.floor((Number(all.history.since) + Number(all.history.until)) / 2);
    await stores[0]!.compact(half);
    for (const cluster of [one!, other!]) {
      const report = await cluster.tryPolicies([COUNTS]);
      expect(report.history).toMatchObject({ since: String(half), withoutBefore: 0 });
      expect(report.policies[0]!.writes.judged).toBeGreaterThan(100);
      expect(report.policies[0]!.writes).toMatchObject({ refuse: 0, fail: 0 });
    }
  });

  test("waits for an etcd that pauses, and leaves nothing out unsaid", async () => {
    const expected = counts(await clusters[0]!.tryPolicies([NOTHING]));
    // A server without anything in memory reads all of it from the log.
    const fresh = await open();
    const store = stores.at(-1)!;
    const [member] = etcd.members;
    const watch = store.watch.bind(store);
    vi.spyOn(store, "watch").mockImplementationOnce((...args) => {
      member!.pause();
      setTimeout(() => member!.resume(), 3000);
      return watch(...args);
    });
    expect(counts(await fresh.tryPolicies([NOTHING]))).toEqual(expected);
  });
});
