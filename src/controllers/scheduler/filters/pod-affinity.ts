import type { Pod } from "../../../client/kinds/index.ts";
import { type Demand, type Needs, ROOM } from "../filter.ts";
import type { NodeView } from "../node-state.ts";
import { type AffinityTerm, meantBy, mustBeFar, mustBeNear } from "../pod-terms.ts";
import { topics } from "../topics.ts";
import type { Placed, View } from "../view.ts";

const NEAR = ["node(s) didn't match pod affinity rules"];
const FAR = ["node(s) didn't match pod anti-affinity rules"];
const REPELLED = ["node(s) didn't satisfy existing pods' anti-affinity rules"];

/** A place is all nodes that have one value of a label. */
interface Places {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** Near which Pods one must be, far from which, and which Pods must be far from it. */
export function podAffinity({ guest }: Needs, view: View): Demand | undefined {
  const { pod, uid } = guest;
  const [near, far] = [mustBeNear(pod), mustBeFar(pod)];
  const repelling = view.repelling.filter((one) => one.guest.uid !== uid);
  if (near.length + far.length + repelling.length === 0) return undefined;
  const others = near.length + far.length > 0 ? view.placed.filter((one) => one.guest.uid !== uid) : [];
  const nearPlaces = near.map((term) => placesOf(term, pod, others, view));
  // The first of those that want to be together has nobody to be near to.
  const isFirst = nearPlaces.every(({ values }) => values.size === 0) && near.every((term) => meantBy(term, pod)(pod));
  const farPlaces = far.map((term) => placesOf(term, pod, others, view));
  const closed = repelling.flatMap((one) => repelledFrom(one, pod, view));
  return {
    on(node) {
      if (!nearPlaces.every((places) => (isFirst ? labelOf(node, places.key) !== undefined : isIn(node, places))))
        return NEAR;
      if (farPlaces.some((places) => isIn(node, places))) return FAR;
      return closed.some((places) => isIn(node, places)) ? REPELLED : undefined;
    },
    heeds: [topics.nodes, topics.podCame, topics.podGone],
    who: ROOM,
  };
}

const labelOf = ({ node }: NodeView, key: string): string | undefined => node.metadata.labels?.[key];

function isIn(node: NodeView, { key, values }: Places): boolean {
  const value = labelOf(node, key);
  return value !== undefined && values.has(value);
}

/** Where the Pods are that a term of a Pod means. */
function placesOf(term: AffinityTerm, owner: Pod, placed: readonly Placed[], view: View): Places {
  const isMeant = meantBy(term, owner);
  const there = placed.filter(({ guest }) => isMeant(guest.pod));
  const values = there.flatMap(({ node }) => placeOf(node, term.topologyKey, view));
  return { key: term.topologyKey, values: new Set(values) };
}

/** Where a Pod that is there does not want another one to be. */
const repelledFrom = ({ guest, node }: Placed, pod: Pod, view: View): readonly Places[] =>
  mustBeFar(guest.pod)
    .filter((term) => meantBy(term, guest.pod)(pod))
    .map(({ topologyKey: key }) => ({ key, values: new Set(placeOf(node, key, view)) }));

function placeOf(name: string, key: string, view: View): readonly string[] {
  const node = view.node(name);
  const value = node && labelOf(node, key);
  return value === undefined ? [] : [value];
}
