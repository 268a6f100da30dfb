import type { ResourceDefinition } from "../../../schema/definition.ts";
import { bindingDefinition } from "./binding.ts";

/** The definition of RoleBinding, which gives a Role, or a ClusterRole as far as its namespace is concerned. */
export const roleBinding: ResourceDefinition = bindingDefinition({
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
  description: "Who is given a role in a namespace: a Role of that namespace, or a ClusterRole.",
  roles: ["ClusterRole", "Role"],
});
