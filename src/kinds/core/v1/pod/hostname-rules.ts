import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsSubdomain } from "../../../../meta/names.ts";
import type { PodSpec } from "./spec-schema.ts";

const MAX_HOSTNAME_LENGTH = 64;

/** A host name override excludes other host names (KIND-PodSpec-17). */
export function checkHostname(spec: PodSpec, errors: FieldErrors): void {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  const field = "spec.hostnameOverride";
  for (const member of ["setHostnameAsFQDN", "hostNetwork"] as const) {
    if (spec[member]) errors.forbidden(field, `expected none together with ${member}`);
  }
  if (name.length > MAX_HOSTNAME_LENGTH) errors.tooLong(field, MAX_HOSTNAME_LENGTH);
  const wrong = dnsSubdomain(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
}
