import type { ResourceDefinition } from "../../../schema/definition.ts";
import { bindingDefinition } from "./binding.ts";

/** The definition of RoleBinding, which grants a Role, or a ClusterRole in its namespace. */
export const roleBinding: ResourceDefinition = bindingDefinition({
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
  description: "Gives a role to users in a namespace: a Role of that namespace, or a ClusterRole.",
  roles: ["ClusterRole", "Role"],
});
