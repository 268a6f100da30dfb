/**
 * Role: rights in its namespace, for the subjects of a RoleBinding (RBAC-14..17).
 *
 * @module
 */
import { pathSegmentName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { RBAC_GROUP } from "./group.ts";
import { PolicyRule, validateRules } from "./rule.ts";

const schema = objectSchema("Rights to the objects of a namespace, for the users of its RoleBindings.", {
  rules: t.nullable(t.atomicList(PolicyRule, "The rules; rights of all rules add up, and no rule denies anything.")),
});

/** The definition of Role. */
export const role = defineResource(schema, {
  group: RBAC_GROUP,
  version: "v1",
  kind: "Role",
  plural: "roles",
  scope: "Namespaced",
  createOnUpdate: true,
  nameRule: pathSegmentName,
  validate: (object, errors) => validateRules(object, false, errors),
  validateUpdate: (object, _old, errors) => validateRules(object, false, errors),
});
