/** The Pods that a term of Pod affinity or anti-affinity matches. */
import type { Pod } from "../../client/kinds/index.ts";
import { type SelectorValue, selectorOf } from "../../meta/label-selector.ts";

type Affinity = NonNullable<Pod["spec"]["affinity"]>;

/** A term of Pod affinity. */
export type AffinityTerm = NonNullable<
  NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
>[number];

/** Returns the required affinity terms of a Pod. */
export const requiredAffinity = ({ spec }: Pod): readonly AffinityTerm[] =>
  spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Returns the required anti-affinity terms of a Pod. */
export const requiredAntiAffinity = ({ spec }: Pod): readonly AffinityTerm[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Whether a term selects namespaces by labels, which are unknown here; an empty selector means all. */
export const isOfUnknownNamespaces = ({ namespaceSelector }: AffinityTerm): boolean =>
  namespaceSelector !== undefined && !isEmpty(namespaceSelector);

/** Returns a test for the Pods that a term matches. */
export function podsMatching(term: AffinityTerm, owner: Pod): (pod: Pod) => boolean {
  const { labelSelector, namespaces = [], namespaceSelector, matchLabelKeys, mismatchLabelKeys } = term;
  const home = namespaces.length > 0 || namespaceSelector ? namespaces : [owner.metadata.namespace ?? ""];
  const isEverywhere = namespaceSelector !== undefined && isEmpty(namespaceSelector);
  const matches = selects(labelSelector, owner, matchLabelKeys, mismatchLabelKeys);
  return (pod) => (isEverywhere || home.includes(pod.metadata.namespace ?? "")) && matches(pod);
}

/**
 * Returns a test for Pods that match a selector and have the same, or different, values of some labels as another Pod.
 */
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
