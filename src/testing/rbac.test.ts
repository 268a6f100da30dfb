import { expect, test } from "vitest";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Role, RoleBinding } from "../client/kinds/index.ts";
import { createCluster } from "./cluster.ts";
import type { Cluster } from "./contract.ts";

const GROUP = "rbac.authorization.k8s.io";
const MAY_READ = { verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] };

/** Gives kim in `default` what a role of the name `r` says. */
async function give(cluster: Cluster, ...rules: (typeof MAY_READ)[]): Promise<void> {
  await cluster.apply(Role, { metadata: { name: "r", namespace: "default" }, rules });
  await cluster.apply(RoleBinding, {
    metadata: { name: "b", namespace: "default" },
    roleRef: { apiGroup: GROUP, kind: "Role", name: "r" },
    subjects: [{ apiGroup: GROUP, kind: "User", name: "kim" }],
  });
}

const FORBIDDEN = expect.objectContaining({ status: expect.objectContaining({ reason: "Forbidden" }) }) as Error;

test("RBAC-24: with roles, a user may do what bindings grant, and nothing else", async () => {
  await using cluster = await createCluster({ rbac: true, controllers: "none" });
  const kim = cluster.as({ user: "kim" }).resource(ConfigMap);
  await expect(kim.list({ namespace: "default" })).rejects.toThrow(FORBIDDEN);
  await give(cluster, MAY_READ);
  expect((await kim.list({ namespace: "default" })).items).toEqual([]);
  const config = { metadata: { name: "c", namespace: "default" } };
  await expect(kim.create(config)).rejects.toThrow(FORBIDDEN);
  await expect(kim.list({ namespace: "kube-system" })).rejects.toThrow(FORBIDDEN);
});

test("RBAC-36: a fork has the roles of its parent, and neither sees what the other is given from then on", async () => {
  await using cluster = await createCluster({ rbac: true, controllers: "none" });
  await give(cluster, MAY_READ);
  const lists = (one: Cluster) => one.as({ user: "kim" }).resource(ConfigMap).list({ namespace: "default" });
  await lists(cluster);
  await using fork = cluster.fork();
  await lists(fork);
  await give(fork);
  await expect(lists(fork)).rejects.toThrow(FORBIDDEN);
  await lists(cluster);
});

test("RBAC-39, RBAC-44: no user grants more than they have", async () => {
  await using cluster = await createCluster({ rbac: true, controllers: "none" });
  await give(cluster, MAY_READ, { verbs: ["*"], apiGroups: [GROUP], resources: ["roles", "rolebindings"] });
  await cluster.apply(ClusterRole, { metadata: { name: "all" }, rules: [{ ...MAY_READ, verbs: ["*"] }] });
  const kim = cluster.as({ user: "kim" });
  const roleNamed = (name: string, rule: typeof MAY_READ) => ({
    metadata: { name, namespace: "default" },
    rules: [rule],
  });
  await kim.resource(Role).create(roleNamed("less", { ...MAY_READ, verbs: ["get"] }));
  await kim.resource(Role).create(roleNamed("more", { ...MAY_READ, verbs: ["delete"] })); // `*` on roles is `escalate`, too
  const roleRef = { apiGroup: GROUP, kind: "ClusterRole", name: "all" };
  const binding = { metadata: { name: "more", namespace: "default" }, roleRef };
  await expect(kim.resource(RoleBinding).create(binding)).rejects.toThrow(/may give only what they have.*configmaps/);
  await cluster.apply(ClusterRoleBinding, {
    metadata: { name: "kim" },
    roleRef,
    subjects: [{ apiGroup: GROUP, kind: "User", name: "kim" }],
  });
  await kim.resource(RoleBinding).create(binding);
});

test("without roles only members of system:masters may do anything", async () => {
  await using cluster = await createCluster({ controllers: "none" });
  await give(cluster, MAY_READ);
  const list = (groups: readonly string[]) =>
    cluster.as({ user: "kim", groups }).resource(ConfigMap).list({ namespace: "default" });
  await expect(list([])).rejects.toThrow(FORBIDDEN);
  await list(["system:masters"]);
});
