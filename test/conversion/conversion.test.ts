/** Conversion by webhook: CRD-21, CRD-23. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authority, serving } from "../../src/pki/certificate.ts";
import type { Client } from "../../src/client/index.ts";
import type { Transport } from "../../src/client/transport.ts";
import { createCluster } from "../../src/testing/index.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { metered } from "../../src/util/testing/slices.ts";

/** Some batches of what a webhook is sent at once. */
const OBJECTS = amount("OBJECTS", 3000, 10_000);

interface Asked {
  readonly path: string;
  readonly objects: number;
  readonly bytes: number;
}

const term = { now: Date.now(), days: 1 };
const ca = authority(term);
const asked: Asked[] = [];
const leaf = serving(ca, ["127.0.0.1"], term);
let hook: Worker;
let port: number;

beforeAll(async () => {
  hook = new Worker(new URL("hook.ts", import.meta.url), { workerData: leaf });
  [{ port }] = (await once(hook, "message")) as [{ port: number }];
  hook.on("message", (one: Asked) => void asked.push(one));
});
afterAll(() => hook.terminate());

const SCHEMA = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

const definition = (plural: string, path: string, caBundle = ca.cert) => {
  const kind = plural[0]!.toUpperCase() + plural.slice(1, -1);
  const clientConfig = {
    url: `https://127.0.0.1:${port}${path}`,
    caBundle: Buffer.from(caBundle).toString("base64"),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
      versions: [
        { name: "v1", served: true, storage: true, schema: SCHEMA },
        { name: "v2", served: true, storage: false, schema: SCHEMA },
      ],
    },
  };
};

const object = (kind: string, name: string, pad = ""): object => ({
  apiVersion: "example.com/v1",
  kind,
  metadata: { name, namespace: "default" },
  spec: { pad },
});

interface List {
  readonly items: readonly { readonly apiVersion: string; readonly spec: object }[];
}

const pathOf = (version: string, plural: string): string => `/apis/example.com/${version}/namespaces/default/${plural}`;

/** The bytes that a client is sent, as they come. */
async function bytesOf(client: Client, path: string): Promise<readonly Uint8Array[]> {
  let transport: Transport | undefined;
  client.with({ through: (own) => (transport = own) });
  const { body } = await transport!({ method: "GET", path, headers: {} });
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return parts;
}

/** A cluster with kinds, each of them converted at a path of the webhook. */
async function clusterWith(kinds: Readonly<Record<string, string>>) {
  const cluster = await createCluster();
  for (const [plural, path] of Object.entries(kinds)) await cluster.apply(definition(plural, path));
  await cluster.settled();
  const client = cluster.client("test");
  return { cluster, client, list: (at: string) => client.json<List>("GET", at) };
}

test("CRD-21: a long list of objects is converted in batches, and no turn of the server is long", async () => {
  const { cluster, client, list } = await clusterWith({ things: "/convert" });
  await using _ = cluster;
  const pad = "x".repeat(2000);
  for (let i = 0; i < OBJECTS; i++)
    await client.json("POST", pathOf("v1", "things"), { body: object("Thing", `t-${i}`, pad) });
  asked.length = 0;
  // A client reads the whole list in one turn, which is not the server's.
  const parts = await metered("a list in another version", () => bytesOf(client, pathOf("v2", "things")));
  const { items } = JSON.parse(Buffer.concat(parts).toString()) as List;
  expect(items).toHaveLength(OBJECTS);
  expect(new Set(items.map(({ apiVersion }) => apiVersion))).toEqual(new Set(["example.com/v2"]));
  expect(items.every(({ spec }) => "from" in spec)).toBe(true);
  // The webhook is a thread, and what it was asked may arrive after its answer.
  await expect.poll(() => asked.map(({ objects }) => objects).reduce((a, b) => a + b, 0)).toBe(OBJECTS);
  expect(asked.length).toBeGreaterThan(2);
  for (const { bytes } of asked) expect(bytes).toBeLessThan(3 << 20);
  asked.length = 0;
  await list(pathOf("v1", "things"));
  expect(asked).toEqual([]);
}, 120_000);

test("CRD-21: a webhook that does not answer delays its own kind alone", async () => {
  const { cluster, client, list } = await clusterWith({ slows: "/slow", things: "/convert" });
  await using _ = cluster;
  await client.json("POST", pathOf("v1", "slows"), { body: object("Slow", "a") });
  await client.json("POST", pathOf("v1", "things"), { body: object("Thing", "a") });
  let isThere = false;
  const slow = list(pathOf("v2", "slows")).then((found) => {
    isThere = true;
    return found;
  });
  expect((await list(pathOf("v2", "things"))).items).toHaveLength(1);
  expect((await list(pathOf("v1", "slows"))).items).toHaveLength(1);
  await client.json("GET", "/api/v1/namespaces/default/configmaps");
  expect(isThere).toBe(false);
  hook.postMessage("answer");
  expect((await slow).items).toMatchObject([{ apiVersion: "example.com/v2", spec: { from: "hook" } }]);
});

test("CRD-23: a conversion that failed is reported with the reason, and leaves the stored version readable", async () => {
  const { cluster, client, list } = await clusterWith({ wrongs: "/wrong" });
  await using _ = cluster;
  await client.json("POST", pathOf("v1", "wrongs"), { body: object("Wrong", "a") });
  await expect(list(pathOf("v2", "wrongs"))).rejects.toThrow(/no way from here to there/);
  expect((await list(pathOf("v1", "wrongs"))).items).toHaveLength(1);
});

test("CRD-21: a webhook as envtest gives it: its own certificate as the authority, and a path of two slashes", async () => {
  await using cluster = await createCluster();
  await cluster.apply(definition("things", "//convert/", leaf.cert));
  await cluster.settled();
  const client = cluster.client("test");
  await client.json("POST", pathOf("v1", "things"), { body: object("Thing", "a") });
  asked.length = 0;
  expect((await client.json<List>("GET", pathOf("v2", "things"))).items).toHaveLength(1);
  await expect.poll(() => asked.map(({ path }) => path)).toEqual(["/convert"]);
});

test("CRD-21: a certificate of an authority that the definition does not name is refused", async () => {
  await using cluster = await createCluster();
  await cluster.apply(definition("things", "/convert", serving(authority(term), ["127.0.0.1"], term).cert));
  await cluster.settled();
  const client = cluster.client("test");
  await client.json("POST", pathOf("v1", "things"), { body: object("Thing", "a") });
  await expect(client.json("GET", pathOf("v2", "things"))).rejects.toThrow("certificate");
});
