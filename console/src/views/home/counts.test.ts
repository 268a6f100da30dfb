import { afterEach, expect, test, vi } from "vitest";
import type { Kind } from "../../api/discovery.ts";
import { countedNamespaces, countKinds, countOf, countsInOrder, isInUse, type KindCount } from "./counts.ts";

const counted = (name: string) => {
  const [resource = "", ...group] = name.split(".");
  return { kind: { group: group.join("."), resource, kind: resource } as Kind, count: 1 };
};
const names = (counts: readonly { readonly kind: Kind }[]): string[] =>
  counts.map(({ kind: { group, resource } }) => (group === "" ? resource : `${resource}.${group}`));

test("what people made stands first, what the cluster keeps itself apart, and what says least last", () => {
  const all = (
    "componentstatuses clusterroles.rbac.authorization.k8s.io configmaps deployments.apps events events.events.k8s.io " +
    "pods pods.metrics.k8s.io replicasets.apps roles.example.com widgets.example.com networkpolicies.networking.k8s.io"
  ).split(" ");
  const [made, kept] = countsInOrder(all.map(counted));
  expect(names(made)).toEqual([
    "deployments.apps",
    "pods",
    "configmaps",
    "roles.example.com",
    "widgets.example.com",
    "networkpolicies.networking.k8s.io",
  ]);
  expect(names(kept)).toEqual([
    "replicasets.apps",
    "events",
    "clusterroles.rbac.authorization.k8s.io",
    "pods.metrics.k8s.io",
    "componentstatuses",
  ]);
});

test("Events that only one group serves are there", () => {
  expect(names(countsInOrder([counted("events.events.k8s.io")])[1])).toEqual(["events.events.k8s.io"]);
});

test("an empty list of metadata has no array", () => {
  const metadata = { resourceVersion: "1", remainingItemCount: 41 };
  expect(countOf({ items: null, metadata: { resourceVersion: "1" } })).toBe(0);
  expect(countOf({ items: [{ metadata: { name: "a" } }], metadata })).toBe(42);
});

afterEach(() => void vi.unstubAllGlobals());

test("a kind that is refused is counted in the namespaces that the user may read, and not asked for again", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    const [path = ""] = url.split("?");
    asked.push(path.slice("/api/v1/".length));
    if (path.endsWith("/configmaps") && path.includes("/namespaces/"))
      return Promise.resolve(Response.json({ metadata: { resourceVersion: "1", remainingItemCount: 2 }, items: [{}] }));
    if (path.endsWith("/services")) return Promise.resolve(Response.json({ metadata: {}, items: [{}] }));
    return Promise.resolve(Response.json({ kind: "Status", code: 403 }, { status: 403 }));
  });
  const kind = (resource: string, namespaced: boolean) =>
    ({ group: "", version: "v1", resource, kind: resource, namespaced, verbs: ["list"] }) as unknown as Kind;
  const kinds = [kind("configmaps", true), kind("pods", true), kind("nodes", false), kind("services", true)];
  const refused = new Set<string>();
  const count = async (): Promise<KindCount[]> => {
    const counts: KindCount[] = [];
    await countKinds(kinds, (one) => counts.push(one), {
      signal: new AbortController().signal,
      refused,
      readable: async ({ resource }) => ({ namespaces: resource === "configmaps" ? ["a", "b"] : [] }),
    });
    return counts.toSorted((a, b) => (a.kind.resource < b.kind.resource ? -1 : 1));
  };
  const counts = await count();
  expect(counts.map((one) => [one.kind.resource, one.count, one.namespaces])).toEqual([
    ["configmaps", 6, ["a", "b"]],
    ["services", 1, undefined],
  ]);
  expect(countedNamespaces(counts)).toEqual(["a", "b"]);
  expect(countedNamespaces(counts.slice(1))).toBeUndefined();
  asked.length = 0;
  await count();
  expect(asked.toSorted()).toEqual(["namespaces/a/configmaps", "namespaces/b/configmaps", "services"]);
});

test("a cluster is in use when users have made something", () => {
  const counts = (of: Record<string, number>): KindCount[] =>
    Object.entries(of).map(([name, count]) => ({ ...counted(name), count }));
  expect(isInUse(counts({ configmaps: 4, namespaces: 4, services: 1, "roles.rbac.authorization.k8s.io": 7 }))).toBe(
    false,
  );
  expect(isInUse(counts({ configmaps: 5, namespaces: 4 }))).toBe(true);
  expect(isInUse(counts({ pods: 1 }))).toBe(true);
  expect(isInUse(counts({ "deployments.apps": 0 }))).toBe(false);
});
