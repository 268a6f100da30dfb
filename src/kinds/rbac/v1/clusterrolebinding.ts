import type { ResourceDefinition } from "../../../schema/definition.ts";
import { bindingDefinition } from "./binding.ts";

/** The definition of ClusterRoleBinding, which grants a ClusterRole in the whole cluster. */
export const clusterRoleBinding: ResourceDefinition = bindingDefinition({
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
  description: "Gives a ClusterRole to users, for all namespaces, the cluster and paths.",
  roles: ["ClusterRole"],
});
