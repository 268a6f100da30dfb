/** Operations on custom resources, held against the server: it accepts each step, and both orders end with the same object. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Operations, operationsOf } from "../../src/explore/operations/index.ts";
import { createCluster } from "../../src/testing/index.ts";
import type { TestCluster } from "../../src/testing/test-cluster.ts";
import { perform } from "../../src/testing/explore/steps.ts";
import { equal } from "../../src/value/value.ts";
import { decodeYaml } from "../../src/value/yaml.ts";

const port = {
  type: "object",
  required: ["name", "port"],
  properties: {
    name: { type: "string", pattern: "^[a-z][a-z0-9]{0,9}$" },
    port: { type: "integer", minimum: 1, maximum: 65535 },
    target: { "x-kubernetes-int-or-string": true },
  },
};

const spec = {
  type: "object",
  required: ["size", "class"],
  "x-kubernetes-validations": [{ rule: "self.size <= self.most", message: "size is more than most" }],
  properties: {
    size: { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 9 },
    most: { type: "integer", default: 9 },
    class: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "class is immutable" }] },
    mode: { type: "string", enum: ["fast", "slow", "off"], default: "fast" },
    since: { type: "string", format: "date-time" },
    host: { type: "string", format: "hostname" },
    address: { type: "string", format: "ipv4" },
    every: { type: "string", format: "duration" },
    rate: { type: "number", multipleOf: 0.5, minimum: 0.5, maximum: 4 },
    limit: { "x-kubernetes-int-or-string": true },
    ports: {
      type: "array",
      minItems: 1,
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: port,
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string", minLength: 1 } },
    args: { type: "array", items: { type: "string" } },
    selector: { type: "object", additionalProperties: { type: "string" }, maxProperties: 3 },
    secretRef: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    either: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    paused: { type: "boolean" },
    note: { type: "string", nullable: true, maxLength: 12 },
  },
};

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "shops", singular: "shop", kind: "Shop", listKind: "ShopList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec, status: { type: "object" } } } },
      },
    ],
  },
};

const shop = {
  apiVersion: "example.com/v1",
  kind: "Shop",
  metadata: { name: "corner" },
  spec: {
    size: 3,
    class: "a",
    rate: 1.5,
    limit: "10%",
    ports: [
      { name: "http", port: 80, target: "web" },
      { name: "https", port: 443 },
    ],
    tags: ["x"],
    args: ["-v", "-q"],
    selector: { app: "shop" },
    secretRef: { name: "key" },
    either: { a: "1" },
    open: { any: 1 },
    paused: false,
    note: "n",
  },
};

/** The object without what differs from one creation to the next. */
async function endOf(made: Operations, order: readonly number[], cluster: TestCluster, path: string): Promise<unknown> {
  await using fork = cluster.fork();
  for (const step of order) await perform(made.steps[step] as Parameters<typeof perform>[0], fork, async () => {});
  const { metadata: _metadata, ...rest } = await fork.client("test").json<Record<string, unknown>>("GET", path);
  return rest;
}

async function playAll(made: Operations, cluster: TestCluster, path: string): Promise<void> {
  const wrong: unknown[] = [];
  for (const { name, changed, fresh } of made.comparisons) {
    try {
      const [end, same] = [await endOf(made, changed, cluster, path), await endOf(made, fresh, cluster, path)];
      if (!equal(end, same)) wrong.push({ name, end, same });
    } catch (error) {
      wrong.push({ name, error: String(error) });
    }
  }
  expect(wrong).toEqual([]);
}

test("each step is accepted, and both orders end with the same object", { timeout: 60_000 }, async () => {
  await using cluster = await createCluster();
  await cluster.apply(definition);
  await cluster.settled();
  const made = operationsOf(definition, shop, { most: 1000 });
  expect(made.comparisons.length).toBeGreaterThan(120);
  await playAll(made, cluster, "/apis/example.com/v1/namespaces/default/shops/corner");
  const why = (path: string): string[] => made.skipped.filter((one) => one.path === path).map((one) => one.why);
  expect(why(".spec.class")).toEqual([expect.stringContaining("class is immutable")]);
  expect(why(".spec.open")).toEqual(["its schema does not say which members it has"]);
  expect(why(".spec.either.b")).toEqual([expect.stringContaining("oneOf")]);
});

test("definitions of others have operations, without an example of ours", { timeout: 60_000 }, async () => {
  const folder = new URL("../sidecars/crds/", import.meta.url);
  const read = (file: string): unknown => decodeYaml(readFileSync(new URL(file, folder))).value;
  const snapshots = read("snapshot.storage.k8s.io_volumesnapshots.yaml");
  await using cluster = await createCluster();
  await cluster.apply(snapshots as Parameters<typeof cluster.apply>[0]);
  await cluster.settled();
  const snapshot = {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { name: "example" },
    spec: { source: { persistentVolumeClaimName: "data" }, volumeSnapshotClassName: "quick" },
  };
  const made = operationsOf(snapshots, snapshot);
  expect(made.comparisons.map(({ name }) => name)).toContain('.spec.volumeSnapshotClassName set to "quick-b"');
  await playAll(made, cluster, "/apis/snapshot.storage.k8s.io/v1/namespaces/default/volumesnapshots/example");
});
