/**
 * ControllerRevision: a state that a controller keeps for a rollback (KIND-ControllerRevision-1, 2). The controller defines the content of
 * its revisions; nothing here reads it.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { type Value, isObject } from "../../../value/value.ts";
import { nearest } from "../../rules/counts.ts";
import { same } from "../../rules/same.ts";

const schema = objectSchema("A revision that a controller stores, so that it can roll back to it.", {
  data: t.nullable(t.anyJson("The state, in a form that its controller defines.")),
  revision: t.required(t.int64("Which revision it is: the greater, the later.")),
});

type ControllerRevision = ObjectOf<typeof schema>;

function validate(object: ControllerRevision, errors: FieldErrors, ctx: WriteContext): void {
  validateRevision(object, errors);
  const { data } = object;
  if (data === undefined || data === null) errors.required("data", "expected a state, got none");
  else if (ctx.dialect.rules.enforceUndocumented && !isObject(data as Value))
    errors.required("data", "expected an object");
}

function validateRevision({ revision }: ControllerRevision, errors: FieldErrors): void {
  if (nearest(revision) < 0) errors.invalid("revision", revision, "expected 0 or more");
}

function validateUpdate(object: ControllerRevision, old: ControllerRevision, errors: FieldErrors): void {
  validateRevision(object, errors);
  if (!same(object.data ?? null, old.data ?? null)) {
    errors.invalid("data", object.data ?? null, "expected it as it was: a state is kept, not changed");
  }
}

/** The controller of an object as `kind.group/name`, in the case of resources. */
function controllerOf({ metadata }: ApiObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return "<none>";
  const slash = owner.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${owner.apiVersion.slice(0, slash)}`;
  return `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`;
}

const columns: readonly Column<ControllerRevision>[] = [
  textColumn("Controller", "Whose state it is.", controllerOf),
  textColumn("Revision", "Which revision it is.", (object) => object.revision ?? 0),
  ageColumn,
];

/** The definition of ControllerRevision. */
export const controllerRevision = (): ResourceDefinition =>
  defineResource(schema, {
    group: "apps",
    version: "v1",
    kind: "ControllerRevision",
    plural: "controllerrevisions",
    scope: "Namespaced",
    validate,
    validateUpdate,
    columns,
  });
