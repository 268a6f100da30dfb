import { expect, test } from "vitest";
import { dialectOf } from "../meta/dialect.ts";
import { ConfigMap } from "../client/kinds/index.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock, seededRandom } from "../util/clock.ts";
import { defineController } from "../runtime/index.ts";
import { type Cluster, createCluster } from "./index.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
const COMPONENTS = "/api/v1/componentstatuses";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const NOW = Date.parse("2026-01-01T00:00:00Z");

async function started(): Promise<{ readonly cluster: Cluster; readonly clock: ManualClock }> {
  const clock = new ManualClock(NOW);
  const store = await openMemoryStore();
  const cluster = await createCluster({ store, dialect: dialectOf("kubernetes")!, clock, random: seededRandom(1) });
  return { cluster, clock };
}

async function ask({ server }: Cluster, url: string, accept = "application/json", method = "GET", sent?: object) {
  const headers = { accept, ...(sent && { "content-type": "application/json" }) };
  const body = sent && { body: JSON.stringify(sent) };
  const response = await server.inject({ method, url, headers, identity: ADMIN, ...body });
  return {
    status: response.code,
    headers: response.headers,
    body: JSON.parse(await response.text()) as Record<string, unknown>,
  };
}

/** Status and message of each component. */
async function seen(cluster: Cluster): Promise<Record<string, unknown>> {
  const { rows } = (await ask(cluster, COMPONENTS, TABLE)).body as unknown as { rows: { cells: unknown[] }[] };
  return Object.fromEntries(rows.map(({ cells: [name, ...rest] }) => [name, rest]));
}

const WELL = ["Healthy", "ok", ""];

test("a ComponentStatus says of each part whether it is well, in a list, by its name and in a table", async () => {
  const { cluster } = await started();
  const { status, body } = await ask(cluster, COMPONENTS);
  expect([status, body["kind"], body["apiVersion"]]).toEqual([200, "ComponentStatusList", "v1"]);
  expect((body["items"] as { metadata: object }[]).map(({ metadata }) => metadata)).toEqual([
    { name: "controller-manager" },
    { name: "etcd-0" },
    { name: "scheduler" },
  ]);
  expect((await ask(cluster, `${COMPONENTS}/etcd-0`)).body).toEqual({
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name: "etcd-0" },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  });
  expect((await ask(cluster, `${COMPONENTS}/other`)).status).toBe(404);
  expect(await seen(cluster)).toEqual({
    "controller-manager": [
      "Unhealthy",
      "no controllers in this server, and no holder of the lease kube-system/kube-controller-manager",
      "",
    ],
    "etcd-0": WELL,
    scheduler: ["Unhealthy", "no scheduler in this server, and no holder of the lease kube-system/kube-scheduler", ""],
  });
  await cluster.close();
});

test("controllers of this process and the holders of leases do the work of their parts", async () => {
  const { cluster, clock } = await started();
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  const made = await ask(cluster, leases, "application/json", "POST", {
    metadata: { name: "kube-scheduler" },
    spec: { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
  });
  expect(made.status).toBe(201);
  expect((await seen(cluster))["scheduler"]).toEqual(WELL);
  clock.advance(16_000);
  expect((await seen(cluster))["scheduler"]).toContain("Unhealthy");
  const idle = (name: string) => defineController({ name, for: ConfigMap, reconcile: () => Promise.resolve() });
  await cluster.start([idle("keelson-scheduler")]);
  expect(await seen(cluster)).toMatchObject({ scheduler: WELL, "controller-manager": { 0: "Unhealthy" } });
  await cluster.start([idle("binder")]);
  expect(await seen(cluster)).toMatchObject({ scheduler: WELL, "controller-manager": WELL });
  await cluster.close();
});

test("a ComponentStatus can only be read, by get and list, with a warning that it is deprecated", async () => {
  const { cluster } = await started();
  const { headers } = await ask(cluster, COMPONENTS);
  expect(headers["warning"]).toEqual([`299 - "v1 ComponentStatus is deprecated in v1.19+"`]);
  expect((await ask(cluster, `${COMPONENTS}/etcd-0`, "application/json", "DELETE")).status).toBe(405);
  expect((await ask(cluster, `${COMPONENTS}?watch=true`)).status).toBe(405);
  const only = await ask(cluster, `${COMPONENTS}?fieldSelector=metadata.name%3Detcd-0`);
  expect(only.body["items"]).toHaveLength(1);
  expect((await ask(cluster, `${COMPONENTS}?fieldSelector=spec.a%3Db`)).status).toBe(400);
  const { resources } = (await ask(cluster, "/api/v1")).body as unknown as { resources: { name: string }[] };
  expect(resources.find(({ name }) => name === "componentstatuses")).toEqual({
    name: "componentstatuses",
    singularName: "componentstatus",
    namespaced: false,
    kind: "ComponentStatus",
    verbs: ["get", "list"],
    shortNames: ["cs"],
  });
  await cluster.close();
});
