/**
 * What RoleBinding and ClusterRoleBinding share: who is given a role, and which (RBAC-19..23). The role need not be there;
 * which it is never changes.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { pathSegment, pathSegmentName } from "../../../meta/names.ts";
import { type Static, atomicList, optional, required, struct, text } from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import type { ApiObject, ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { RBAC_GROUP } from "./group.ts";
import { Subject, type SubjectValue, defaultSubject, validateSubject } from "./subject.ts";

const RoleRef = struct(
  "The role that is given.",
  {
    apiGroup: required(text("The group of roles, rbac.authorization.k8s.io.")),
    kind: required(text("Role or ClusterRole.")),
    name: required(text("The name of the role.")),
  },
  { atomic: true },
);

/** A binding as its rules see it. */
export interface BindingObject extends ApiObject {
  subjects?: readonly SubjectValue[];
  roleRef: Static<typeof RoleRef>;
}

/** What tells the two kinds of bindings apart. */
export interface BindingForm {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: ResourceDefinition["scope"];
  readonly description: string;
  /** The kinds of roles that it may give. */
  readonly roles: readonly string[];
}

function defaults(object: ApiObject): void {
  const { subjects, roleRef } = object as Partial<BindingObject>;
  if (roleRef) roleRef.apiGroup ||= RBAC_GROUP;
  subjects?.forEach(defaultSubject);
}

function validate(object: ApiObject, { roles, scope }: BindingForm, errors: FieldErrors): void {
  const { subjects, roleRef } = object as BindingObject;
  const { apiGroup, kind, name } = roleRef;
  if (apiGroup !== RBAC_GROUP) errors.notSupported("roleRef.apiGroup", apiGroup, [RBAC_GROUP]);
  if (!roles.includes(kind)) errors.notSupported("roleRef.kind", kind, roles);
  const wrong = name === "" ? undefined : pathSegment(name);
  if (name === "") errors.required("roleRef.name");
  if (wrong) errors.invalid("roleRef.name", name, wrong);
  subjects?.forEach((subject, i) => validateSubject(subject, scope === "Cluster", `subjects[${i}]`, errors));
}

/** The role of a binding is what it is: whoever may give one role would otherwise give another by it (RBAC-21). */
function validateSameRole(object: ApiObject, old: ApiObject, errors: FieldErrors): void {
  const [now, before] = [(object as BindingObject).roleRef, (old as BindingObject).roleRef];
  const isSame = now.apiGroup === before.apiGroup && now.kind === before.kind && now.name === before.name;
  if (!isSame) errors.invalid("roleRef", now, "expected no change of the role");
}

const roleOf = (object: ApiObject): string => {
  const { kind, name } = (object as BindingObject).roleRef;
  return `${kind}/${name}`;
};

/** The names of the subjects of one kind; accounts with their namespace. */
const namesOf =
  (wanted: string) =>
  (object: ApiObject): string =>
    ((object as BindingObject).subjects ?? [])
      .filter(({ kind }) => kind === wanted)
      .map(({ name, namespace = "" }) => (wanted === "ServiceAccount" ? `${namespace}/${name}` : name))
      .join(", ");

/** The definition of a kind of bindings. */
export const bindingDefinition = (form: BindingForm): ResourceDefinition => ({
  group: RBAC_GROUP,
  version: "v1",
  kind: form.kind,
  plural: form.plural,
  singular: form.singular,
  scope: form.scope,
  description: form.description,
  schema: objectSchema(form.description, {
    subjects: optional(atomicList(Subject, "Who is given the role.")),
    roleRef: required(RoleRef),
  }),
  deleteAnswers: "status",
  createOnUpdate: true,
  nameRule: pathSegmentName,
  defaults,
  validate: (object, errors) => validate(object, form, errors),
  validateUpdate(object, old, errors) {
    validate(object, form, errors);
    validateSameRole(object, old, errors);
  },
  columns: [
    textColumn("Role", "The role that is given.", roleOf),
    ageColumn,
    textColumn("Users", "The users among those who are given it.", namesOf("User"), true),
    textColumn("Groups", "The groups among those who are given it.", namesOf("Group"), true),
    textColumn("ServiceAccounts", "The accounts among those who are given it.", namesOf("ServiceAccount"), true),
  ],
});
