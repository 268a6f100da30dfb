/**
 * The rules of a Pod's resource claims (KIND-PodSpec-8).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../../../meta/names.ts";
import type { PodSpec } from "./spec-schema.ts";

type PodClaims = NonNullable<PodSpec["resourceClaims"]>;

const SOURCES = ["resourceClaimName", "resourceClaimTemplateName"] as const;

/** The names by which containers refer to the claims. */
export const claimNames = (claims: PodClaims | undefined): ReadonlySet<string> =>
  claims ? new Set(claims.map(({ name }) => name).filter((name) => name !== "")) : NONE;

const NONE: ReadonlySet<string> = new Set();

/** A unique name, and either a claim or a template of one. */
export function checkPodClaims(claims: PodClaims, errors: FieldErrors): void {
  const names = new Set<string>();
  claims.forEach((claim, i) => {
    const at = `spec.resourceClaims[${i}]`;
    checkName(claim.name, names, `${at}.name`, errors);
    const set = SOURCES.filter((member) => claim[member] !== undefined);
    if (set.length !== 1) errors.invalid(at, claim, `expected one of ${SOURCES.join(", ")}`);
    for (const member of set) {
      const wrong = dnsSubdomain(claim[member]!);
      if (wrong !== undefined) errors.invalid(`${at}.${member}`, claim[member], wrong);
    }
  });
}

function checkName(name: string, taken: Set<string>, field: string, errors: FieldErrors): void {
  if (!name) return errors.required(field);
  if (taken.has(name)) return errors.duplicate(field, name);
  taken.add(name);
  const wrong = dnsLabel(name);
  if (wrong !== undefined) errors.invalid(field, name, wrong);
}
