/** Webhooks, and documents that are planned or applied as one: a plan calls them as a dry run, an apply as a write of its own. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Manifest, applyDocuments, planDocuments } from "../../src/client/index.ts";
import {
  ConfigMap,
  MutatingWebhookConfiguration,
  ResourceQuota,
  ValidatingWebhookConfiguration,
} from "../../src/client/kinds/index.ts";
import { createCluster as createCore } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { authority, serving } from "../../src/pki/certificate.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { type WebhookRequest, createCluster } from "../../src/testing/index.ts";

const OPTIONS = { fieldManager: "deployer" };
const labels = { app: "web" };
const map = (name: string, data: Readonly<Record<string, string>> = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", labels },
  data,
});
const shown = ({ name, operation, dryRun }: WebhookRequest) => [name, operation, dryRun];

describe.each(["Mutating", "Validating"] as const)("a webhook of a %sWebhookConfiguration", (sort) => {
  const hook = { name: "maps.example.com", for: ConfigMap, mutates: sort === "Mutating", operations: ["*"] };

  test.each(["None", "NoneOnDryRun"])(
    "with side effects %s is called once for each document: of a plan with a dry run, of an apply with a write",
    async (sideEffects) => {
      await using cluster = await createCluster();
      const client = cluster.client();
      await applyDocuments(client, [map("old"), map("gone")], OPTIONS);
      const { calls } = await cluster.webhook({ ...hook, sideEffects }, () => ({ warnings: ["seen"] }));
      const documents = [map("new"), map("old", { a: "1" })];
      const options = { ...OPTIONS, prune: { selector: "app=web" } };
      const seen = { warnings: ["seen"] };
      for (const [run, dryRun] of [[planDocuments, true] as const, [applyDocuments, false] as const]) {
        const report = await run(client, documents, options);
        expect(report).toMatchObject({
          documents: [
            { result: "created", ...seen },
            { result: "changed", ...seen },
          ],
          pruned: [{ result: "deleted", ...seen }],
        });
        expect(calls.slice(-3).map(shown)).toEqual([
          ["new", "CREATE", dryRun],
          ["old", "UPDATE", dryRun],
          ["gone", "DELETE", dryRun],
        ]);
      }
      expect(calls).toHaveLength(6);
    },
  );

  test("that refuses is named, and what comes after it is judged as a dry run: nothing is stored any more", async () => {
    await using cluster = await createCluster();
    const { calls } = await cluster.webhook(hook, ({ name }) => ({ allowed: name !== "b", message: "not b" }));
    const before = cluster.version;
    const report = await applyDocuments(cluster.client(), [map("a"), map("b"), map("c")], OPTIONS);
    expect(report).toMatchObject({
      outcome: "refused",
      documents: [
        { result: "created" },
        {
          result: "refused",
          refusedBy: `${sort}AdmissionWebhook`,
          status: { message: expect.stringContaining("not b") },
        },
        { result: "created" },
      ],
    });
    expect(cluster.version).toBe(before);
    expect(calls.map(shown)).toEqual([
      ["a", "CREATE", false],
      ["b", "CREATE", false],
      ["c", "CREATE", true],
    ]);
  });
});

test("what a webhook has changed is what a plan shows, and what an apply stores", async () => {
  await using cluster = await createCluster();
  await cluster.webhook({ name: "maps.example.com", for: ConfigMap, mutates: true }, ({ object }) =>
    object ? { object: { ...object, data: { ...object.data, by: "hook" } } } : undefined,
  );
  const [planned] = (await planDocuments(cluster.client(), [map("a")], { ...OPTIONS, objects: true })).documents;
  expect(planned).toMatchObject({ value: { data: { by: "hook" } } });
  await applyDocuments(cluster.client(), [map("a")], OPTIONS);
  const stored = await cluster.client().resource(ConfigMap).get({ name: "a", namespace: "default" });
  expect(stored.data).toEqual({ by: "hook" });
});

test("an apply that another writer overtakes is judged again, and calls again", async () => {
  await using cluster = await createCluster();
  await cluster.apply(map("shared", { value: "0" }));
  const maps = cluster.client().resource(ConfigMap);
  const key = { name: "shared", namespace: "default" };
  let isFirst = true;
  const { calls } = await cluster.webhook({ name: "maps.example.com", for: ConfigMap }, async ({ name }) => {
    if (name !== "last" || !isFirst) return;
    isFirst = false;
    await maps.patch(key, { data: { other: "1" } });
  });
  const report = await applyDocuments(cluster.client(), [map("shared", { a: "1" }), map("last")], OPTIONS);
  expect(report).toMatchObject({ outcome: "committed" });
  expect(calls.map(({ name }) => name)).toEqual(["shared", "last", "shared", "shared", "last"]);
});

test("an apply of thousands of documents is judged again, too, and charges a quota for each of them", async () => {
  await using cluster = await createCluster({
    controllers: ["resourcequota"],
    admission: { enable: ["ResourceQuota"] },
  });
  const quota = { name: "q", namespace: "default" };
  const metadata = { ...quota, namespace: "default" };
  await cluster.apply({ apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { configmaps: "10000" } } });
  await cluster.apply(map("first", { value: "0" }));
  await cluster.settled();
  const before = await used();
  const { calls } = await cluster.webhook(
    { name: "maps.example.com", for: ConfigMap, objectSelector: { matchLabels: { hook: "y" } } },
    async () => {
      if (calls.length > 1) return;
      await cluster
        .client()
        .resource(ConfigMap)
        .patch({ name: "first", namespace: "default" }, { data: { other: "1" } });
    },
  );
  const many = Array.from({ length: 4000 }, (_, i) => map(`m-${i}`));
  const last = { ...map("last"), metadata: { name: "last", namespace: "default", labels: { hook: "y" } } };
  const report = await applyDocuments(cluster.client(), [map("first", { a: "1" }), ...many, last], OPTIONS);
  expect([report.outcome, calls.length]).toEqual(["committed", 2]);
  await cluster.settled();
  expect((await used()) - before).toBe(4001);

  async function used(): Promise<number> {
    const { status } = await cluster.client().resource(ResourceQuota).get(quota);
    return Number(status?.used?.["configmaps"]);
  }
});

describe("webhooks over HTTPS", () => {
  const term = { now: Date.now(), days: 1 };
  const ca = authority(term);
  const calls: WebhookRequest[] = [];
  const server = createServer(serving(ca, ["127.0.0.1"], term), (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { request: asked, ...head } = JSON.parse(Buffer.concat(chunks).toString()) as { request: WebhookRequest };
      calls.push(asked);
      response.end(JSON.stringify({ ...head, response: { uid: asked.uid, allowed: true } }));
    });
  });
  let url: string;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  beforeEach(() => void calls.splice(0));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const webhookOf = (name: string) => ({
    name: `${name}.example.com`,
    clientConfig: { url, caBundle: Buffer.from(ca.cert).toString("base64") },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  });

  /** A cluster with a webhook of each sort. */
  async function withWebhooks() {
    const store = await openMemoryStore();
    const cluster = await createCore({ store, dialect: kubernetes });
    const client = cluster.client("test");
    const metadata = { name: "hooks" };
    await client.resource(MutatingWebhookConfiguration).create({ metadata, webhooks: [webhookOf("mutates")] });
    await client.resource(ValidatingWebhookConfiguration).create({ metadata, webhooks: [webhookOf("validates")] });
    return { store, cluster, client };
  }

  test("are called once for each document: of a plan with a dry run, of an apply with a write", async () => {
    const { client, cluster } = await withWebhooks();
    await using _cluster = cluster;
    const documents = [map("a"), map("b")];
    for (const [run, dryRun] of [[planDocuments, true] as const, [applyDocuments, false] as const]) {
      await run(client, documents, OPTIONS);
      expect(calls.splice(0).map(shown)).toEqual([
        ["a", "CREATE", dryRun],
        ["a", "CREATE", dryRun],
        ["b", "CREATE", dryRun],
        ["b", "CREATE", dryRun],
      ]);
    }
  });

  // No such webhook can be written in v1; one that another server has stored since v1beta1 is there.
  test.each([
    ["mutating", "Some", "MutatingAdmissionWebhook"],
    ["mutating", "Unknown", "MutatingAdmissionWebhook"],
    ["validating", "Some", "ValidatingAdmissionWebhook"],
  ])(
    "a %s one with side effects %s refuses a plan by its name, as a dry run; an apply calls it",
    async (sort, sideEffects, refusedBy) => {
      const { client, cluster, store } = await withWebhooks();
      await using _cluster = cluster;
      const prefix = `/admissionregistration.k8s.io/${sort}webhookconfigurations/hooks`;
      const [record] = (await store.range(prefix)).records;
      const value = Buffer.from(record!.value).toString();
      expect(value).toContain('"sideEffects":"None"');
      const written = Buffer.from(value.replace('"sideEffects":"None"', `"sideEffects":"${sideEffects}"`));
      await store.write({ type: "update", key: record!.key, value: written, expected: record!.revision });
      const name = `${sort.replace(/ing$/, "es")}.example.com`;
      const status = {
        code: 400,
        reason: "BadRequest",
        message: `admission webhook "${name}" does not support dry run`,
      };
      const dry = client.resource(ConfigMap).create(map("a"), { dryRun: true });
      await expect(dry).rejects.toMatchObject({ status });
      const { documents } = await planDocuments(client, [map("a"), map("b")], OPTIONS);
      expect(documents).toMatchObject([
        { result: "refused", refusedBy, status },
        { result: "refused", refusedBy, status },
      ]);
      calls.splice(0);
      const { outcome } = await applyDocuments(client, [map("a")], OPTIONS);
      expect([outcome, calls.map(shown)]).toEqual([
        "committed",
        [
          ["a", "CREATE", false],
          ["a", "CREATE", false],
        ],
      ]);
    },
  );
});
