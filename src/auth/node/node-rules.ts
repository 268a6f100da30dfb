import { EVENTS, can, read } from "../rbac/defaults/words.ts";
import type { RuleForm } from "../rbac/rule.ts";

/** What the agent of every node may do whatever its Pods refer to; what depends on them is in `node-authorizer.ts`. */
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
