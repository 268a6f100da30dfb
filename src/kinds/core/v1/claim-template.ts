/**
 * Templates of claims, as a StatefulSet has them: complete claims; each Pod gets claims of its own (KIND-StatefulSet-3,
 * KIND-StatefulSet-4).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { embeddedSchema } from "../../../schema/object-schema.ts";
import { ClaimSpecSchema, claimSpecWarnings, defaultClaimSpec, validateClaimSpec } from "./claim-spec.ts";
import { ClaimStatusSchema } from "./claim-status.ts";
import type { Claim } from "./claim-update.ts";
import type { PodVolume } from "./pod/spec-schema.ts";

/** A claim in a template; any member may be missing. */
export type ClaimTemplate = Partial<Claim>;

/** The rules and defaults of templates of claims. */
export const ClaimTemplates = {
  schema: embeddedSchema("A claim that each Pod has of its own; its name is that of a volume.", {
    spec: t.always(ClaimSpecSchema),
    status: t.always(ClaimStatusSchema),
  }),

  /** Sets the kind, and the defaults of a claim; changes `claim`. */
  setDefaults(claim: ClaimTemplate): void {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    if (claim.spec) defaultClaimSpec(claim.spec);
    claim.status ??= {};
    claim.status.phase ||= "Pending";
  },

  /** All faults of templates, except those of their names, which are names of volumes. */
  validate(claims: readonly ClaimTemplate[], at: string, errors: FieldErrors, ctx: ApiContext): void {
    claims.forEach(({ spec }, i) => {
      if (spec) validateClaimSpec(spec, `${at}[${i}].spec`, errors, ctx);
    });
  },

  /** The volumes for the claims of templates, by name; the later one of two with one name counts. */
  volumes(claims: readonly ClaimTemplate[]): ReadonlyMap<string, PodVolume> {
    const named = claims.map(({ metadata }) => metadata?.name ?? "");
    return new Map(
      named.map((name) => [name, { name, persistentVolumeClaim: { claimName: name } } as unknown as PodVolume]),
    );
  },

  /** Accepted values without the effect that they seem to have. */
  warnings: ({ spec }: ClaimTemplate, at: string): readonly string[] =>
    spec ? claimSpecWarnings(spec, `${at}.spec`) : [],
} as const;
