/** What audit records of documents that are planned or applied as one: an event for each of them, as for a write of its own. */
import { expect, test } from "vitest";
import type { AdmissionStep } from "../../src/admission/contract.ts";
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

/** A cluster in which another server writes `shared` when `last` is judged, so many times. */
async function overtaken(times: number) {
  const events: AuditEvent[] = [];
  const filters = withPolicy(
    `{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata, resources: [{group: ""}]}, {level: None}]}`,
    (event) => events.push(event) > 0,
  );
  const store = await openMemoryStore();
  const step: AdmissionStep = {
    name: "Others",
    async validate({ name }) {
      if (name !== "last" || times-- <= 0) return;
      const { key, value, revision } = (await store.range("/core/configmaps/default/shared")).records[0]!;
      await store.write({ type: "update", key, value, expected: revision });
    },
  };
  const cluster = await createCluster({ store, dialect: kubernetes, server: { filters }, steps: [step] });
  const apply = (...documents: object[]) =>
    applyDocuments(cluster.client("test"), documents, { fieldManager: "deployer" });
  await apply(object("ConfigMap", "shared"));
  events.length = 0;
  const changed = { ...object("ConfigMap", "shared"), data: { k: "v" } };
  const report = await apply(object("ConfigMap", "first"), changed, object("ConfigMap", "last"));
  await cluster.close();
  const lines = events.map(({ json }) => JSON.parse(json) as Line & { readonly stage: string });
  return { report, lines: lines.map((one) => [one.stage, one.objectRef.name, one.responseStatus?.code]) };
}

test("AUDIT-10: documents that are judged again have one event, with what became of them in the end", async () => {
  const { report, lines } = await overtaken(3);
  expect(report.outcome).toBe("committed");
  const names = ["first", "shared", "last"];
  expect(lines).toEqual([
    ...names.map((name) => ["RequestReceived", name, undefined]),
    ...names.map((name) => ["ResponseComplete", name, name === "shared" ? 200 : 201]),
  ]);
});

test("documents that others overtake each time are refused, which says how often they were judged", async () => {
  const { report, lines } = await overtaken(100);
  expect(report).toMatchObject({
    outcome: "refused",
    status: {
      code: 409,
      message: expect.stringMatching(
        /the documents were judged 12 times, and others were faster each time, last with ConfigMap default\/shared; try again$/,
      ),
    },
  });
  expect(lines.slice(3)).toEqual(["first", "shared", "last"].map((name) => ["ResponseComplete", name, 409]));
});
