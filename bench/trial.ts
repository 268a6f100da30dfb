/**
 * What a trial of policies costs, in CPU of this process: ten validating policies on many stored ConfigMaps of about 900 bytes.
 *
 *     node bench/trial.ts [objects]
 *
 * @module
 */
import { createCluster } from "../src/cluster/index.ts";
import { kubernetes } from "../src/meta/dialect.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import type { Value } from "../src/value/value.ts";

const POLICIES = 10;

const EXPRESSIONS = [
  "has(object.metadata.labels) && 'app' in object.metadata.labels",
  "object.data.all(key, size(object.data[key]) < 1000)",
  "object.metadata.name.startsWith('m')",
  "!('x' in object.data) || object.data.x == '1'",
  "object.metadata.annotations.all(key, key.contains('/'))",
];

const MANAGED = {
  manager: "kubectl",
  operation: "Apply",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:a": {}, "f:b": {}, "f:c": {} } },
};

/** The record of a ConfigMap, as the registry stores it. */
function recordOf(i: number): { readonly key: string; readonly value: Buffer; readonly revision: number } {
  const name = `m${String(i).padStart(7, "0")}`;
  const metadata = {
    name,
    namespace: "default",
    uid: "0e7f0bd2-0000-4000-8000-000000000000",
    creationTimestamp: "2026-01-01T00:00:00Z",
    labels: { app: "web", tier: "front" },
    annotations: { "a.example.com/x": "a text of some length" },
    managedFields: [MANAGED],
  };
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata, data: { a: "1", b: "x".repeat(300), c: "three" } };
  return { key: `/core/configmaps/default/${name}`, value: Buffer.from(JSON.stringify(object)), revision: i + 1 };
}

const policyOf = (i: number): Value => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: `p${i}` },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    },
    validations: [{ expression: EXPRESSIONS[i % EXPRESSIONS.length]! }],
  },
});

const objects = Number(process.argv[2] ?? 100_000);
const store = await openMemoryStore({
  records: Array.from({ length: objects }, (_, i) => recordOf(i)),
  revision: objects + 1,
});
const cluster = await createCluster({ store, dialect: kubernetes });
const policies = Array.from({ length: POLICIES }, (_, i) => policyOf(i));
// Once without measuring, so that the code is compiled.
await cluster.tryPolicies(policies.slice(0, 1));
const before = process.cpuUsage();
const report = await cluster.tryPolicies(policies);
const { user, system } = process.cpuUsage(before);
const judged = report.policies[0]!.objects.judged;
const seconds = (user + system) / 1e6;
console.log(`${POLICIES} policies on ${judged} objects: ${(seconds / POLICIES).toFixed(2)} s of CPU for each policy`);
await cluster.close(0);
