/**
 * Label keys whose values the selectors of a Pod take from the Pod itself (KIND-PodSpec-12, KIND-PodSpec-14, KIND-PodSpec-19).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { qualifiedName } from "../../../../meta/names.ts";
import type { LabelSelectorValue } from "../../../../schema/validation/label-selector.ts";
import type { Pod } from "./defaults.ts";
import type { PodSpec } from "./spec-schema.ts";

/** A member that selects Pods, with keys whose values must equal those of the Pod itself, or differ. */
export interface KeyedSelector {
  labelSelector?: LabelSelectorValue;
  matchLabelKeys?: readonly string[];
  mismatchLabelKeys?: readonly string[];
}

type Requirement = { key: string; operator: string; values: string[] };

/** Adds the requirements of the keys to the selectors of a new Pod; the keys are kept. Changes `pod`. */
export function applyLabelKeys({ metadata, spec }: Pod): void {
  const { labels = {} } = metadata;
  for (const selector of keyedSelectors(spec)) applyTo(selector, labels);
}

/** Every selector of a spec that may have such keys. */
function* keyedSelectors({ affinity, topologySpreadConstraints }: PodSpec): Generator<KeyedSelector> {
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    const terms = affinity?.[kind];
    for (const wish of terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
      yield wish.podAffinityTerm as KeyedSelector;
    }
    yield* (terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []) as KeyedSelector[];
  }
  yield* (topologySpreadConstraints ?? []) as KeyedSelector[];
}

/** Without a selector no Pod is selected, whatever the keys. */
function applyTo(term: KeyedSelector, labels: Readonly<Record<string, string>>): void {
  const { labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (!selector) return;
  const of = (keys: readonly string[], operator: string): Requirement[] =>
    keys.flatMap((key) => (Object.hasOwn(labels, key) ? [{ key, operator, values: [labels[key]!] }] : []));
  const added = [...of(matchLabelKeys, "In"), ...of(mismatchLabelKeys, "NotIn")];
  if (added.length === 0) return;
  term.labelSelector = { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}

/** Reports the faults of the keys of a selector at `at`. */
export function checkLabelKeys(term: KeyedSelector, at: string, errors: FieldErrors): void {
  const { labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (matchLabelKeys.length + mismatchLabelKeys.length === 0) return;
  for (const [member, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    checkKeys(keys, `${at}.${member}`, selector !== undefined, errors);
  }
  if (selector) checkAskedTwice(selector, matchLabelKeys, at, errors);
  const others = new Set(mismatchLabelKeys);
  matchLabelKeys.forEach((key, i) => {
    if (others.has(key))
      errors.invalid(`${at}.matchLabelKeys[${i}]`, key, "expected a key that is not in mismatchLabelKeys");
  });
}

function checkKeys(keys: readonly string[], field: string, isSelective: boolean, errors: FieldErrors): void {
  if (keys.length > 0 && !isSelective) return errors.forbidden(field, "expected none without a labelSelector");
  keys.forEach((key, i) => {
    const wrong = qualifiedName(key);
    if (wrong !== undefined) errors.invalid(`${field}[${i}]`, key, wrong);
  });
}

/** The requirement of a key is in the selector already: a second one of the same key is the client's. */
function checkAskedTwice(
  { matchLabels = {}, matchExpressions = [] }: LabelSelectorValue,
  keys: readonly string[],
  at: string,
  errors: FieldErrors,
): void {
  const asked = new Set(Object.keys(matchLabels));
  const places = new Map(keys.map((key, i) => [key, i]));
  for (const { key = "" } of matchExpressions) {
    if (asked.has(key) && places.has(key)) {
      // The path has the spelling that clients look for.
      errors.invalid(`${at}[${places.get(key)}]`, key, "expected a key that the labelSelector does not ask for");
    }
    asked.add(key);
  }
}
