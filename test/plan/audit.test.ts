/** What audit records of documents that are planned or applied as one: an event for each of them, as for a write of its own. */
import { expect, test } from "vitest";
import { AuditMetrics, compileRules, readPolicy } from "../../src/audit/index.ts";
import type { AuditEvent } from "../../src/audit/index.ts";
import { applyDocuments } from "../../src/client/index.ts";
import { createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { audit, withFilter } from "../../src/server/index.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";

const POLICY = `{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [RequestReceived], rules: [
  {level: Metadata, resources: [{group: "", resources: [secrets]}]},
  {level: Request, resources: [{group: ""}]},
  {level: None}]}`;

/** What the test reads of an event. */
interface Line {
  readonly level: string;
  readonly verb: string;
  readonly objectRef: { readonly resource: string; readonly name: string };
  readonly responseStatus: { readonly code: number };
  readonly requestObject?: { readonly kind: string };
}

const object = (kind: string, name: string) => ({ apiVersion: "v1", kind, metadata: { name, namespace: "default" } });

const withPolicy = (text: string, write: (event: AuditEvent) => boolean) =>
  withFilter(audit({ rules: compileRules(readPolicy(text)), metrics: new AuditMetrics(), sink: { write } }), {
    after: "authenticate",
  });

test("AUDIT-10: each document has an event by the rule of its resource, with its code and what was sent", async () => {
  const events: AuditEvent[] = [];
  const filters = withPolicy(POLICY, (event) => events.push(event) > 0);
  await using cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    server: { filters },
  });
  const apply = (...documents: object[]) =>
    applyDocuments(cluster.client("test"), documents, { fieldManager: "deployer" });
  const shown = () =>
    events.splice(0).map((event) => {
      const { level, verb, objectRef, responseStatus, requestObject } = JSON.parse(event.json) as Line;
      return [level, verb, objectRef.resource, objectRef.name, responseStatus.code, requestObject?.kind];
    });
  await apply(object("ConfigMap", "a"), object("Secret", "s"));
  expect(shown()).toEqual([
    ["Request", "patch", "configmaps", "a", 201, "ConfigMap"],
    ["Metadata", "patch", "secrets", "s", 201, undefined],
  ]);
  await apply(object("ConfigMap", "b"), object("ConfigMap", "B"));
  expect(shown()).toEqual([
    ["Request", "patch", "configmaps", "b", 422, "ConfigMap"],
    ["Request", "patch", "configmaps", "B", 422, "ConfigMap"],
  ]);
});

test("AUDIT-25: nothing is stored where the event of a document cannot be kept", async () => {
  const rules = `[{level: Metadata, resources: [{group: ""}]}, {level: None}]`;
  const filters = withPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, rules: ${rules}}`, () => false);
  const store = await openMemoryStore();
  await using cluster = await createCluster({ store, dialect: kubernetes, server: { filters } });
  const before = store.revision;
  const applying = applyDocuments(cluster.client("test"), [object("ConfigMap", "a")], { fieldManager: "deployer" });
  await expect(applying).rejects.toMatchObject({ status: { code: 500 } });
  expect(store.revision).toBe(before);
});
