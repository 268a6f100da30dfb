import { expect, test } from "vitest";
import type { Kind } from "../../api/discovery.ts";
import { countOf, countsInOrder } from "./counts.ts";

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
