import type { Messages } from "./numbers.ts";

/** `rbac.authorization.k8s.io/v1`: roles and bindings. */
export const rbac: Messages = {
  AggregationRule: { clusterRoleSelectors: [1, "meta.LabelSelector"] },
  ClusterRole: {
    metadata: [1, "meta.ObjectMeta"],
    rules: [2, "PolicyRule"],
    aggregationRule: [3, "AggregationRule"],
  },
  ClusterRoleBinding: { metadata: [1, "meta.ObjectMeta"], subjects: [2, "Subject"], roleRef: [3, "RoleRef"] },
  PolicyRule: { verbs: 1, apiGroups: 2, resources: 3, resourceNames: 4, nonResourceURLs: 5 },
  Role: { metadata: [1, "meta.ObjectMeta"], rules: [2, "PolicyRule"] },
  RoleBinding: { metadata: [1, "meta.ObjectMeta"], subjects: [2, "Subject"], roleRef: [3, "RoleRef"] },
  RoleRef: { apiGroup: 1, kind: 2, name: 3 },
  Subject: { kind: 1, apiGroup: 2, name: 3, namespace: 4 },
};
