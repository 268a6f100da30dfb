/**
 * VolumeAttributesClass: attributes of volumes that can change while they live (VAC-1..12).
 *
 * The object is always served; the gate of the same name only decides about the fields that refer to one (AMB-8).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { type Static, map, optional, required, text } from "../../../meta/types.ts";
import { type Value, equal } from "../../../value/value.ts";
import { ageColumn } from "../../../schema/columns.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateParameters, validateProvisioner } from "./parameters.ts";

const schemaOf = (ctx: ApiContext) => {
  const driverName = text("The name of the CSI driver of the class; it cannot change.");
  const parameters = map(
    text(),
    "The attributes, which only the driver understands: 1 to 512 entries, up to 256 KiB; they cannot change.",
  );
  return objectSchema("A class of attributes of volumes.", {
    driverName: ctx.dialect.rules.requireUndocumented ? required(driverName) : optional(driverName),
    parameters: optional(parameters),
  });
};

/** A VolumeAttributesClass. */
export type VolumeAttributesClass = ApiObject &
  Partial<Omit<Static<ReturnType<typeof schemaOf>>, "apiVersion" | "kind" | "metadata">>;

function validate(object: ApiObject, errors: FieldErrors, ctx: WriteContext): void {
  const { driverName, parameters } = object as VolumeAttributesClass;
  validateProvisioner(driverName ?? "", "driverName", ctx.dialect.rules.requireUndocumented, errors);
  if (Object.keys(parameters ?? {}).length === 0) errors.required("parameters", "expected at least one attribute");
  validateParameters(parameters, "parameters", errors);
}

function validateUpdate(object: ApiObject, old: ApiObject, errors: FieldErrors, ctx: WriteContext): void {
  const now = object as VolumeAttributesClass;
  const before = old as VolumeAttributesClass;
  // A class that was made from the documents alone has no driver; it may get one, once (DEC-40).
  if ((now.driverName ?? "") !== (before.driverName ?? "") && (before.driverName ?? "") !== "") {
    errors.forbidden("driverName", "updates to driverName are forbidden.");
  }
  if (!equal((now.parameters ?? {}) as Value, (before.parameters ?? {}) as Value)) {
    errors.forbidden("parameters", "updates to parameters are forbidden. Make a class with the new attributes instead");
  }
  validate(object, errors, ctx);
}

const columns: readonly Column[] = [
  {
    name: "DriverName",
    type: "string",
    description: "The CSI driver of the class.",
    cell: (object) => (object as VolumeAttributesClass).driverName ?? "",
  },
  ageColumn,
];

/** The definition of VolumeAttributesClass. */
export const volumeAttributesClass = (ctx: ApiContext): ResourceDefinition => ({
  group: `storage.${ctx.dialect.domain}`,
  version: "v1",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  singular: "volumeattributesclass",
  shortNames: ["vac"],
  scope: "Cluster",
  description:
    "Describes attributes of volumes that a CSI driver defines. They are chosen when a volume is provisioned and can be changed later through its claim.",
  schema: schemaOf(ctx),
  deleteAnswers: "object",
  validate,
  validateUpdate,
  columns,
});
