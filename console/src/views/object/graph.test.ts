import { expect, test } from "vitest";
import type { Kind } from "../../api/discovery.ts";
import type { OwnerReference } from "../../api/kube.ts";
import { type GraphReader, type Listed, MAX_NODES, type TreeNode, ownedKinds, ownerGraph, treeOf } from "./graph.ts";

const listed = (kind: string, name: string, ...owners: string[]): Listed => ({
  apiVersion: "apps/v1",
  kind,
  object: {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      ownerReferences: owners.map((owner): OwnerReference => {
        return { apiVersion: "apps/v1", kind: "X", name: owner, uid: owner, controller: owner === owners[0] };
      }),
    },
  },
});

const readerOf = (all: readonly Listed[], unread: readonly string[] = []): GraphReader => ({
  owner: async ({ uid }) =>
    all.find(({ object }) => object.metadata.uid === uid) ?? (uid === "hidden" ? "unknown" : "gone"),
  async *candidates() {
    for (const one of all) yield { objects: [one] };
    for (const kind of unread) yield { unread: kind };
  },
});

const textOf = (tree: readonly TreeNode[]): string =>
  tree
    .map(({ node, again, owned }) => `${node.name}${again ? "*" : ""}${owned.length > 0 ? `(${textOf(owned)})` : ""}`)
    .join(" ");

test("owners up, dependents down", async () => {
  const all = [
    listed("Deployment", "web"),
    listed("ReplicaSet", "web-1", "web"),
    listed("ReplicaSet", "web-2", "web"),
    listed("Pod", "web-1-a", "web-1"),
    listed("Pod", "other", "else"),
  ];
  const graph = await ownerGraph(all[1]!, readerOf(all, ["secrets"]));
  expect(graph.nodes.map(({ name, is }) => `${is} ${name}`)).toEqual(["self web-1", "owner web", "owned web-1-a"]);
  expect(graph.edges).toEqual([
    { owner: "web", owned: "web-1", controller: true },
    { owner: "web-1", owned: "web-1-a", controller: true },
  ]);
  expect(graph.unread).toEqual(["secrets"]);
  expect(textOf(treeOf(graph))).toBe("web(web-1(web-1-a))");
});

test("owners that were deleted, or may not be read, are reported", async () => {
  const self = listed("Pod", "a", "gone", "hidden");
  const { nodes } = await ownerGraph(self, readerOf([self]));
  expect(nodes.map(({ name, state }) => `${name} ${state}`)).toEqual(["a there", "gone gone", "hidden unknown"]);
});

test("objects that own each other, and two owners of one object, end", async () => {
  const all = [listed("A", "a", "b"), listed("A", "b", "a"), listed("A", "c", "a", "b")];
  const graph = await ownerGraph(all[0]!, readerOf(all));
  expect(textOf(treeOf(graph))).toBe("a(b(a* c) c*)");
});

test("a graph has a bound, and says that there is more", async () => {
  const all = [listed("A", "a"), ...Array.from({ length: 1000 }, (_, i) => listed("B", `b${i}`, "a"))];
  const graph = await ownerGraph(all[0]!, readerOf(all));
  expect([graph.nodes.length, graph.truncated]).toEqual([MAX_NODES, true]);
});

test("kinds are asked once, Events never, those of the cluster for its objects only", () => {
  const kind = (group: string, resource: string, namespaced: boolean, verbs = ["list"]): Kind => {
    const names = { singular: "", shortNames: [], categories: [], subresources: [], kind: resource };
    return { group, version: "v1", resource, namespaced, verbs, ...names };
  };
  const all = [
    kind("", "pods", true),
    kind("", "pods", true),
    kind("", "events", true),
    kind("", "nodes", false),
    kind("x", "tokens", true, ["create"]),
  ];
  expect(ownedKinds(all, true).map(({ resource }) => resource)).toEqual(["pods"]);
  expect(ownedKinds(all, false).map(({ resource }) => resource)).toEqual(["pods", "nodes"]);
});
