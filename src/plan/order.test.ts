import { describe, expect, test } from "vitest";
import type { Value } from "../value/value.ts";
import { orderOf } from "./order.ts";

const object = (apiVersion: string, kind: string, name: string, more: object = {}): Value =>
  ({ apiVersion, kind, metadata: { name }, ...more }) as unknown as Value;
const map = (namespace: string): Value => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace } });
const RBAC = "rbac.authorization.k8s.io/v1";

const ordered = (...documents: readonly Value[]): readonly (number | string)[] =>
  orderOf(documents, "default").flatMap(({ position, moved }) => (moved ? [moved.rule, position] : position));

describe("the order of documents", () => {
  test("stays as given where no document needs a later one", () => {
    const space = object("v1", "Namespace", "a");
    expect(ordered()).toEqual([]);
    expect(ordered(map("b"), space, map("a"), 3, null, [])).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each<[string, Value, Value]>([
    ["namespace", map("a"), object("v1", "Namespace", "a")],
    ["namespace", map(""), object("v1", "Namespace", "default")],
    [
      "definition",
      object("x.io/v2", "Thing", "t"),
      object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "things.x.io", {
        spec: { group: "x.io", names: { kind: "Thing" } },
      }),
    ],
    [
      "class",
      object("v1", "PersistentVolumeClaim", "p", { spec: { storageClassName: "fast" } }),
      object("storage.k8s.io/v1", "StorageClass", "fast"),
    ],
    [
      "class",
      object("apps/v1", "Deployment", "d", { spec: { template: { spec: { priorityClassName: "high" } } } }),
      object("scheduling.k8s.io/v1", "PriorityClass", "high"),
    ],
    ["role", object(RBAC, "RoleBinding", "b", { roleRef: { kind: "Role", name: "r" } }), object(RBAC, "Role", "r")],
    [
      "role",
      object(RBAC, "RoleBinding", "b", { roleRef: { kind: "ClusterRole", name: "r" } }),
      object(RBAC, "ClusterRole", "r"),
    ],
    [
      "serviceAccount",
      object("v1", "Pod", "p", { spec: { serviceAccountName: "runner" } }),
      object("v1", "ServiceAccount", "runner"),
    ],
  ])("moves a %s before what needs it", (rule, needs, provides) => {
    expect(ordered(needs, provides)).toEqual([rule, 1, 0]);
    expect(ordered(provides, needs)).toEqual([0, 1]);
  });

  test("moves what is needed by what is moved, too, and ends where documents need each other", () => {
    const claim = object("v1", "ServiceAccount", "runner", { metadata: { name: "runner", namespace: "a" } });
    const pod = object("v1", "Pod", "p", {
      metadata: { name: "p", namespace: "a" },
      spec: { serviceAccountName: "runner" },
    });
    expect(ordered(pod, claim, object("v1", "Namespace", "a"))).toEqual(["namespace", 2, "serviceAccount", 1, 0]);
    const one = object("x.io/v1", "OneClass", "c", { spec: { otherClassName: "d" } });
    const other = object("x.io/v1", "OtherClass", "d", { spec: { oneClassName: "c" } });
    expect(ordered(one, other)).toEqual(["class", 1, 0]);
  });

  test("does not depend on how deep a chain of needs is", () => {
    const chain = Array.from({ length: 4000 }, (_, i) =>
      object("x.io/v1", "OneClass", `c${i}`, { spec: { oneClassName: `c${i + 1}` } }),
    );
    expect(orderOf(chain, "default").map(({ position }) => position)).toEqual(chain.map((_, i) => 3999 - i));
  });
});
