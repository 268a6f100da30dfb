/**
 * VolumeAttributesClass: attributes of volumes that can change while they live (VAC-1..12).
 *
 * The object is always served; the gate of the same name only decides about the fields that refer to one (AMB-8).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { type ObjectOf, defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { validateParameters, validateProvisioner } from "./parameters.ts";
import { same } from "../../rules/same.ts";

const schemaOf = (ctx: ApiContext) => {
  const driverName = t.text("The name of the CSI driver of the class; it cannot change.");
  const parameters = t.map(
    t.text(),
    "The attributes, which only the driver interprets: 1 to 512 entries, up to 256 KiB; they are immutable.",
  );
  return objectSchema("A class of attributes of volumes.", {
    driverName: ctx.dialect.rules.requireUndocumented ? t.required(driverName) : t.optional(driverName),
    parameters: t.optional(parameters),
  });
};

/** A VolumeAttributesClass. */
export type VolumeAttributesClass = ObjectOf<ReturnType<typeof schemaOf>>;

function validate(object: VolumeAttributesClass, errors: FieldErrors, ctx: WriteContext): void {
  const { driverName, parameters } = object;
  validateProvisioner(driverName ?? "", "driverName", ctx.dialect.rules.requireUndocumented, errors);
  if (Object.keys(parameters ?? {}).length === 0) errors.required("parameters", "expected at least one attribute");
  validateParameters(parameters, "parameters", errors);
}

function validateUpdate(
  object: VolumeAttributesClass,
  old: VolumeAttributesClass,
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  const now = object;
  const before = old;
  // A class that was created by the documents has no driver; it may get one, once (DEC-40).
  if ((now.driverName ?? "") !== (before.driverName ?? "") && (before.driverName ?? "") !== "") {
    errors.forbidden("driverName", "updates to driverName are forbidden.");
  }
  if (!same(now.parameters ?? {}, before.parameters ?? {})) {
    errors.forbidden("parameters", "updates to parameters are forbidden. Make a class with the new attributes instead");
  }
  validate(object, errors, ctx);
}

const columns: readonly Column<VolumeAttributesClass>[] = [
  textColumn("DriverName", "The CSI driver of the class.", (object) => object.driverName ?? ""),
  ageColumn,
];

/** The definition of VolumeAttributesClass. */
export const volumeAttributesClass = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schemaOf(ctx), {
    group: `storage.${ctx.dialect.domain}`,
    version: "v1",
    kind: "VolumeAttributesClass",
    plural: "volumeattributesclasses",
    shortNames: ["vac"],
    scope: "Cluster",
    description:
      "Describes attributes of volumes that a CSI driver defines. They are chosen when a volume is provisioned and can be changed later through its claim.",
    deleteReturns: "object",
    validate,
    validateUpdate,
    columns,
  });
