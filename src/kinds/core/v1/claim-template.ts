/**
 * Templates of claims, as a StatefulSet has them: whole claims, of which each Pod gets its own (KIND-StatefulSet-3,
 * KIND-StatefulSet-4).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { always } from "../../../meta/types.ts";
import type { ApiContext } from "../../../schema/definition.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { ClaimSpecSchema, claimSpecWarnings, defaultClaimSpec, validateClaimSpec } from "./claim-spec.ts";
import { ClaimStatusSchema } from "./claim-status.ts";
import type { Claim } from "./claim-update.ts";
import type { PodVolume } from "./pod/spec-schema.ts";

/** A claim that stands in a template; nothing is sure to be there. */
export type ClaimTemplate = Partial<Claim>;

/** What holds for templates of claims. */
export const ClaimTemplates = {
  schema: objectSchema("A claim that each Pod has of its own; its name is that of a volume.", {
    spec: always(ClaimSpecSchema),
    status: always(ClaimStatusSchema),
  }),

  /** Says what it is, and what a claim has by default; changes `claim`. */
  setDefaults(claim: ClaimTemplate): void {
    claim.apiVersion ||= "v1";
    claim.kind ||= "PersistentVolumeClaim";
    if (claim.spec) defaultClaimSpec(claim.spec);
    claim.status ??= {};
    claim.status.phase ||= "Pending";
  },

  /** Everything that is wrong with templates; gives the volumes that they are. */
  validate(claims: readonly ClaimTemplate[], at: string, errors: FieldErrors, ctx: ApiContext): readonly PodVolume[] {
    const volumes = new Map<string, PodVolume>();
    claims.forEach(({ metadata, spec }, i) => {
      if (spec) validateClaimSpec(spec, `${at}[${i}].spec`, errors, ctx);
      const name = metadata?.name ?? "";
      // The later one of two with one name counts.
      volumes.set(name, { name, persistentVolumeClaim: { claimName: name } } as unknown as PodVolume);
    });
    return [...volumes.values()];
  },

  /** What is taken and does not do what it seems to. */
  warnings: ({ spec }: ClaimTemplate, at: string): readonly string[] =>
    spec ? claimSpecWarnings(spec, `${at}.spec`) : [],
} as const;
