import { expect, test } from "vitest";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Role } from "../client/kinds/index.ts";
import { createCluster } from "./cluster.ts";
import type { Cluster } from "./contract.ts";

const GROUP = "rbac.authorization.k8s.io";

/** The message of a refusal to list configmaps. */
const refusal = (cluster: Cluster, user: string, namespace = "default"): Promise<string> =>
  cluster
    .as({ user })
    .resource(ConfigMap)
    .list({ namespace })
    .then(
      () => "",
      (error: Error) => error.message,
    );

test("advice about roles is given only to users who may read all roles", async () => {
  await using cluster = await createCluster({ rbac: true, controllers: "none" });
  const rules = [{ verbs: ["list"], apiGroups: [GROUP], resources: ["clusterroles", "roles"] }];
  await cluster.apply(ClusterRole, { metadata: { name: "reader" }, rules });
  await cluster.apply(ClusterRoleBinding, {
    metadata: { name: "reader" },
    roleRef: { apiGroup: GROUP, kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup: GROUP, kind: "User", name: "kim" }],
  });
  const mine = [{ verbs: ["list"], apiGroups: [""], resources: ["configmaps"] }];
  await cluster.apply(Role, { metadata: { name: "mine", namespace: "default" }, rules: mine });
  expect(await refusal(cluster, "kim")).toContain('a RoleBinding of Role "mine" or ClusterRole "');
  expect(await refusal(cluster, "kim", "kube-public")).not.toContain("mine");
  expect(await refusal(cluster, "bob")).toContain("bob");
  expect(await refusal(cluster, "bob")).not.toContain("Role");
});
