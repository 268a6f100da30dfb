/**
 * The promise that nothing is reached by a path of another scope: every resource, custom ones too, by its path in a namespace
 * and by that of the cluster, by somebody who may do everything in one namespace and by somebody who may everywhere.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizerOf } from "../../src/auth/authorizer.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";
import { until } from "../serve/keelson.ts";

const ADMIN = { user: "admin", groups: ["system:masters"] };
/** May do everything in the namespace `n`, by a Role. */
const NARROW = { user: "narrow", groups: [] };
/** May do everything, by a ClusterRole. */
const WIDE = { user: "wide", groups: [] };

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

let cluster: Cluster;
async function ask(identity: typeof ADMIN, method: string, path: string, body?: object) {
  const answer = await cluster.server.inject({
    method,
    url: path,
    identity,
    ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
  });
  return { code: answer.code, text: await answer.text() };
}

const make = async (path: string, body: object): Promise<void> => {
  const { code, text } = await ask(ADMIN, "POST", path, body);
  if (code !== 201) throw new Error(`expected the status 201, got ${code} ${text}`);
};

const definition = (plural: string, kind: string, scope: string): object => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope,
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

interface Served {
  /** `/apis/apps/v1`. */
  readonly base: string;
  readonly name: string;
  readonly namespaced: boolean;
}

/** All resources that can be read, as discovery tells them. */
async function servedResources(): Promise<Served[]> {
  const json = async (path: string) => JSON.parse((await ask(ADMIN, "GET", path)).text);
  const { groups } = (await json("/apis")) as { groups: { versions: { groupVersion: string }[] }[] };
  const bases = ["/api/v1", ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`))];
  const found = await Promise.all(
    bases.map(async (base) => {
      const { resources } = (await json(base)) as {
        resources: { name: string; namespaced: boolean; verbs: string[] }[];
      };
      return resources
        .filter(({ name, verbs }) => !name.includes("/") && verbs.includes("list"))
        .map(({ name, namespaced }) => ({ base, name, namespaced }));
    }),
  );
  return found.flat();
}

let resources: Served[];
beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    plugins: kitPlugins(),
    clock: new ManualClock(),
    random: seededRandom(1),
    authorizer: authorizerOf(["RBAC"]),
  });
  for (const name of ["n", "other"]) await make("/api/v1/namespaces", { metadata: { name } });
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  const metadata = { name: "all" };
  await make(`${RBAC}/namespaces/n/roles`, { metadata, rules });
  await make(`${RBAC}/clusterroles`, { metadata, rules });
  const bound = (kind: string, { user }: typeof ADMIN): object => ({
    metadata,
    subjects: [{ kind: "User", apiGroup, name: user }],
    roleRef: { apiGroup, kind, name: "all" },
  });
  await make(`${RBAC}/namespaces/n/rolebindings`, bound("Role", NARROW));
  await make(`${RBAC}/clusterrolebindings`, bound("ClusterRole", WIDE));
  for (const [plural, kind, scope] of [
    ["wides", "Wide", "Cluster"],
    ["narrows", "Narrow", "Namespaced"],
  ] as const) {
    await make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(plural, kind, scope));
  }
  await until(async () => (await ask(ADMIN, "GET", "/apis/example.com/v1/narrows")).code === 200);
  await make("/apis/example.com/v1/wides", { apiVersion: "example.com/v1", kind: "Wide", metadata: { name: "x" } });
  resources = await servedResources();
});
afterAll(() => cluster.close(0));

/** What those are answered who get and list all resources of a scope by a path, each answer once. */
async function codes(who: typeof ADMIN, namespaced: boolean, place: string): Promise<number[]> {
  const those = resources.filter((one) => one.namespaced === namespaced);
  expect(those.length).toBeGreaterThan(5);
  const found = new Set<number>();
  for (const { base, name } of those) {
    // A Namespace is an object of the cluster that has itself as the namespace of its paths.
    if (name === "namespaces" && place !== "") continue;
    found.add((await ask(who, "GET", `${base}${place}/${name}`)).code);
    if (place !== "" || !namespaced) {
      const one = await ask(who, "GET", `${base}${place}/${name}/x`);
      // The only object: it is visible on its own path alone.
      if (one.code !== 404) found.add(one.code);
    }
  }
  return [...found].sort((a, b) => a - b);
}

describe("CVE-2019-11247: by rights in one namespace", () => {
  test("resources of namespaces are reached there alone", async () => {
    expect(await codes(NARROW, true, "/namespaces/n")).toEqual([200]);
    expect(await codes(NARROW, true, "/namespaces/other")).toEqual([403]);
    expect(await codes(NARROW, true, "")).toEqual([403]);
  });

  test("resources of the cluster are reached by no path", async () => {
    expect(await codes(NARROW, false, "/namespaces/n")).toEqual([404]);
    expect(await codes(NARROW, false, "/namespaces/other")).toEqual([403]);
    expect(await codes(NARROW, false, "")).toEqual([403]);
  });

  test("nothing of the cluster is written by a path of the namespace", async () => {
    const path = "/apis/example.com/v1/namespaces/n/wides";
    for (const [method, at] of [
      ["POST", path],
      ["PUT", `${path}/x`],
      ["PATCH", `${path}/x`],
      ["DELETE", `${path}/x`],
      ["DELETE", path],
    ] as const) {
      expect((await ask(NARROW, method, at, { metadata: { name: "x" } })).code).toBe(404);
    }
    expect((await ask(ADMIN, "GET", "/apis/example.com/v1/wides/x")).code).toBe(200);
  });
});

test("CVE-2019-11247: by rights everywhere, each resource is reached by the paths of its scope", async () => {
  expect(await codes(WIDE, true, "/namespaces/n")).toEqual([200]);
  expect(await codes(WIDE, true, "")).toEqual([200]);
  expect(await codes(WIDE, false, "")).toEqual([200]);
  expect(await codes(WIDE, false, "/namespaces/n")).toEqual([404]);
});
