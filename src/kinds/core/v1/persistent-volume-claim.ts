/**
 * PersistentVolumeClaim: a user's request for and claim to a persistent volume (doc 3, PVC-1..52).
 *
 * The spec, the status, the two data sources and the rules of changes are in files of their own; this file combines them.
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { shortAccessModes } from "./access-modes.ts";
import { ClaimSpecSchema, claimSpecWarnings, defaultClaimSpec, validateClaimSpec } from "./claim-spec.ts";
import { ClaimStatusSchema, validateClaimStatus } from "./claim-status.ts";
import { type Claim, classAnnotation, validateClaimChange } from "./claim-update.ts";
import { prepareDataSources } from "./data-sources.ts";
import { roundResources } from "../../rules/quantities.ts";
import { statusPath } from "../../rules/status.ts";

function defaults(object: Claim): void {
  const { spec, status } = object;
  defaultClaimSpec(spec);
  roundResources(status.capacity);
  roundResources(status.allocatedResources);
}

function prepareSpec(object: Claim, old: Claim | undefined, ctx: WriteContext): void {
  const { spec } = object;
  const stored = old?.spec;
  dropGated(spec, stored, "volumeAttributesClassName", "VolumeAttributesClass", "spec", ctx);
  prepareDataSources(spec, stored, ctx);
}

function prepareStatus(object: Claim, old: Claim, ctx: WriteContext): void {
  object["spec"] = old["spec"];
  const { status } = object;
  const stored = old.status;
  for (const member of ["currentVolumeAttributesClassName", "modifyVolumeStatus"]) {
    dropGated(status, stored, member, "VolumeAttributesClass", "status", ctx);
  }
}

function validateUpdate(object: Claim, old: Claim, errors: FieldErrors, ctx: WriteContext): void {
  validateClaimSpec(object.spec, "spec", errors, ctx, old.spec);
  validateClaimChange(object, old, errors, ctx);
}

function warnings(object: Claim, _old: ApiObject | undefined, ctx: WriteContext): readonly string[] {
  const annotation = classAnnotation(ctx);
  const old = object.metadata.annotations?.[annotation] === undefined ? [] : [annotation];
  return [
    ...old.map((key) => `metadata.annotations[${key}]: deprecated, use spec.storageClassName`),
    ...claimSpecWarnings(object.spec, "spec"),
  ];
}

const columnsOf = (ctx: ApiContext): readonly Column<Claim>[] => {
  const bound = ({ spec }: Claim): boolean => Boolean(spec.volumeName);
  return [
    textColumn("Status", "Phase of the claim.", (object) =>
      object.metadata.deletionTimestamp ? "Terminating" : (object.status?.phase ?? ""),
    ),
    textColumn("Volume", "The volume that the claim is bound to.", (object) => object.spec.volumeName ?? ""),
    textColumn("Capacity", "Size of the volume.", (object) =>
      bound(object) ? (object.status?.capacity?.["storage"] ?? "0") : "",
    ),
    textColumn("Access Modes", "How the volume can be mounted.", (object) =>
      bound(object) ? shortAccessModes(object.status?.accessModes) : "",
    ),
    textColumn(
      "StorageClass",
      "The class of the claim.",
      (object) => object.metadata.annotations?.[classAnnotation(ctx)] ?? object.spec.storageClassName ?? "",
    ),
    textColumn(
      "VolumeAttributesClass",
      "The VolumeAttributesClass of the claim.",
      (object) => object.spec.volumeAttributesClassName ?? "<unset>",
    ),
    ageColumn,
    textColumn("VolumeMode", "Block or Filesystem.", (object) => object.spec.volumeMode ?? "<unset>", true),
  ];
};

const schema = objectSchema("A user's request for and claim to a persistent volume.", {
  spec: t.always(ClaimSpecSchema),
  status: t.always(ClaimStatusSchema),
});

/** The definition of PersistentVolumeClaim. */
export const persistentVolumeClaim = (ctx: ApiContext): ResourceDefinition =>
  defineResource(schema, {
    group: "",
    version: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    shortNames: ["pvc"],
    scope: "Namespaced",
    deleteReturns: "object",
    resetFields: ["status"],
    defaults,
    prepareForCreate(object, write) {
      object["status"] = { phase: "Pending" };
      prepareSpec(object, undefined, write);
    },
    validate: (object, errors, write) => validateClaimSpec(object.spec, "spec", errors, write),
    prepareForUpdate(object, old, write) {
      object["status"] = old["status"];
      prepareSpec(object, old, write);
    },
    validateUpdate,
    warnings,
    subresources: {
      status: statusPath({
        prepareForUpdate: prepareStatus,
        validateUpdate: (object, _old, errors, write) => validateClaimStatus(object.status, errors, write),
      }),
    },
    columns: columnsOf(ctx),
  });
