/**
 * PersistentVolumeClaimSpec: the request of a claim, in a claim and in the template of an ephemeral volume (doc 3
 * "PersistentVolumeClaim", PVC-2..29, DEC-7, DEC-8, DEC-43).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../../meta/names.ts";
import * as t from "../../../meta/types.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { LabelSelector, validateLabelSelector } from "../../../schema/validation/label-selector.ts";
import { VOLUME_MODES, checkAccessModes } from "./access-modes.ts";
import { checkPositive, fractionWarning, roundResources } from "../../rules/quantities.ts";

const VolumeResourceRequirements = t.struct("The size of the volume.", {
  limits: t.optional(t.map(t.quantity(), "The maximum of the volume; only `storage` has a meaning.")),
  requests: t.optional(t.map(t.quantity(), "The minimum of the volume; only `storage` has a meaning.")),
});

const referenceMembers = {
  apiGroup: t.nullable(t.text("Group of the object; unset for the core group, required for kinds of others.")),
  kind: t.required(t.text("Kind of the object.")),
  name: t.required(t.text("Name of the object.")),
};

const TypedLocalObjectReference = t.struct("An object of the claim's namespace.", referenceMembers, { atomic: true });

const TypedObjectReference = t.struct("An object, possibly of another namespace.", {
  ...referenceMembers,
  namespace: t.pointer(
    t.text("Namespace of the object, which must grant the reference; that of the claim when unset."),
  ),
});

/** The schema of a claim's spec. */
export const ClaimSpecSchema = t.struct("The request of the claim.", {
  accessModes: t.optional(
    t.atomicList(t.text(), "The access modes of the volume: `ReadWriteOnce`, `ReadOnlyMany` ..."),
  ),
  selector: t.pointer(LabelSelector),
  resources: t.always(VolumeResourceRequirements),
  volumeName: t.optional(t.text("The volume that the claim is bound to.")),
  storageClassName: t.pointer(t.text("The requested class; empty for none, unset for the default class.")),
  volumeMode: t.pointer(t.text("`Filesystem`, or `Block` for a raw device.", { default: "Filesystem" })),
  dataSource: t.pointer(TypedLocalObjectReference),
  dataSourceRef: t.pointer(TypedObjectReference),
  volumeAttributesClassName: t.pointer(
    t.text("The VolumeAttributesClass that the driver applies; it may change later. Empty or unset for none."),
  ),
});

/** The spec of a claim. */
export type ClaimSpec = t.Static<typeof ClaimSpecSchema>;

type Reference = NonNullable<ClaimSpec["dataSource"]>;
type NamespacedReference = NonNullable<ClaimSpec["dataSourceRef"]>;

/** Sets the defaults that are not in the schema. */
export function defaultClaimSpec(spec: ClaimSpec): void {
  roundResources(spec.resources?.requests);
  roundResources(spec.resources?.limits);
}

/** Whether a dataSourceRef names a namespace (PVC-21, PVC-25). */
export const hasNamespace = (ref: NamespacedReference | undefined): boolean => Boolean(ref?.namespace);

/** All faults of a claim's spec at `at`; `stored` is the spec that it replaces. */
export function validateClaimSpec(
  spec: ClaimSpec,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
  stored?: ClaimSpec,
): void {
  const modes = spec.accessModes ?? [];
  const demanding = ctx.dialect.rules.requireUndocumented;
  if (demanding && modes.length === 0) errors.required(`${at}.accessModes`, "expected at least one access mode");
  checkAccessModes(`${at}.accessModes`, modes, errors);
  if (spec.selector) validateLabelSelector(spec.selector, `${at}.selector`, errors);
  // Kubernetes leaves `requests` out of the name of this field.
  const size = ctx.dialect.rules.recordedCauseNames ? `${at}.resources[storage]` : `${at}.resources.requests[storage]`;
  const storage = spec.resources?.requests?.["storage"];
  if (storage !== undefined) checkPositive(size, storage, errors);
  else if (demanding) errors.required(size);
  checkClassName(`${at}.storageClassName`, spec.storageClassName, errors);
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode)) {
    errors.notSupported(`${at}.volumeMode`, spec.volumeMode, VOLUME_MODES);
  }
  // An empty group counts as set.
  const said = stored?.dataSource?.apiGroup ?? stored?.dataSourceRef?.apiGroup ?? undefined;
  validateDataSources(spec, at, errors, said !== undefined);
  checkClassName(`${at}.volumeAttributesClassName`, spec.volumeAttributesClassName, errors);
}

/** The name of a class is empty or a DNS subdomain. */
export function checkClassName(field: string, name: string | null | undefined, errors: FieldErrors): void {
  const wrong = name ? dnsSubdomain(name) : undefined;
  if (wrong !== undefined) errors.invalid(field, name, wrong);
}

/** Each reference alone, and both together (PVC-18..20, PVC-24, PVC-25, PVC-27). */
function validateDataSources(spec: ClaimSpec, at: string, errors: FieldErrors, anyGroup: boolean): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource) validateReference(dataSource, `${at}.dataSource`, errors, anyGroup);
  if (dataSourceRef) {
    validateReference(dataSourceRef, `${at}.dataSourceRef`, errors, anyGroup);
    const { namespace } = dataSourceRef;
    const wrong = namespace ? dnsLabel(namespace) : undefined;
    if (wrong !== undefined) errors.invalid(`${at}.dataSourceRef.namespace`, namespace, wrong);
  }
  if (!dataSource || !dataSourceRef) return;
  if (hasNamespace(dataSourceRef)) {
    errors.invalid(at, dataSource, "expected no dataSource together with a dataSourceRef with a namespace");
  } else if (!sameReference(dataSource, dataSourceRef)) {
    errors.invalid(at, dataSource, "expected dataSource to be the same as dataSourceRef");
  }
}

/** A claim of the core group, or any kind of another group. */
function validateReference(ref: Reference, at: string, errors: FieldErrors, anyGroup: boolean): void {
  if (!ref.name) errors.required(`${at}.name`);
  if (!ref.kind) errors.required(`${at}.kind`);
  const group = ref.apiGroup ?? "";
  if (group === "") {
    if (ref.kind !== "PersistentVolumeClaim") {
      errors.invalid(at, ref.kind ?? "", "expected the kind PersistentVolumeClaim where apiGroup is the core group");
    }
    return;
  }
  const wrong = anyGroup ? undefined : dnsSubdomain(group);
  if (wrong !== undefined) errors.invalid(`${at}.apiGroup`, group, wrong);
}

/** Whether both name the same object; an empty group differs from an unset one. */
const sameReference = (a: Reference, b: Reference): boolean =>
  (a.apiGroup ?? null) === (b.apiGroup ?? null) && a.kind === b.kind && a.name === b.name;

/** The Warnings about a claim's spec: fractions of bytes (DEC-8). */
export function claimSpecWarnings(spec: ClaimSpec, at: string): readonly string[] {
  const warnings = (["requests", "limits"] as const).map((which) =>
    fractionWarning(`${at}.resources.${which}[storage]`, spec.resources?.[which]?.["storage"]),
  );
  return warnings.filter((warning) => warning !== undefined);
}
