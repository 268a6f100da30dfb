import { assert } from "../util/assert.ts";
import { guardOf } from "../schema/api-object.ts";
import type { ApiObject } from "../schema/definition.ts";
import { transitionTime } from "../meta/conditions.ts";
import { formatTime } from "../meta/time.ts";
import type { Kind, RegistryAccess } from "../registry/index.ts";
import type { Clock } from "../util/clock.ts";

/** Returns the kind of Pods, which every server serves. */
export function podKind({ kinds }: Pick<RegistryAccess, "kinds">): Kind {
  const kind = kinds.kind("", "v1", "pods");
  assert(kind, "Pods are served");
  return kind;
}

/** A condition of a Pod. */
interface Condition {
  type?: string;
  status?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  reason?: string;
  message?: string;
}

/** A Pod, as far as bindings and evictions need it. */
export interface Pod extends ApiObject {
  spec: { nodeName?: string; serviceAccountName?: string; schedulingGates?: readonly unknown[] };
  status?: { phase?: string; conditions?: Condition[]; nominatedNodeName?: string };
}

const isPod = guardOf<Pod>("Pod");

/** Returns a stored object of the resource of Pods. */
export function asPod(object: ApiObject): Pod {
  assert(isPod(object), "a stored object is of the kind of its resource");
  return object;
}

/** Whether a condition of a Pod is True. */
export const isTrue = ({ status }: Pod, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

/** Sets a condition of a Pod to True; one that is True already keeps its time. Changes `pod`. */
export function makeTrue(
  pod: Pod,
  condition: Pick<Condition, "reason" | "message"> & { readonly type: string },
  clock: Clock,
): void {
  const status = (pod.status ??= {});
  const conditions = (status.conditions ??= []);
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[at];
  const lastTransitionTime = transitionTime(before, "True", formatTime(clock.now()));
  const made = { ...condition, status: "True", lastProbeTime: null, lastTransitionTime };
  if (before) conditions[at] = made;
  else conditions.push(made);
}
