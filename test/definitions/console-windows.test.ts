import { afterEach, beforeEach, expect, test } from "vitest";
import { Rbac } from "../../src/auth/rbac/rbac.ts";
import { openWindows } from "../../src/console/index.ts";
import { StreamClient } from "../../src/console/windows/testing/client.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";
import { createCluster } from "../../src/cluster/index.ts";

let opened: AsyncDisposableStack;
const RBAC = "rbac.authorization.k8s.io/v1";
beforeEach(() => {
  opened = new AsyncDisposableStack();
});
afterEach(() => opened.disposeAsync());

/** A cluster whose users are those that they say they are; roles decide. */
async function started() {
  const store = await openMemoryStore({ now: () => Date.now() });
  const cluster = opened.use(
    await createCluster({
      store,
      dialect: kubernetes,
      plugins: kitPlugins(),
      authenticator: () => ({ authenticate: ({ header }) => ({ user: header("x-user"), groups: [] }) }),
      authorizer: ({ lookup, api }) => new Rbac(lookup, api.clock.loop),
      server: { routes: openWindows({ store }).routes },
    }),
  );
  const { port } = await cluster.server.listen({ host: "127.0.0.1", port: 0 });
  const send = async (method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object) => {
    const answer = await cluster.server.inject({
      method,
      url: path,
      identity: { user: "root", groups: ["system:masters"] },
      headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.code >= 300) throw new Error(`expected ${method} ${path} to succeed, got ${text}`);
    return JSON.parse(text) as { metadata: { name: string } };
  };
  const connect = async (user: string): Promise<StreamClient> => {
    const client = new StreamClient(port, { "x-user": user });
    opened.defer(() => client.close());
    await client.opened();
    return client;
  };
  const bind = (resources: string[], apiGroups: string[]) => ({
    role: {
      apiVersion: RBAC,
      kind: "ClusterRole",
      metadata: { name: "look" },
      rules: [{ apiGroups, resources, verbs: ["list", "watch"] }],
    },
    binding: {
      apiVersion: RBAC,
      kind: "ClusterRoleBinding",
      metadata: { name: "look" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "look" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "kim" }],
    },
  });
  return { send, connect, bind };
}

test("a window ends with 403 as soon as no role permits it any more, and the stream goes on", async () => {
  const { send, connect, bind } = await started();
  const { role, binding } = bind(["configmaps", "secrets"], [""]);
  const CM = { group: "", version: "v1", resource: "configmaps" };
  const kim = await connect("kim");
  kim.open(1, CM);
  expect((await kim.error(1)).status).toMatchObject({ code: 403, reason: "Forbidden" });
  await send("POST", `/apis/${RBAC}/clusterroles`, role);
  await send("POST", `/apis/${RBAC}/clusterrolebindings`, binding);
  kim.open(2, CM);
  kim.open(3, { ...CM, resource: "secrets", text: "a" });
  await kim.window(2);
  await kim.window(3);
  await send("PATCH", `/apis/${RBAC}/clusterroles/look`, {
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }],
  });
  expect((await kim.error(3)).status).toMatchObject({ code: 403 });
  await send("POST", "/api/v1/namespaces/default/configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "new" },
  });
  await kim.window(2, ({ rows }) => rows.some(({ name }) => name === "new"));
  await send("DELETE", `/apis/${RBAC}/clusterrolebindings/look`);
  expect((await kim.error(2)).status).toMatchObject({ code: 403 });
});

const definition = (columns: readonly object[]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        additionalPrinterColumns: columns,
      },
    ],
  },
});
const SIZE = { name: "Size", type: "integer", jsonPath: ".size" };
const WHEN = { name: "When", type: "date", jsonPath: ".when" };

test("new columns of a custom kind are sent, and a kind that is deleted ends its windows with 404", async () => {
  const { send, connect, bind } = await started();
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const list = { group: "example.com", version: "v1", resource: "things" };
  await send("POST", crds, definition([SIZE]));
  const { role, binding } = bind(["things"], ["example.com"]);
  await send("POST", `/apis/${RBAC}/clusterroles`, role);
  await send("POST", `/apis/${RBAC}/clusterrolebindings`, binding);
  const kim = await connect("kim");
  for (let i = 0; i < 50 && !kim.shown.has(1); i++) {
    kim.open(1, { ...list, sort: { column: "Size" } });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const things = "/apis/example.com/v1/namespaces/default/things";
  for (const [name, size] of [
    ["a", 3],
    ["b", 20],
  ] as const) {
    await send("POST", things, {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name },
      size,
      when: "2026-01-02T03:04:05Z",
    });
  }
  const first = await kim.window(1, ({ rows }) => rows.length === 2);
  expect(first.columns.map(({ name }) => name)).toEqual(["Name", "Size"]);
  expect(first.rows.map(({ cells }) => cells)).toEqual([
    ["a", 3],
    ["b", 20],
  ]);
  await send("PATCH", `${crds}/things.example.com`, { spec: definition([SIZE, WHEN]).spec });
  const second = await kim.window(1, ({ columns }) => columns.length === 3);
  expect(second.columns.at(-1)).toMatchObject({ name: "When", type: "date" });
  expect(second.rows.map(({ cells }) => cells[2])).toEqual(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"]);
  kim.errors.length = 0;
  await send("DELETE", `${crds}/things.example.com`);
  expect((await kim.error(1)).status).toMatchObject({
    code: 404,
    message: expect.stringContaining("things") as string,
  });
});
