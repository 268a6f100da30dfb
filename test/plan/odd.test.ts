/** Unusual documents: each is refused by itself with 4xx, and the server continues. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { StatusError, planDocuments } from "../../src/client/index.ts";
import { createCluster as createCore } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { Status } from "../../src/meta/status.ts";
import { StoreError } from "../../src/storage/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { createCluster } from "../../src/testing/index.ts";
import { amount } from "../../src/util/testing/amount.ts";
import "../seed.ts";

const RUNS = amount("RUNS", 150, 2000);

const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, "", "a", "a/b", "..", "%2f", 3, [], {}));
const kinds = fc.constantFrom(
  ["v1", "ConfigMap"],
  ["v1", "Pod"],
  ["v1", "Namespace"],
  ["v1", "PersistentVolumeClaim"],
  ["v1", "ResourceQuota"],
  ["apps/v1", "Deployment"],
  ["policy/v1", "PodDisruptionBudget"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["storage.k8s.io/v1", "StorageClass"],
  ["authorization.k8s.io/v1", "SubjectAccessReview"],
  ["v1", "Binding"],
  ["a/b/c", "ConfigMap"],
  ["", ""],
);
const metadata = fc.oneof(
  odd,
  fc.record(
    { name: fc.oneof(odd, fc.constant("m")), namespace: fc.oneof(odd, fc.constant("default")), labels: odd, uid: odd },
    { requiredKeys: ["name"] },
  ),
);
const spec = fc.oneof(
  odd,
  fc.record(
    {
      storageClassName: odd,
      selector: odd,
      template: odd,
      volumes: odd,
      hard: odd,
      names: odd,
      group: odd,
      versions: odd,
    },
    { requiredKeys: [] },
  ),
);
const document = fc.oneof(
  odd,
  fc
    .tuple(kinds, fc.record({ metadata, spec, roleRef: odd, data: odd, status: odd }, { requiredKeys: ["metadata"] }))
    .map(([[apiVersion, kind], rest]) => ({ apiVersion, kind, ...rest })),
);
const prune = fc.constantFrom(undefined, { selector: "a=b" }, { set: { name: "s" } });

test(`no document of ${RUNS} random manifests is a failure of the server`, { timeout: 120_000 }, async () => {
  await using cluster = await createCluster({ controllers: "none" });
  const property = fc.asyncProperty(fc.array(document, { maxLength: 6 }), prune, async (documents, pruned) => {
    const options = { fieldManager: "odd", ...(pruned ? { prune: pruned } : {}) };
    const { documents: results } = await planDocuments(cluster.client(), documents as object[], options).catch(
      (error: unknown) => {
        if (!(error instanceof StatusError)) throw error;
        return { documents: [{ status: error.status }] };
      },
    );
    const codes = results.map(({ status }) => status?.code ?? 200);
    expect(codes.filter((code) => code >= 500)).toEqual([]);
  });
  await fc.assert(property, { numRuns: RUNS });
});

test("a store that cannot be reached, or servers that do not follow it, are no fault of the server", async () => {
  const store = await openMemoryStore();
  await using cluster = await createCore({ store, dialect: kubernetes });
  const client = cluster.client("test");
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } };
  const codes = async () => [
    await planDocuments(client, [map], { fieldManager: "m" }).catch(({ status }: StatusError) => status.code),
    await cluster.tryPolicies([]).catch(({ status }: { status: Status }) => status.code),
  ];
  store.currentRevision = () => Promise.reject(new StoreError("unavailable", "no connection"));
  expect(await codes()).toEqual([503, 503]);
  store.currentRevision = () => Promise.resolve(store.revision + 5);
  expect(await codes()).toEqual([504, 504]);
}, 20_000);
