/**
 * PersistentVolume: a storage resource of the cluster, similar to a node (doc 3, PV-1..25, PVP-9, PVP-10).
 *
 * Its spec is in `persistent-volume-spec.ts` and `volumes/`, the permitted changes in `volume-update.ts`.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { formatTime } from "../../../meta/time.ts";
import * as t from "../../../meta/types.ts";
import { ageColumn, textColumn } from "../../../schema/columns.ts";
import { defineResource } from "../../../schema/define-resource.ts";
import type { ApiContext, Column, ResourceDefinition, WriteContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { dropGated } from "../../rules/gated-field.ts";
import { shortAccessModes } from "./access-modes.ts";
import { classAnnotation } from "./claim-update.ts";
import { termWarnings } from "../../rules/node-selector.ts";
import { persistentVolumeSpecSchema, validateVolumeSpec } from "./persistent-volume-spec.ts";
import { roundResources } from "../../rules/quantities.ts";
import { type Volume, VolumeStatus, validateVolumeChange } from "./volume-update.ts";
import { type Source, sourceWarnings, volumeSources } from "./volumes/sources.ts";
import { statusPath } from "../../rules/status.ts";

const PHASES = ["Available", "Bound", "Failed", "Pending", "Released"];

function defaults(object: Volume): void {
  const { spec } = object;
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  roundResources(spec.capacity);
}

const dropClass = (object: Volume, old: Volume | undefined, ctx: WriteContext): void =>
  dropGated(object.spec, old?.spec, "volumeAttributesClassName", "VolumeAttributesClass", "spec", ctx);

/**
 * The spec is kept, and every change of the phase gets its time (PV-22, PVP-10). Kubernetes accepts the time of a client; in the documents
 * the server sets it.
 */
function prepareStatus(object: Volume, old: Volume, ctx: WriteContext): void {
  object["spec"] = old["spec"];
  const { status } = object;
  const stored = old.status;
  const moved = status.phase !== stored?.phase;
  const before = stored?.lastPhaseTransitionTime;
  const sent = ctx.dialect.rules.enforceDocumented ? undefined : status.lastPhaseTransitionTime;
  if (sent && (!moved || sent !== before)) return;
  if (moved) status.lastPhaseTransitionTime = formatTime(ctx.clock.now());
  else if (before) status.lastPhaseTransitionTime = before;
  else delete status.lastPhaseTransitionTime;
}

function validateStatus(object: Volume, errors: FieldErrors, ctx: WriteContext): void {
  const { phase } = object.status;
  if (ctx.dialect.rules.enforceDocumented && phase && !PHASES.includes(phase)) {
    errors.notSupported("status.phase", phase, PHASES);
  }
}

function warningsOf(object: Volume, sources: readonly Source[], ctx: WriteContext): readonly string[] {
  const { metadata, spec } = object;
  const annotation = classAnnotation(ctx);
  const mountOptions = `volume.beta.${ctx.dialect.labelDomain}/mount-options`;
  const warnings: string[] = [];
  for (const [key, member] of [
    [annotation, "storageClassName"],
    [mountOptions, "mountOptions"],
  ] as const) {
    if (metadata.annotations?.[key] !== undefined) {
      warnings.push(`metadata.annotations[${key}]: deprecated, use spec.${member}`);
    }
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    warnings.push("spec.persistentVolumeReclaimPolicy: Recycle is deprecated, use dynamic provisioning");
  }
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  terms.forEach((term, i) => {
    warnings.push(...termWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`, ctx));
  });
  return [...warnings, ...sourceWarnings(sources, spec, "spec")];
}

const columnsOf = (ctx: ApiContext): readonly Column<Volume>[] => [
  textColumn("Capacity", "Size of the volume.", (object) => object.spec.capacity?.["storage"] ?? "0"),
  textColumn("Access Modes", "How the volume can be mounted.", (object) => shortAccessModes(object.spec.accessModes)),
  textColumn(
    "Reclaim Policy",
    "What happens after the claim is deleted.",
    (object) => object.spec.persistentVolumeReclaimPolicy ?? "",
  ),
  textColumn("Status", "Phase of the volume.", (object) =>
    object.metadata.deletionTimestamp ? "Terminating" : (object.status?.phase ?? ""),
  ),
  textColumn("Claim", "The claim that the volume is bound to.", (object) => {
    const ref = object.spec.claimRef;
    return ref ? `${ref.namespace ?? ""}/${ref.name ?? ""}` : "";
  }),
  textColumn(
    "StorageClass",
    "The class of the volume.",
    (object) => object.metadata.annotations?.[classAnnotation(ctx)] ?? object.spec.storageClassName ?? "",
  ),
  textColumn(
    "VolumeAttributesClass",
    "The VolumeAttributesClass of the volume.",
    (object) => object.spec.volumeAttributesClassName ?? "<unset>",
  ),
  textColumn("Reason", "Why the volume failed.", (object) => object.status?.reason ?? ""),
  ageColumn,
  textColumn("VolumeMode", "Block or Filesystem.", (object) => object.spec.volumeMode ?? "<unset>", true),
];

const schemaOf = (ctx: ApiContext) =>
  objectSchema("A storage resource of the cluster.", {
    spec: t.always(persistentVolumeSpecSchema(ctx)),
    status: t.always(VolumeStatus),
  });

/** The definition of PersistentVolume. */
export function persistentVolume(ctx: ApiContext): ResourceDefinition {
  const sources = volumeSources(ctx);
  const validate = (object: Volume, errors: FieldErrors, write: WriteContext): void =>
    validateVolumeSpec(object.spec, object.metadata.name ?? "", "spec", errors, write, sources);
  return defineResource(schemaOf(ctx), {
    group: "",
    version: "v1",
    kind: "PersistentVolume",
    plural: "persistentvolumes",
    shortNames: ["pv"],
    scope: "Cluster",
    description: "A storage resource provisioned by an administrator; it is a resource of the cluster like a node.",
    deleteReturns: "object",
    resetFields: ["status"],
    defaults,
    prepareForCreate(object, write) {
      object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(write.clock.now()) };
      dropClass(object, undefined, write);
    },
    validate,
    prepareForUpdate(object, old, write) {
      object["status"] = old["status"];
      dropClass(object, old, write);
    },
    validateUpdate(object, old, errors, write) {
      validate(object, errors, write);
      validateVolumeChange(object, old, sources, errors, write);
    },
    warnings: (object, _old, write) => warningsOf(object, sources, write),
    subresources: {
      status: statusPath({
        prepareForUpdate: prepareStatus,
        validateUpdate: (object, _old, errors, write) => validateStatus(object, errors, write),
      }),
    },
    columns: columnsOf(ctx),
  });
}
