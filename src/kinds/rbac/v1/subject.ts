/**
 * The subjects of role bindings (RBAC-19, RBAC-20, RBAC-33).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import { RBAC_GROUP } from "./group.ts";

/** The schema of a subject; one owner for all of it. */
export const Subject = t.struct(
  "A subject of the role.",
  {
    kind: t.required(t.text("User, Group or ServiceAccount.")),
    apiGroup: t.optional(
      t.text("The group of the kind: '' for a ServiceAccount, rbac.authorization.k8s.io for the others."),
    ),
    name: t.required(t.text("The name of the user, the group or the account.")),
    namespace: t.optional(t.text("The namespace of the account; not for users and groups.")),
  },
  { atomic: true },
);

/** A subject of a role binding. */
export type SubjectValue = t.Static<typeof Subject>;

const KINDS = ["Group", "ServiceAccount", "User"];

/** Sets the default API group by the kind (RBAC-19). Changes `subject`, which is not yet validated. */
export function defaultSubject(subject: SubjectValue): void {
  if ((subject.kind === "User" || subject.kind === "Group") && !subject.apiGroup) subject.apiGroup = RBAC_GROUP;
}

/** Validates a subject; a ClusterRoleBinding must have the namespace of an account. */
export function validateSubject(subject: SubjectValue, ofCluster: boolean, field: string, errors: FieldErrors): void {
  const { kind, name, apiGroup = "" } = subject;
  if (name === "") errors.required(`${field}.name`);
  if (kind === "ServiceAccount") return validateAccount(subject, ofCluster, field, errors);
  if (!KINDS.includes(kind)) return errors.notSupported(`${field}.kind`, kind, KINDS);
  if (apiGroup !== RBAC_GROUP) errors.notSupported(`${field}.apiGroup`, apiGroup, [RBAC_GROUP]);
}

function validateAccount(subject: SubjectValue, ofCluster: boolean, field: string, errors: FieldErrors): void {
  const { name, apiGroup = "", namespace = "" } = subject;
  const wrong = name === "" ? undefined : dnsSubdomain(name);
  if (wrong) errors.invalid(`${field}.name`, name, wrong);
  if (apiGroup !== "") errors.notSupported(`${field}.apiGroup`, apiGroup, [""]);
  if (ofCluster && namespace === "") errors.required(`${field}.namespace`, "expected the namespace of the account");
}
