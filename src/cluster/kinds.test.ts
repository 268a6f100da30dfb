import { expect, test } from "vitest";
import { dialectOf } from "../meta/dialect.ts";
import { map, optional, text } from "../meta/types.ts";
import { ALL_PATCHES } from "../schema/patch-types.ts";
import type { ResourceDefinition } from "../schema/definition.ts";
import { objectSchema } from "../schema/object-schema.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { type Cluster, type ClusterParts, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const WIDGETS = "/apis/example.com/v1/widgets";
const about = "A kind of the test.";

const widget = (more: Partial<ResourceDefinition> = {}): ResourceDefinition => ({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  scope: "Cluster",
  description: about,
  schema: objectSchema(about, { spec: optional(map(text(), "What is wanted.")) }),
  deleteReturns: "object",
  ...more,
});

const started = async (more: Partial<ClusterParts> = {}): Promise<Cluster> =>
  createCluster({
    store: await openMemoryStore(),
    dialect: dialectOf("kubernetes")!,
    clock: new ManualClock(),
    random: seededRandom(1),
    ...more,
  });

/** A response to the admin: its code and its JSON, or its text. */
async function ask({ server }: Cluster, method: string, url: string, body?: object, type = "application/json") {
  const headers = { accept: "application/json", ...(body ? { "content-type": type } : {}) };
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await server.inject({ method, url, headers, identity: ADMIN, ...sent });
  const told = await response.text();
  return {
    code: response.code,
    text: told,
    body: told.startsWith("{") ? (JSON.parse(told) as Record<string, unknown>) : {},
  };
}

const create = (cluster: Cluster, name: string) =>
  ask(cluster, "POST", WIDGETS, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name } });

test("a kind that comes is served, found and explained at once; one that goes is not", async () => {
  await using cluster = await started();
  expect((await create(cluster, "a")).code).toBe(404);
  await cluster.kinds.set({ versions: [widget()] });
  expect((await create(cluster, "a")).code).toBe(201);
  expect((await ask(cluster, "GET", "/apis/example.com/v1")).body["resources"]).toMatchObject([{ name: "widgets" }]);
  expect((await ask(cluster, "GET", "/apis")).text).toContain("example.com");
  expect((await ask(cluster, "GET", "/openapi/v3")).text).toContain("apis/example.com/v1");
  expect((await ask(cluster, "GET", "/openapi/v2")).text).toContain("com.example.v1.Widget");
  await cluster.kinds.remove("widgets.example.com");
  expect((await ask(cluster, "GET", WIDGETS)).code).toBe(404);
  expect((await ask(cluster, "GET", "/apis")).text).not.toContain("example.com");
  expect((await ask(cluster, "GET", "/openapi/v3")).text).not.toContain("example.com");
  expect((await ask(cluster, "GET", "/openapi/v2")).text).not.toContain("com.example");
  expect((await ask(cluster, "GET", "/livez")).code).toBe(200);
});

test("a kind that is compiled twice has one series of each metric", async () => {
  await using cluster = await started();
  for (const short of ["one", "two"]) {
    await cluster.kinds.set({ versions: [widget({ shortNames: [short] })] });
    await ask(cluster, "GET", WIDGETS);
  }
  const lines = (await ask(cluster, "GET", "/metrics")).text.split("\n");
  const series = lines.filter((line) => line.includes('resource="widgets"')).map((line) => line.replace(/ \S+$/, ""));
  expect(series.length).toBeGreaterThan(0);
  expect(new Set(series).size).toBe(series.length);
});

test("DEC-17: a kind without merge keys refuses a strategic merge with 415, and its document says so", async () => {
  await using cluster = await started();
  await cluster.kinds.set({ versions: [widget({ patches: ALL_PATCHES.filter((type) => type !== "strategic") })] });
  await create(cluster, "a");
  const patch = (type: string) => ask(cluster, "PATCH", `${WIDGETS}/a`, { spec: { a: "b" } }, `application/${type}`);
  expect((await patch("strategic-merge-patch+json")).code).toBe(415);
  expect((await patch("merge-patch+json")).code).toBe(200);
  const { text: document } = await ask(cluster, "GET", "/openapi/v3/apis/example.com/v1");
  expect([document.includes("merge-patch+json"), document.includes("strategic")]).toEqual([true, false]);
});

test("who wants only the kinds of the documents gets those, and what they stand on", async () => {
  await using cluster = await started({ kinds: "documents" });
  const named = async (path: string): Promise<string[]> => {
    const { resources = [] } = (await ask(cluster, "GET", path)).body as { resources?: { name: string }[] };
    return resources.map(({ name }) => name);
  };
  const core = await named("/api/v1");
  expect(core).toEqual(expect.arrayContaining(["pods", "nodes", "namespaces", "persistentvolumeclaims", "secrets"]));
  for (const other of ["services", "endpoints", "replicationcontrollers", "resourcequotas"]) {
    expect(core).not.toContain(other);
  }
  expect(await named("/apis/storage.k8s.io/v1")).toContain("storageclasses");
  for (const group of ["apps", "batch", "networking.k8s.io", "policy", "scheduling.k8s.io"]) {
    expect((await ask(cluster, "GET", `/apis/${group}/v1`)).code).toBe(404);
  }
});
