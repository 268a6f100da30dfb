import type { Pod } from "../../../client/kinds/index.ts";
import { type Demand, type Needs, CAPACITY_ACTOR } from "../filter.ts";
import type { NodeView } from "../node-state.ts";
import { selects } from "../pod-terms.ts";
import { topics } from "../topics.ts";
import type { View } from "../view.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { taints } from "./taints.ts";
import { unschedulable } from "./unschedulable.ts";

const OBSTACLE = ["node(s) didn't match pod topology spread constraints"];

type Constraint = NonNullable<Pod["spec"]["topologySpreadConstraints"]>[number];

/** The Pods in each topology domain, and the maximum in one. */
interface Spread {
  readonly key: string;
  readonly max: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** A topology domain may have at most maxSkew more Pods than the one with the fewest. */
export function topologySpread(needs: Needs, view: View): Demand | undefined {
  const { topologySpreadConstraints: all = [] } = needs.info.pod.spec;
  const constraints = all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");
  if (constraints.length === 0) return undefined;
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const spreads = constraints.map((constraint) => spreadOf(constraint, keys, needs, view));
  return {
    on({ node }) {
      const isEven = spreads.every(({ key, max, counts }) => {
        const value = node.metadata.labels?.[key];
        return value !== undefined && (counts.get(value) ?? 0) <= max;
      });
      return isEven ? undefined : OBSTACLE;
    },
    waitsFor: [topics.nodes, topics.podAdded, topics.podDeleted],
    who: CAPACITY_ACTOR,
  };
}

function spreadOf(constraint: Constraint, keys: readonly string[], needs: Needs, view: View): Spread {
  const { topologyKey: key, maxSkew, minDomains = 1, labelSelector, matchLabelKeys } = constraint;
  const { pod, uid } = needs.info;
  const isMatch = selects(labelSelector, pod, matchLabelKeys);
  const counts = new Map<string, number>();
  const isDomain = domainTest(constraint, keys, needs, view);
  for (const node of view.nodes.filter(isDomain)) {
    const value = node.node.metadata.labels![key]!;
    const there = [...node.pods.values()].filter(
      (info) =>
        info.uid !== uid &&
        info.pod.metadata.deletionTimestamp === undefined &&
        info.pod.metadata.namespace === pod.metadata.namespace &&
        isMatch(info.pod),
    );
    counts.set(value, (counts.get(value) ?? 0) + there.length);
  }
  const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
  return { key, max: fewest + maxSkew - (isMatch(pod) ? 1 : 0), counts };
}

/** Returns whether a node is in a topology domain that counts. */
function domainTest(
  { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: Constraint,
  keys: readonly string[],
  needs: Needs,
  view: View,
): (node: NodeView) => boolean {
  const affinity = nodeAffinityPolicy === "Honor" ? [nodeAffinity(needs)] : [];
  const untainted = nodeTaintsPolicy === "Honor" ? [taints(needs), unschedulable(needs, view)] : [];
  const demands = [...affinity, ...untainted];
  return (node) => {
    const hasAll = keys.every((key) => node.node.metadata.labels?.[key] !== undefined);
    return hasAll && demands.every((demand) => !demand?.on?.(node));
  };
}
