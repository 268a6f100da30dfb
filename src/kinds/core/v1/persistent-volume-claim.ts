/**
 * PersistentVolumeClaim: a user's request for and claim to a persistent volume (doc 3, PVC-1..52).
 *
 * The spec, the status, the two data sources and the rules of changes are in files of their own; this is their sum.
 *
 * @module
 */
import { always } from "../../../meta/types.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import type { ApiContext, ApiObject, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { shortAccessModes } from "./access-modes.ts";
import { ClaimSpecSchema, claimSpecWarnings, defaultClaimSpec, validateClaimSpec } from "./claim-spec.ts";
import { ClaimStatusSchema, validateClaimStatus } from "./claim-status.ts";
import { type Claim, classAnnotation, validateClaimChange } from "./claim-update.ts";
import { prepareDataSources } from "./data-sources.ts";
import { roundResources } from "../../rules/quantities.ts";

function defaults(object: ApiObject): void {
  const { spec, status } = object as Claim;
  defaultClaimSpec(spec);
  if (!status) return;
  roundResources(status.capacity);
  roundResources(status.allocatedResources);
}

function prepareSpec(object: ApiObject, old: ApiObject | undefined, ctx: WriteContext): void {
  const { spec } = object as Claim;
  const stored = (old as Claim | undefined)?.spec;
  dropGated(spec, stored, "volumeAttributesClassName", "VolumeAttributesClass", "spec", ctx);
  prepareDataSources(spec, stored, ctx);
}

function prepareStatus(object: ApiObject, old: ApiObject, ctx: WriteContext): void {
  object["spec"] = old["spec"];
  const { status } = object as Claim;
  const stored = (old as Claim).status;
  for (const member of ["currentVolumeAttributesClassName", "modifyVolumeStatus"]) {
    dropGated(status, stored, member, "VolumeAttributesClass", "status", ctx);
  }
}

function validateUpdate(object: ApiObject, old: ApiObject, errors: FieldErrors, ctx: WriteContext): void {
  const claim = object as Claim;
  const stored = old as Claim;
  validateClaimSpec(claim.spec, "spec", errors, ctx, stored.spec);
  validateClaimChange(claim, stored, errors, ctx);
}

function warnings(object: ApiObject, _old: ApiObject | undefined, ctx: WriteContext): readonly string[] {
  const annotation = classAnnotation(ctx);
  const old = object.metadata.annotations?.[annotation] === undefined ? [] : [annotation];
  return [
    ...old.map((key) => `metadata.annotations[${key}]: deprecated, use spec.storageClassName`),
    ...claimSpecWarnings((object as Claim).spec, "spec"),
  ];
}

const columnsOf = (ctx: ApiContext): readonly Column[] => {
  const claim = (object: ApiObject): Claim => object as Claim;
  const bound = (object: ApiObject): boolean => Boolean(claim(object).spec.volumeName);
  return [
    textColumn("Status", "Phase of the claim.", (object) =>
      object.metadata.deletionTimestamp ? "Terminating" : (claim(object).status?.phase ?? ""),
    ),
    textColumn("Volume", "The volume that the claim is bound to.", (object) => claim(object).spec.volumeName ?? ""),
    textColumn("Capacity", "Size of the volume.", (object) =>
      bound(object) ? (claim(object).status?.capacity?.["storage"] ?? "0") : "",
    ),
    textColumn("Access Modes", "How the volume can be mounted.", (object) =>
      bound(object) ? shortAccessModes(claim(object).status?.accessModes) : "",
    ),
    textColumn(
      "StorageClass",
      "The class of the claim.",
      (object) => object.metadata.annotations?.[classAnnotation(ctx)] ?? claim(object).spec.storageClassName ?? "",
    ),
    textColumn(
      "VolumeAttributesClass",
      "The VolumeAttributesClass of the claim.",
      (object) => claim(object).spec.volumeAttributesClassName ?? "<unset>",
    ),
    ageColumn,
    textColumn("VolumeMode", "Block or Filesystem.", (object) => claim(object).spec.volumeMode ?? "<unset>", true),
  ];
};

/** The definition of PersistentVolumeClaim. */
export const persistentVolumeClaim = (ctx: ApiContext): ResourceDefinition => ({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  singular: "persistentvolumeclaim",
  shortNames: ["pvc"],
  scope: "Namespaced",
  description: "A user's request for and claim to a persistent volume.",
  schema: objectSchema("A user's request for and claim to a persistent volume.", {
    spec: always(ClaimSpecSchema),
    status: always(ClaimStatusSchema),
  }),
  deleteAnswers: "object",
  resetFields: ["status"],
  defaults,
  prepareForCreate(object, write) {
    object["status"] = { phase: "Pending" };
    prepareSpec(object, undefined, write);
  },
  validate: (object, errors, write) => validateClaimSpec((object as Claim).spec, "spec", errors, write),
  prepareForUpdate(object, old, write) {
    object["status"] = old["status"];
    prepareSpec(object, old, write);
  },
  validateUpdate,
  warnings,
  subresources: {
    status: {
      verbs: ["get", "patch", "update"],
      resetFields: ["spec"],
      prepareForUpdate: prepareStatus,
      validateUpdate: (object, _old, errors, write) => validateClaimStatus((object as Claim).status, errors, write),
    },
  },
  columns: columnsOf(ctx),
});
