/**
 * The permitted changes of a volume: its size, its class and its claim, but not its source (PV-4, PV-19, DEC-39,
 * AMB-26).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import type { ApiContext, ApiObject } from "../../../schema/definition.ts";
import { oldNodeLabel } from "../../rules/node-labels.ts";
import type { NodeSelectorTermValue } from "../../rules/node-selector.ts";
import type { VolumeSpec } from "./persistent-volume-spec.ts";
import type { Source } from "./volumes/sources.ts";
import { same } from "../../rules/same.ts";

/** The schema of the status of a volume. */
export const VolumeStatus = t.struct("How far a volume is.", {
  phase: t.optional(
    t.text("`Pending`, `Available`, `Bound`, `Released` when its claim is gone, or `Failed`.", { default: "Pending" }),
  ),
  message: t.optional(t.text("Why the volume is in this state, for people.")),
  reason: t.optional(t.text("A short failure description for machines.")),
  lastPhaseTransitionTime: t.pointer(t.time("When the phase changed last.")),
});

/** A volume. */
export type Volume = ApiObject & { spec: VolumeSpec; status: t.Static<typeof VolumeStatus> };

/** All faults of a new state of a volume, compared with the old one. */
export function validateVolumeChange(
  volume: Volume,
  old: Volume,
  sources: readonly Source[],
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const { spec } = volume;
  const stored = old.spec;
  const { enforceUndocumented: strict, recordedCauseNames } = ctx.dialect.rules;
  const named = (field: string): string => (recordedCauseNames ? field : `spec.${field}`);
  // In the documents the source of a volume is immutable once a claim uses it, in Kubernetes from the start (DEC-39).
  if (strict || old.status?.phase === "Bound" || stored.claimRef !== undefined) {
    for (const { member } of sources) {
      if (same(comparable(spec[member], stored[member], member), stored[member])) continue;
      errors.forbidden(
        recordedCauseNames ? "spec.persistentvolumesource" : `spec.${member}`,
        "spec.persistentvolumesource is immutable after creation",
      );
      if (recordedCauseNames) break;
    }
    if (spec.volumeMode !== stored.volumeMode)
      errors.invalid(named("volumeMode"), spec.volumeMode, "field is immutable");
  }
  const frozen = stored.nodeAffinity !== undefined && !ctx.gates.MutablePVNodeAffinity;
  if (frozen && !sameAffinity(spec.nodeAffinity, stored.nodeAffinity, ctx)) {
    errors.invalid(named("nodeAffinity"), spec.nodeAffinity, "field is immutable once it is set");
  }
  const takenBack = stored.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined;
  if (strict && takenBack) {
    errors.forbidden("spec.volumeAttributesClassName", "it cannot be taken back once it is set");
  }
}

/** The source as it is compared for immutability: a controllerExpandSecretRef may be set where there was none. */
function comparable(source: unknown, stored: unknown, member: string): unknown {
  if (member !== "csi" || !source || !stored) return source;
  const before = (stored as Record<string, unknown>)["controllerExpandSecretRef"];
  const { controllerExpandSecretRef, ...rest } = source as Record<string, unknown>;
  return before === undefined && controllerExpandSecretRef !== undefined ? rest : source;
}

/** The same constraints, where old labels of nodes may be replaced by their newer names. */
function sameAffinity(
  affinity: VolumeSpec["nodeAffinity"],
  stored: VolumeSpec["nodeAffinity"],
  ctx: ApiContext,
): boolean {
  if (same(affinity, stored)) return true;
  const terms = affinity?.required?.nodeSelectorTerms;
  const before = stored?.required?.nodeSelectorTerms;
  if (!terms || !before || terms.length !== before.length) return false;
  return terms.every((term, i) => sameTerm(term, before[i]!, ctx));
}

function sameTerm(term: NodeSelectorTermValue, stored: NodeSelectorTermValue, ctx: ApiContext): boolean {
  const { matchExpressions: expressions = [], ...rest } = term;
  const { matchExpressions: before = [], ...storedRest } = stored;
  if (!same(rest, storedRest) || expressions.length !== before.length) return false;
  return expressions.every((expression, i) => {
    const old = before[i]!;
    return same(expression, old) || same(expression, { ...old, key: currentLabel(old.key, ctx) });
  });
}

/** The newer name of an old node label; the key itself when it is none. */
function currentLabel(key: string, ctx: ApiContext): string {
  if (oldNodeLabel(key, ctx.dialect) === undefined) return key;
  const domain = ctx.dialect.labelDomain;
  if (key.startsWith("failure-domain.beta.")) return key.replace("failure-domain.beta.", "topology.");
  return key === `beta.${domain}/instance-type` ? `node.${domain}/instance-type` : key.replace("beta.", "");
}
