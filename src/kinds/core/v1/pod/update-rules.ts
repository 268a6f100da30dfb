/**
 * The permitted changes of a Pod: images, a shorter deadline, more tolerations, fewer gates; all else is immutable (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { TSchema } from "../../../../meta/types.ts";
import { sameMeaning } from "../../../../schema/same-meaning.ts";
import { canonicalJson } from "../../../../value/canonical.ts";
import type { Value } from "../../../../value/value.ts";
import type { ContainerValue } from "./container-schema.ts";
import { withoutDirections } from "./gated-rules.ts";
import type { PodSpec } from "./spec-schema.ts";
import { same } from "../../../rules/same.ts";

const MAX_SECONDS = 2 ** 31 - 1;

/**
 * All faults of a new spec, compared with the old one.
 *
 * @param schema that of both specs
 */
export function validatePodChange(schema: TSchema, spec: PodSpec, old: PodSpec, errors: FieldErrors): void {
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list] ?? []).length === (old[list] ?? []).length) continue;
    errors.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    return;
  }
  if (!checkDeadline(spec.activeDeadlineSeconds, old.activeDeadlineSeconds, errors)) return;
  checkTolerations(spec.tolerations ?? [], old.tolerations ?? [], errors);
  checkGates(spec.schedulingGates ?? [], old.schedulingGates ?? [], errors);
  const isGated = (old.schedulingGates ?? []).length > 0;
  const rest = isGated ? withoutDirections(spec, old, errors) : spec;
  if (sameMeaning(schema, frozen(rest, old), frozen(old, old))) return;
  errors.forbidden(
    "spec",
    "pod updates may not change fields other than images, activeDeadlineSeconds, tolerations, schedulingGates and a negative terminationGracePeriodSeconds",
  );
}

/** The spec without the members that may change. */
function frozen(spec: PodSpec, old: PodSpec): object {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  // A negative grace period was accepted once, and may be corrected to 1.
  const corrected = spec.terminationGracePeriodSeconds === 1 && (old.terminationGracePeriodSeconds ?? 0) < 0;
  return {
    ...rest,
    ...(corrected ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } : {}),
    containers: (spec.containers ?? []).map(withoutImage),
    initContainers: (spec.initContainers ?? []).map(withoutImage),
  };
}

const withoutImage = ({ image: _image, ...rest }: ContainerValue): object => rest;

/** A deadline may be set or decreased; returns whether it is a possible value. */
function checkDeadline(seconds: number | undefined, old: number | undefined, errors: FieldErrors): boolean {
  const field = "spec.activeDeadlineSeconds";
  if (seconds === undefined) {
    if (old !== undefined) errors.invalid(field, null, "it cannot be taken back");
    return true;
  }
  if (seconds < 0 || seconds > MAX_SECONDS) return false;
  if (old === undefined || seconds <= old) return true;
  errors.invalid(field, seconds, `expected at most ${old}, what it was`);
  return false;
}

type Tolerations = NonNullable<PodSpec["tolerations"]>;

/** Tolerations may be added, and the seconds of one may change. */
function checkTolerations(tolerations: Tolerations, old: Tolerations, errors: FieldErrors): void {
  if (same(tolerations, old)) return;
  const idOf = ({ tolerationSeconds: _seconds, ...rest }: Tolerations[number]): string => canonicalJson(rest as Value);
  const there = new Set(tolerations.map(idOf));
  if (old.every((before) => there.has(idOf(before)))) return;
  errors.forbidden("spec.tolerations", "tolerations can be added, but not changed or removed");
}

type Gates = NonNullable<PodSpec["schedulingGates"]>;

/** Gates may be removed, but not added. */
function checkGates(gates: Gates, old: Gates, errors: FieldErrors): void {
  const added = new Map(gates.map(({ name }, i) => [name, i]));
  for (const { name } of old) added.delete(name);
  for (const i of added.values()) {
    errors.forbidden(`spec.schedulingGates[${i}].name`, "scheduling gates can be removed, but not added");
  }
}
