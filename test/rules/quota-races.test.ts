/** Quotas with many writers at once: never is more stored than allowed, and what is used is what is stored. */
import { describe, expect, test } from "vitest";
import type { AdmissionStep } from "../../src/admission/contract.ts";
import { refusal } from "../../src/admission/contract.ts";
import type { ClusterParts } from "../../src/cluster/index.ts";
import type { Store, Write } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { type Random, seededRandom } from "../../src/util/clock.ts";
import { nextPass } from "../../src/util/testing/pass.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { Api, worldOf } from "./api.ts";

const WRITERS = 64;
/** How many objects they create under the eyes of the controller. */
const CREATES = amount("CREATES", 150, 3000);
const SEED = Number(process.env["SEED"] ?? 1);

const NAMESPACE = "/api/v1/namespaces/default";
const OPTIONS = { "enable-admission-plugins": "ResourceQuota", dialect: "kubernetes" };

const below = (random: Random, bound: number): number => Math.floor(random.next() * bound);

/** A store whose writes of ConfigMaps and claims take some passes of the loop, each another number. */
function slowStore(store: Store, random: Random): Store {
  const slow = async <T>(keys: readonly string[], work: () => Promise<T>): Promise<T> => {
    const isObject = keys.some((key) => /configmaps|persistentvolumeclaims/.test(key));
    for (let left = isObject ? below(random, 6) : 0; left > 0; left--) await nextPass();
    return work();
  };
  const write = (one: Write): Promise<number> => slow([one.key], () => store.write(one));
  const transact = (all: readonly Write[]): Promise<readonly number[]> =>
    slow(
      all.map(({ key }) => key),
      () => store.transact(all),
    );
  return new Proxy(store, {
    get(from, name) {
      const value: unknown = { write, transact }[name as string] ?? Reflect.get(from, name, from);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
}

/** The greatest number of objects of a resource that were stored at one time, from now on. */
function watchMost(store: Store, plural: string): () => number {
  const stored = new Set<string>();
  let most = 0;
  store.watch("", store.revision, {
    events(batch) {
      for (const { type, key } of batch) {
        if (!key.includes(`/${plural}/`)) continue;
        if (type === "put") stored.add(key);
        else stored.delete(key);
        most = Math.max(most, stored.size);
      }
    },
    ended() {},
  });
  return () => most;
}

/** A cluster over a slow store, with its admin, its random numbers and the store. */
async function slowCluster(options: Record<string, string> = {}, parts: Partial<ClusterParts> = {}) {
  const random = seededRandom(SEED);
  const store = await openMemoryStore();
  const api = new Api();
  api.use(
    await worldOf({ ...OPTIONS, controllers: "none", ...options }, { store: slowStore(store, random), ...parts }),
  );
  return { api, store, random };
}

async function limit(api: Api, name: string, hard: Record<string, string>): Promise<void> {
  await api.post(`${NAMESPACE}/resourcequotas`, { metadata: { name }, spec: { hard } });
  const used = Object.fromEntries(Object.keys(hard).map((counts) => [counts, "0"]));
  await api.merge(`${NAMESPACE}/resourcequotas/${name}/status`, { status: { hard, used } });
}

const usedOf = async (api: Api, name: string): Promise<Record<string, string>> =>
  ((await api.get(`${NAMESPACE}/resourcequotas/${name}`)).body["status"] as { used: Record<string, string> }).used;

const namesOf = async (api: Api, plural: string): Promise<string[]> =>
  ((await api.get(`${NAMESPACE}/${plural}`)).body["items"] as { metadata: { name: string } }[]).map(
    ({ metadata }) => metadata.name,
  );

const configMap = async (api: Api, name: string): Promise<number> =>
  (await api.post(`${NAMESPACE}/configmaps`, { metadata: { name } })).status;

const claimOf = (name: string, size: number) => ({
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "gold",
    resources: { requests: { storage: `${size}Gi` } },
  },
});

/** Runs work of all writers at once. */
const allAtOnce = <T>(work: (writer: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: WRITERS }, (_, i) => work(i)));

test("QUOTA-2, QUOTA-3: 64 writers get exactly what one quota has", async () => {
  const { api } = await slowCluster();
  await limit(api, "q", { configmaps: "20" });
  const codes = await allAtOnce((i) => configMap(api, `c${i}`));
  expect(codes.filter((code) => code === 201)).toHaveLength(20);
  expect(codes.filter((code) => code === 403)).toHaveLength(WRITERS - 20);
  expect([await usedOf(api, "q"), await namesOf(api, "configmaps")]).toMatchObject([
    { configmaps: "20" },
    { length: 20 },
  ]);
  await api.world.cluster.close(0);
});

test("QUOTA-3: 64 writers under three quotas take nothing of one that another refuses", async () => {
  const { api, random } = await slowCluster();
  const ofGold = "gold.storageclass.storage.k8s.io/requests.storage";
  await limit(api, "a", { "requests.storage": "60Gi" });
  await limit(api, "b", { persistentvolumeclaims: "25" });
  await limit(api, "c", { [ofGold]: "55Gi", "count/persistentvolumeclaims": "30" });
  const sizes = Array.from({ length: WRITERS }, () => 1 + below(random, 5));
  const codes = await allAtOnce(async (i) => {
    const made = await api.post(`${NAMESPACE}/persistentvolumeclaims`, claimOf(`c${i}`, sizes[i]!));
    return made.status;
  });
  const stored = sizes.filter((_, i) => codes[i] === 201);
  const size = stored.reduce((sum, one) => sum + one, 0);
  expect(stored.length).toBeLessThanOrEqual(25);
  expect(size).toBeLessThanOrEqual(55);
  // The smallest claim does not fit any more: nothing was left to one that was refused.
  expect(stored.length === 25 || size + Math.max(...sizes) > 55).toBe(true);
  expect([await usedOf(api, "a"), await usedOf(api, "b"), await usedOf(api, "c")]).toEqual([
    { "requests.storage": `${size}Gi` },
    { persistentvolumeclaims: `${stored.length}` },
    { [ofGold]: `${size}Gi`, "count/persistentvolumeclaims": `${stored.length}` },
  ]);
  await api.world.cluster.close(0);
});

/** Refuses some writes in each way in which a step can. */
const refusing = (random: Random): AdmissionStep => ({
  name: "Refuses",
  resources: [{ group: "", plural: "configmaps" }],
  validate(request) {
    if (request.operation === "CREATE" && below(random, 4) === 0) throw refusal(request, "not today");
  },
  commit(request) {
    if (request.operation === "CREATE" && below(random, 4) === 0) throw refusal(request, "not tomorrow");
    return undefined;
  },
});

test("QUOTA-4: what another step refuses, or the rules of the kind, or a dry run, books nothing", async () => {
  const { api } = await slowCluster({}, { steps: [refusing(seededRandom(SEED))] });
  await limit(api, "q", { configmaps: "1000" });
  const codes = await allAtOnce(async (i) => {
    await api.post(`${NAMESPACE}/configmaps`, { metadata: { name: `dry${i}` } }, { dryRun: "All" });
    return [await configMap(api, `Bad_${i}`), await configMap(api, `c${i}`)];
  });
  const stored = await namesOf(api, "configmaps");
  expect(codes.filter(([, code]) => code === 201)).toHaveLength(stored.length);
  expect(codes.filter(([, code]) => code === 403).length).toBeGreaterThan(5);
  expect(await usedOf(api, "q")).toEqual({ configmaps: String(stored.length) });
  await api.world.cluster.close(0);
});

test("QUOTA-4: names that are taken leave the quota as it is after the next create", async () => {
  const { api } = await slowCluster();
  await limit(api, "q", { configmaps: "9" });
  const codes = await allAtOnce((i) => configMap(api, `c${i % 8}`));
  expect(codes.filter((code) => code === 201)).toHaveLength(8);
  expect(await configMap(api, "last")).toBe(201);
  expect(await usedOf(api, "q")).toEqual({ configmaps: "9" });
  await api.world.cluster.close(0);
});

describe("with the controller that counts", () => {
  test("QUOTA-2: 64 writers that create and delete never store more than allowed", { timeout: 60_000 }, async () => {
    const { api, store, random } = await slowCluster({ controllers: "resourcequota" });
    await api.post(`${NAMESPACE}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { configmaps: "10" } } });
    await api.until(`${NAMESPACE}/resourcequotas/q`, ({ body }) => "used" in (body["status"] as object));
    const most = watchMost(store, "configmaps");
    let left = CREATES;
    await allAtOnce(async (writer) => {
      for (let i = 0; left > 0; i++) {
        const name = `c${writer}-${i}`;
        const isCreated = (await configMap(api, name)) === 201;
        if (isCreated) left--;
        for (let passes = below(random, 8); passes > 0; passes--) await nextPass();
        if (isCreated) await api.delete(`${NAMESPACE}/configmaps/${name}`);
        api.world.clock.advance(50);
      }
    });
    expect(most()).toBeLessThanOrEqual(10);
    expect(most()).toBeGreaterThan(5);
    await api.pass(10_000);
    expect([await usedOf(api, "q"), await namesOf(api, "configmaps")]).toEqual([{ configmaps: "0" }, []]);
    await api.world.cluster.close(0);
  });
});
