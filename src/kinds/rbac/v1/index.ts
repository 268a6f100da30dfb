import type { DefinitionFactory } from "../../../schema/definition.ts";
import { clusterRole } from "./clusterrole.ts";
import { clusterRoleBinding } from "./clusterrolebinding.ts";
import { role } from "./role.ts";
import { roleBinding } from "./rolebinding.ts";

/** Roles and bindings: who may do what. Their group has the same name in every dialect. */
export const rbacGroup: DefinitionFactory = () => [clusterRole, clusterRoleBinding, role, roleBinding];
