import { EVENTS, can, read } from "../rbac/defaults/rule-builders.ts";
import type { RuleForm } from "../rbac/rule.ts";

/** The rights of the agents of all nodes, whatever their Pods refer to; `node-authorizer.ts` has the others. */
export const NODE_RULES: readonly RuleForm[] = [
  can("create", "authentication.k8s.io", "tokenreviews"),
  can("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
  EVENTS,
  read("core", "services"),
  can("get", "core", "endpoints"),
  can("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
  read("certificates.k8s.io", "clustertrustbundles"),
  read("node.k8s.io", "runtimeclasses"),
  read("storage.k8s.io", "csidrivers"),
];
