/**
 * The permitted changes of a Pod with scheduling gates: it may be restricted to fewer nodes (KIND-Pod-7).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { NodeSelectorTermValue } from "../../../rules/node-selector.ts";
import type { PodSpec } from "./spec-schema.ts";
import { same } from "../../../rules/same.ts";

const MUST = "requiredDuringSchedulingIgnoredDuringExecution";

/** Reports added nodes, and returns the spec without the members that a gated Pod may change. */
export function withoutDirections(spec: PodSpec, old: PodSpec, errors: FieldErrors): PodSpec {
  const kept = { ...spec };
  checkSelector(spec.nodeSelector ?? {}, old.nodeSelector ?? {}, errors);
  if (old.nodeSelector) kept.nodeSelector = old.nodeSelector;
  else delete kept.nodeSelector;
  checkTerms(termsOf(spec), termsOf(old), errors);
  const { nodeAffinity: now, ...others } = spec.affinity ?? {};
  const before = old.affinity?.nodeAffinity;
  if (same(now, before)) return kept;
  const affinity = { ...others, ...(before ? { nodeAffinity: before } : {}) };
  if (Object.keys(affinity).length > 0 || old.affinity) kept.affinity = affinity as NonNullable<PodSpec["affinity"]>;
  else delete kept.affinity;
  return kept;
}

type Labels = Readonly<Record<string, string>>;

function checkSelector(labels: Labels, before: Labels, errors: FieldErrors): void {
  const isNarrower = Object.entries(before).every(([key, value]) => labels[key] === value);
  if (!isNarrower) errors.invalid("spec.nodeSelector", labels, "expected what was there, and perhaps more");
}

const termsOf = ({ affinity }: PodSpec): readonly NodeSelectorTermValue[] =>
  affinity?.nodeAffinity?.[MUST]?.nodeSelectorTerms ?? [];

/** Terms are alternatives: none may be added or removed, and each may only get stricter. */
function checkTerms(
  terms: readonly NodeSelectorTermValue[],
  before: readonly NodeSelectorTermValue[],
  errors: FieldErrors,
): void {
  const field = `spec.affinity.nodeAffinity.${MUST}.nodeSelectorTerms`;
  if (before.length === 0) return;
  if (before.length !== terms.length) return errors.invalid(field, terms, "expected no term more or less");
  before.forEach((term, i) => {
    if (!beginsWith(terms[i]!, term))
      errors.invalid(`${field}[${i}]`, terms[i], "expected what was there, and perhaps more");
  });
}

const beginsWith = (term: NodeSelectorTermValue, before: NodeSelectorTermValue): boolean =>
  (["matchExpressions", "matchFields"] as const).every((member) => {
    const [now, had] = [term[member] ?? [], before[member] ?? []];
    return had.length <= now.length && had.every((one, i) => same(one, now[i]));
  });
