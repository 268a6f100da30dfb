/** ReplicaSets and ReplicationControllers: both are the same except for their selectors. */
import type { Pod, ReplicaSet, ReplicationController } from "../../client/kinds/index.ts";
import { type SelectorValue, selectorOf } from "../../meta/label-selector.ts";

/** An object that keeps a number of Pods of its template. */
export type Replicated = ReplicaSet | ReplicationController;

/** Whether the labels of a Pod match the selector of its owner. An empty selector matches none. */
export function fitsReplicas(pod: Pod, object: Replicated): boolean {
  const selector = selectorOf(selectorValue(object));
  return selector.requirements.length > 0 && selector.matches(pod.metadata.labels);
}

const NOTHING: SelectorValue = {};
const ofMaps = new WeakMap<object, SelectorValue>();

/** Returns the selector of a ReplicaSet as it is, and the map of a ReplicationController as a selector. */
function selectorValue({ kind, spec: { selector } }: Replicated): SelectorValue {
  if (!selector) return NOTHING;
  if (kind === "ReplicaSet") return selector as SelectorValue;
  let value = ofMaps.get(selector);
  if (!value) ofMaps.set(selector, (value = { matchLabels: selector as Readonly<Record<string, string>> }));
  return value;
}

/** Returns the desired number of Pods. */
export const wantedBy = ({ spec }: Replicated): number => spec.replicas ?? 1;
