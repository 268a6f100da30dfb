/**
 * Templates of claims, as a StatefulSet has them: whole claims, of which each Pod gets its own (KIND-StatefulSet-3,
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

/** A claim that stands in a template; nothing is sure to be there. */
export type ClaimTemplate = Partial<Claim>;

/** What holds for templates of claims. */
export const ClaimTemplates = {
  schema: embeddedSchema("A claim that each Pod has of its own; its name is that of a volume.", {
    spec: t.always(ClaimSpecSchema),
    status: t.always(ClaimStatusSchema),
  }),

  /** Says what it is, and what a claim has by default; changes `claim`. */
  setDefaults(claim: ClaimTemplate): void {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    if (claim.spec) defaultClaimSpec(claim.spec);
    claim.status ??= {};
    claim.status.phase ||= "Pending";
  },

  /** Everything that is wrong with templates, but for their names, which are those of volumes. */
  validate(claims: readonly ClaimTemplate[], at: string, errors: FieldErrors, ctx: ApiContext): void {
    claims.forEach(({ spec }, i) => {
      if (spec) validateClaimSpec(spec, `${at}[${i}].spec`, errors, ctx);
    });
  },

  /** The volumes that claims of templates are, by name; the later one of two with one name counts. */
  volumes(claims: readonly ClaimTemplate[]): ReadonlyMap<string, PodVolume> {
    const named = claims.map(({ metadata }) => metadata?.name ?? "");
    return new Map(
      named.map((name) => [name, { name, persistentVolumeClaim: { claimName: name } } as unknown as PodVolume]),
    );
  },

  /** What is taken and does not do what it seems to. */
  warnings: ({ spec }: ClaimTemplate, at: string): readonly string[] =>
    spec ? claimSpecWarnings(spec, `${at}.spec`) : [],
} as const;
