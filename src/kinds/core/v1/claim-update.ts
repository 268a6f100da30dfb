/**
 * The permitted changes of a claim: few, and some of them once (PVC-3, PVC-4, PVC-14, PVC-17, DEC-39, AMB-23, AMB-25).
 * In Kubernetes the spec is immutable from the start, except the size and the VolumeAttributesClass of bound claims; in the documents the
 * members by which a bound claim was bound are immutable.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { compareQuantities } from "../../../meta/quantity.ts";
import type { ApiContext, ApiObject } from "../../../schema/definition.ts";
import type { ClaimSpec } from "./claim-spec.ts";
import type { ClaimStatus } from "./claim-status.ts";
import { type Resources, sameResources } from "../../rules/quantities.ts";
import { same } from "../../rules/same.ts";

/** A claim. */
export type Claim = ApiObject & { spec: ClaimSpec; status: ClaimStatus };

/** The members that a claim is bound by. */
const BINDING = ["accessModes", "selector", "volumeMode", "dataSource", "dataSourceRef"] as const;

/** All faults of a new state of a claim, compared with the old one. */
export function validateClaimChange(claim: Claim, old: Claim, errors: FieldErrors, ctx: ApiContext): void {
  if (ctx.dialect.rules.enforceUndocumented) validateFrozenSpec(claim, old, errors, ctx);
  else validateFrozenMembers(claim.spec, old, errors);
  validateSize(claim.spec, old, errors, ctx);
  validateAttributesClass(claim.spec, old, errors);
}

/** The documents: the class and the volume are set once, the members by which the claim was bound are immutable. */
function validateFrozenMembers(spec: ClaimSpec, old: Claim, errors: FieldErrors): void {
  const stored = old.spec;
  if (stored.storageClassName !== undefined && stored.storageClassName !== spec.storageClassName) {
    errors.forbidden("spec.storageClassName", "field is immutable once it is set");
  }
  if (stored.volumeName && stored.volumeName !== spec.volumeName) {
    errors.forbidden("spec.volumeName", "field is immutable once it is set");
  }
  if (old.status?.phase !== "Bound" && !stored.volumeName) return;
  for (const member of BINDING) {
    if (!same(spec[member], stored[member])) errors.forbidden(`spec.${member}`, "field is immutable on a bound claim");
  }
}

/** Kubernetes: only the changes that are listed here are permitted; its causes name the spec as a whole. */
function validateFrozenSpec(claim: Claim, old: Claim, errors: FieldErrors, ctx: ApiContext): void {
  const { spec } = claim;
  const stored = old.spec;
  const bound = old.status?.phase === "Bound";
  const frozen =
    BINDING.every((member) => same(spec[member], stored[member])) &&
    (!stored.volumeName || spec.volumeName === stored.volumeName) &&
    mayHaveClass(claim, old, errors, ctx) &&
    sameResources(spec.resources?.limits, stored.resources?.limits) &&
    sameRequests(spec.resources?.requests, stored.resources?.requests, bound) &&
    (bound || spec.volumeAttributesClassName === stored.volumeAttributesClassName);
  if (!frozen) {
    errors.forbidden(
      "spec",
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
    );
  }
  if (spec.volumeMode !== stored.volumeMode) errors.invalid("volumeMode", spec.volumeMode, "field is immutable");
}

/** The size of a bound claim may change, but not be removed. */
function sameRequests(requests: Resources | undefined, stored: Resources | undefined, bound: boolean): boolean {
  if (!bound || requests === undefined) return sameResources(requests, stored);
  const { storage: _size, ...rest } = requests;
  const { storage: _stored, ...storedRest } = stored ?? {};
  return sameResources(rest, storedRest);
}

/** The class may be set where there was none; an older annotation may become the member, and is immutable otherwise. */
function mayHaveClass(claim: Claim, old: Claim, errors: FieldErrors, ctx: ApiContext): boolean {
  const annotation = classAnnotation(ctx);
  const before = old.metadata.annotations?.[annotation];
  const after = claim.metadata.annotations?.[annotation];
  const { storageClassName } = claim.spec;
  const fresh = old.spec.storageClassName === undefined && storageClassName !== undefined;
  const upgraded = fresh && before !== undefined && storageClassName === before && (after ?? before) === before;
  if (!upgraded && before !== after) {
    errors.invalid(`metadata.annotations.${annotation}`, after ?? "", "field is immutable");
  }
  if (fresh) return before === undefined || storageClassName === before;
  return storageClassName === old.spec.storageClassName;
}

/** The annotation that named the class before there was a member. */
export const classAnnotation = (ctx: ApiContext): string => `volume.beta.${ctx.dialect.labelDomain}/storage-class`;

/** A size may decrease, but not to the size of the volume or below (PVC-4, AMB-25); an increase is always permitted. */
function validateSize(spec: ClaimSpec, old: Claim, errors: FieldErrors, ctx: ApiContext): void {
  const before = old.spec.resources?.requests?.["storage"] ?? "0";
  const after = spec.resources?.requests?.["storage"] ?? "0";
  if (compareQuantities(after, before) >= 0) return;
  const recorded = old.status?.capacity?.["storage"];
  if (recorded === undefined && !ctx.dialect.rules.enforceUndocumented) return;
  if (compareQuantities(after, recorded ?? "0") > 0) return;
  errors.forbidden(
    "spec.resources.requests.storage",
    `expected more than the capacity of the volume, ${recorded ?? "0"}`,
  );
}

/** A class may be unset only while none has been applied (PVC-17, AMB-23). */
function validateAttributesClass(spec: ClaimSpec, old: Claim, errors: FieldErrors): void {
  const field = "spec.volumeAttributesClassName";
  const { volumeAttributesClassName: after } = spec;
  if (after || after === old.spec.volumeAttributesClassName) return;
  if (!old.spec.volumeAttributesClassName || !old.status?.currentVolumeAttributesClassName) return;
  errors.forbidden(field, "expected the name of a class, as one has been applied to the volume");
}
