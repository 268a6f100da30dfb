import type { RuleForm } from "../rbac/rule.ts";

const READ = ["get", "list", "watch"];

const can = (verbs: readonly string[], apiGroup: string, ...resources: readonly string[]): RuleForm => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
});

/** What the agent of every node may do whatever its Pods refer to; what depends on them is in `node-authorizer.ts`. */
export const NODE_RULES: readonly RuleForm[] = [
  can(["create"], "authentication.k8s.io", "tokenreviews"),
  can(["create"], "authorization.k8s.io", "localsubjectaccessreviews", "subjectaccessreviews"),
  can(["create", "patch", "update"], "", "events"),
  can(["create", "patch", "update"], "events.k8s.io", "events"),
  can(READ, "", "services"),
  can(["get"], "", "endpoints"),
  can(["create", ...READ], "certificates.k8s.io", "certificatesigningrequests"),
  can(READ, "certificates.k8s.io", "clustertrustbundles"),
  can(READ, "node.k8s.io", "runtimeclasses"),
  can(READ, "storage.k8s.io", "csidrivers"),
];
