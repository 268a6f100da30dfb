/**
 * Which Pods are meant by a term that says near which, or far from which, a Pod is to be.
 *
 * @module
 */
import type { Pod } from "../../client/kinds/index.ts";
import { type SelectorValue, selectorOf } from "../../meta/label-selector.ts";

type Affinity = NonNullable<Pod["spec"]["affinity"]>;

/** A term of a Pod's affinity to others. */
export type AffinityTerm = NonNullable<
  NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
>[number];

/** Near which Pods one must be. */
export const requiredAffinity = ({ spec }: Pod): readonly AffinityTerm[] =>
  spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Far from which Pods one must be. */
export const requiredAntiAffinity = ({ spec }: Pod): readonly AffinityTerm[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Whether a term names namespaces by their labels, which are not known here; all of them are fine. */
export const isOfUnknownNamespaces = ({ namespaceSelector }: AffinityTerm): boolean =>
  namespaceSelector !== undefined && !isEmpty(namespaceSelector);

/** Which Pods a term of a Pod means. */
export function podsMatching(term: AffinityTerm, owner: Pod): (pod: Pod) => boolean {
  const { labelSelector, namespaces = [], namespaceSelector, matchLabelKeys, mismatchLabelKeys } = term;
  const home = namespaces.length > 0 || namespaceSelector ? namespaces : [owner.metadata.namespace ?? ""];
  const isEverywhere = namespaceSelector !== undefined && isEmpty(namespaceSelector);
  const matches = selects(labelSelector, owner, matchLabelKeys, mismatchLabelKeys);
  return (pod) => (isEverywhere || home.includes(pod.metadata.namespace ?? "")) && matches(pod);
}

/** Pods whose labels a selector matches, and some keys of which have, or have not, the values that those of another have. */
export function selects(
  selector: SelectorValue | undefined,
  owner: Pod,
  same: readonly string[] = [],
  different: readonly string[] = [],
): (pod: Pod) => boolean {
  if (!selector) return () => false;
  const matches = selectorOf(selector);
  const own = owner.metadata.labels ?? {};
  const alike = same.filter((key) => own[key] !== undefined);
  const unlike = different.filter((key) => own[key] !== undefined);
  return ({ metadata: { labels = {} } }) =>
    matches.matches(labels) &&
    alike.every((key) => labels[key] === own[key]) &&
    unlike.every((key) => labels[key] !== own[key]);
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: SelectorValue): boolean =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;
