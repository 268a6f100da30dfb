/**
 * The common part of RoleBinding and ClusterRoleBinding: a role and its subjects (RBAC-19..23). The role need not exist; the reference to
 * it is immutable.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { pathSegment, pathSegmentName } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ResourceDefinition } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { RBAC_GROUP } from "./group.ts";
import { Subject, defaultSubject, validateSubject } from "./subject.ts";

const RoleRef = t.struct(
  "The role that is given.",
  {
    apiGroup: t.required(t.text("The group of roles, rbac.authorization.k8s.io.")),
    kind: t.required(t.text("Role or ClusterRole.")),
    name: t.required(t.text("The name of the role.")),
  },
  { atomic: true },
);

const schemaOf = (description: string) =>
  objectSchema(description, {
    subjects: t.optional(t.atomicList(Subject, "The subjects of the role.")),
    roleRef: t.required(RoleRef),
  });

type BindingObject = ObjectOf<ReturnType<typeof schemaOf>>;

/** The differences of the two kinds of bindings. */
export interface BindingForm {
  readonly kind: string;
  readonly plural: string;
  readonly scope: ResourceDefinition["scope"];
  readonly description: string;
  /** The kinds of roles that it may grant. */
  readonly roles: readonly string[];
}

function defaults({ subjects, roleRef }: BindingObject): void {
  roleRef.apiGroup ||= RBAC_GROUP;
  subjects?.forEach(defaultSubject);
}

function validate({ subjects, roleRef }: BindingObject, { roles, scope }: BindingForm, errors: FieldErrors): void {
  const { apiGroup, kind, name } = roleRef;
  if (apiGroup !== RBAC_GROUP) errors.notSupported("roleRef.apiGroup", apiGroup, [RBAC_GROUP]);
  if (!roles.includes(kind)) errors.notSupported("roleRef.kind", kind, roles);
  const wrong = name === "" ? undefined : pathSegment(name);
  if (name === "") errors.required("roleRef.name");
  if (wrong) errors.invalid("roleRef.name", name, wrong);
  subjects?.forEach((subject, i) => validateSubject(subject, scope === "Cluster", `subjects[${i}]`, errors));
}

/** The role of a binding is immutable, or a user who may bind one role could bind another by it (RBAC-21). */
function validateSameRole(
  { roleRef: now }: BindingObject,
  { roleRef: before }: BindingObject,
  errors: FieldErrors,
): void {
  const isSame = now.apiGroup === before.apiGroup && now.kind === before.kind && now.name === before.name;
  if (!isSame) errors.invalid("roleRef", now, "expected no change of the role");
}

const roleOf = ({ roleRef: { kind, name } }: BindingObject): string => `${kind}/${name}`;

/** The names of the subjects of one kind; accounts with their namespace. */
const namesOf =
  (wanted: string) =>
  ({ subjects = [] }: BindingObject): string =>
    subjects
      .filter(({ kind }) => kind === wanted)
      .map(({ name, namespace = "" }) => (wanted === "ServiceAccount" ? `${namespace}/${name}` : name))
      .join(", ");

/** The definition of a kind of bindings. */
export const bindingDefinition = (form: BindingForm): ResourceDefinition =>
  defineResource(schemaOf(form.description), {
    group: RBAC_GROUP,
    version: "v1",
    kind: form.kind,
    plural: form.plural,
    scope: form.scope,
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
      textColumn("Users", "The users among its subjects.", namesOf("User"), true),
      textColumn("Groups", "The groups among its subjects.", namesOf("Group"), true),
      textColumn("ServiceAccounts", "The accounts among its subjects.", namesOf("ServiceAccount"), true),
    ],
  });
