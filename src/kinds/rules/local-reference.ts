/**
 * References to an object of any kind, in the namespace of the referring object or in the cluster.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { dnsSubdomain, pathSegment } from "../../meta/names.ts";

/** A reference of an object before it is validated. */
export interface LocalReference {
  readonly apiGroup?: string | null;
  readonly kind?: string;
  readonly name?: string;
}

/** Reports the faults of a reference: kind and name are path segments, the group a DNS subdomain. */
export function validateLocalReference(reference: LocalReference, field: string, errors: FieldErrors): void {
  const { apiGroup, kind = "", name = "" } = reference;
  const wrongGroup = apiGroup == null ? undefined : dnsSubdomain(apiGroup);
  if (wrongGroup) errors.invalid(`${field}.apiGroup`, apiGroup, wrongGroup);
  for (const [member, value] of Object.entries({ kind, name })) {
    const wrong = value === "" ? undefined : pathSegment(value);
    if (value === "") errors.required(`${field}.${member}`);
    if (wrong) errors.invalid(`${field}.${member}`, value, wrong);
  }
}
