/** Quotas with the step that charges and the controller that counts, as tests of others have them. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ConfigMap,
  CustomResourceDefinition,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
} from "../../src/client/kinds/index.ts";
import { resourceQuota } from "../../src/controllers/quota/controller.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { type Cluster, createCluster } from "../../src/testing/index.ts";

const NAMESPACE = "default";
const at = (name: string) => ({ name, namespace: NAMESPACE });

let cluster: Cluster;
beforeEach(async () => {
  cluster = await createCluster({ admission: { enable: ["ResourceQuota"] }, controllers: ["resourcequota"] });
});
afterEach(() => cluster.close());

const client = () => cluster.client();
const quotas = () => client().resource(ResourceQuota);

async function limit(hard: Record<string, string>, more: object = {}): Promise<void> {
  await quotas().create({ metadata: at("q"), spec: { hard, ...more } });
  await cluster.settled();
}

const status = async () => (await quotas().get(at("q"))).status;
const used = async () => (await status()).used;

const makeMap = (name: string) =>
  client()
    .resource(ConfigMap)
    .create({ metadata: at(name) });
const makePod = (name: string, cpu: string, more: object = {}) =>
  client()
    .resource(Pod)
    .create({
      metadata: at(name),
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }], ...more },
    });

test("WL-QUOTA-1, QUOTA-2, KIND-ResourceQuota-5: a new quota is counted, then enforced; what goes is given back", async () => {
  await makeMap("a");
  await limit({ configmaps: "2", "count/configmaps": "2" });
  expect(await status()).toEqual({
    hard: { configmaps: "2", "count/configmaps": "2" },
    used: { configmaps: "1", "count/configmaps": "1" },
  });
  await makeMap("b");
  await expect(makeMap("c")).rejects.toThrow("exceeded quota: q");
  await client().resource(ConfigMap).delete(at("a"));
  await cluster.settled();
  expect(await used()).toEqual({ configmaps: "1", "count/configmaps": "1" });
  await expect(makeMap("c")).resolves.toBeDefined();
});

test("WL-QUOTA-1, QUOTA-2: a change of what is allowed is enforced when it was counted", async () => {
  await limit({ configmaps: "1" });
  await makeMap("a");
  await quotas().patch(at("q"), { spec: { hard: { configmaps: "3", secrets: "1" } } });
  await cluster.settled();
  expect(await status()).toEqual({ hard: { configmaps: "3", secrets: "1" }, used: { configmaps: "1", secrets: "0" } });
  await quotas().patch(at("q"), { spec: { hard: { configmaps: null } } });
  await cluster.settled();
  expect(await status()).toEqual({ hard: { secrets: "1" }, used: { secrets: "0" } });
});

test("WL-QUOTA-1, QUOTA-2: a Pod that has ended gives back what it took, but for its place in the store", async () => {
  await limit({ pods: "9", "requests.cpu": "1", "count/pods": "9" });
  await makePod("a", "600m");
  await expect(makePod("b", "600m")).rejects.toThrow("exceeded quota");
  await client()
    .resource(Pod)
    .status.patch(at("a"), { status: { phase: "Succeeded" } });
  await cluster.settled();
  expect(await used()).toEqual({ pods: "0", "requests.cpu": "0", "count/pods": "1" });
  await expect(makePod("b", "600m")).resolves.toBeDefined();
});

test("QUOTA-6: Pods are counted by scope", async () => {
  await makePod("a", "100m");
  await makePod("b", "200m", { activeDeadlineSeconds: 60 });
  await limit({ pods: "9", "requests.cpu": "9" }, { scopes: ["Terminating"] });
  expect(await used()).toEqual({ pods: "1", "requests.cpu": "200m" });
});

test("QUOTA-6: what leaves a scope is given back at once, and what comes into one is counted", async () => {
  await makePod("a", "100m");
  await limit({ pods: "9", "requests.cpu": "9" }, { scopes: ["NotTerminating"] });
  expect(await used()).toEqual({ pods: "1", "requests.cpu": "100m" });
  const pods = client().resource(Pod);
  await pods.patch(at("a"), { spec: { activeDeadlineSeconds: 60 } });
  await cluster.settled();
  expect(await used()).toEqual({ pods: "0", "requests.cpu": "0" });
});

test("QUOTA-6: a claim that gets another attributes class leaves the quota of the one that it had", async () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const claims = client().resource(PersistentVolumeClaim);
  const expression = { scopeName: "VolumeAttributesClass", operator: "In", values: ["gold"] };
  await claims.create({ metadata: at("c"), spec: { ...spec, volumeName: "v", volumeAttributesClassName: "gold" } });
  await claims.status.patch(at("c"), { status: { phase: "Bound" } });
  await limit({ persistentvolumeclaims: "9" }, { scopeSelector: { matchExpressions: [expression] } });
  expect(await used()).toEqual({ persistentvolumeclaims: "1" });
  await claims.patch(at("c"), { spec: { volumeAttributesClassName: "silver" } });
  await cluster.settled();
  expect(await used()).toEqual({ persistentvolumeclaims: "0" });
});

test("QUOTA-5: claims are counted with their storage, page by page", async () => {
  for (let i = 0; i < 3; i++) {
    const resources = { requests: { storage: "1Gi" } };
    const spec = { accessModes: ["ReadWriteOnce"], resources, storageClassName: "gold" };
    await client()
      .resource(PersistentVolumeClaim)
      .create({ metadata: at(`c${i}`), spec });
  }
  const ofGold = "gold.storageclass.storage.k8s.io/requests.storage";
  await limit({ "requests.storage": "9Gi", [ofGold]: "9Gi", persistentvolumeclaims: "9" });
  expect(await used()).toEqual({ "requests.storage": "3Gi", [ofGold]: "3Gi", persistentvolumeclaims: "3" });
});

test("QUOTA-7: objects of kinds that come later are counted from then on; what is no kind stays as it is", async () => {
  await limit({ "count/widgets.example.com": "1", "count/nothings.example.com": "1" });
  expect(await used()).toBeUndefined();
  const names = { plural: "widgets", kind: "Widget", singular: "widget", listKind: "WidgetList" };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
  await client()
    .resource(CustomResourceDefinition)
    .create({
      metadata: { name: "widgets.example.com" },
      spec: { group: "example.com", scope: "Namespaced", names, versions: [version] },
    });
  await cluster.clock.advance("1m");
  expect(await used()).toEqual({ "count/widgets.example.com": "0" });
  const widgets = client().resource({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  });
  const widget = (name: string) => widgets.create({ metadata: at(name) });
  await widget("a");
  await expect(widget("b")).rejects.toThrow("exceeded quota: q");
  await widgets.delete(at("a"));
  await cluster.settled();
  expect(await used()).toEqual({ "count/widgets.example.com": "0" });
});

test("WL-QUOTA-1: a wrong count is corrected in a few minutes", async () => {
  await limit({ configmaps: "9" });
  await quotas().status.patch(at("q"), { status: { used: { configmaps: "7" } } });
  await cluster.clock.advance("6m");
  expect(await used()).toEqual({ configmaps: "0" });
});

test("a charge that comes while it is counted is not lost", async () => {
  await limit({ configmaps: "9" });
  await makeMap("a");
  // The count of this is overtaken by the creates of others.
  await Promise.all([
    client().resource(ConfigMap).delete(at("a")),
    ...["b", "c", "d", "e"].map((name) => makeMap(name)),
  ]);
  await cluster.settled();
  await cluster.clock.advance("10s");
  expect(await used()).toEqual({ configmaps: "4" });
});

test("QUOTA-2: over a shared store, usage decreases when the quota was not charged for a moment", async () => {
  await cluster.close();
  cluster = await createCluster({ admission: { enable: ["ResourceQuota"] }, controllers: [] });
  await cluster.run(resourceQuota({ dialect: kubernetes, sharesStore: true }));
  await limit({ configmaps: "9" });
  for (const name of ["a", "b"]) await makeMap(name);
  await client().resource(ConfigMap).delete(at("a"));
  await cluster.clock.advance("150ms");
  expect(await used()).toEqual({ configmaps: "2" });
  await makeMap("c");
  await cluster.clock.advance("150ms");
  expect(await used()).toEqual({ configmaps: "3" });
  await cluster.clock.advance("500ms");
  expect(await used()).toEqual({ configmaps: "2" });
});

describe("where there are no quotas", () => {
  test("no kind is followed", async () => {
    const watched = cluster.requests({ origin: "builtin", verb: "watch" }).map(({ kind }) => kind);
    expect(watched).toEqual([]);
  });
});
