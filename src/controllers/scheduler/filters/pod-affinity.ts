import type { Pod } from "../../../client/kinds/index.ts";
import { type Demand, type Needs, CAPACITY_ACTOR } from "../filter.ts";
import type { NodeView } from "../node-state.ts";
import { type AffinityTerm, podsMatching, requiredAntiAffinity, requiredAffinity } from "../pod-terms.ts";
import { topics } from "../topics.ts";
import type { PlacedPod, View } from "../view.ts";

const AFFINITY = ["node(s) didn't match pod affinity rules"];
const ANTI_AFFINITY = ["node(s) didn't match pod anti-affinity rules"];
const EXISTING_ANTI_AFFINITY = ["node(s) didn't satisfy existing pods' anti-affinity rules"];

/** A topology domain: the nodes with one of these values of a label. */
interface Domain {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

/** A node must meet the required Pod affinity and anti-affinity, and the anti-affinity of existing Pods. */
export function podAffinity({ info }: Needs, view: View): Demand | undefined {
  const { pod, uid } = info;
  const [near, far] = [requiredAffinity(pod), requiredAntiAffinity(pod)];
  const withAntiAffinity = view.withAntiAffinity.filter((one) => one.info.uid !== uid);
  if (near.length + far.length + withAntiAffinity.length === 0) return undefined;
  const others = near.length + far.length > 0 ? view.placed.filter((one) => one.info.uid !== uid) : [];
  const nearDomains = near.map((term) => domainOf(term, pod, others, view));
  // The first Pod of a group with affinity to itself may start anywhere.
  const isFirst =
    nearDomains.every(({ values }) => values.size === 0) && near.every((term) => podsMatching(term, pod)(pod));
  const farDomains = far.map((term) => domainOf(term, pod, others, view));
  const closed = withAntiAffinity.flatMap((one) => closedDomains(one, pod, view));
  return {
    on(node) {
      if (
        !nearDomains.every((domain) => (isFirst ? labelOf(node, domain.key) !== undefined : isInDomain(node, domain)))
      )
        return AFFINITY;
      if (farDomains.some((domain) => isInDomain(node, domain))) return ANTI_AFFINITY;
      return closed.some((domain) => isInDomain(node, domain)) ? EXISTING_ANTI_AFFINITY : undefined;
    },
    waitsFor: [topics.nodes, topics.podAdded, topics.podDeleted],
    who: CAPACITY_ACTOR,
  };
}

const labelOf = ({ node }: NodeView, key: string): string | undefined => node.metadata.labels?.[key];

function isInDomain(node: NodeView, { key, values }: Domain): boolean {
  const value = labelOf(node, key);
  return value !== undefined && values.has(value);
}

/** The domain of the Pods that match a term. */
function domainOf(term: AffinityTerm, owner: Pod, placed: readonly PlacedPod[], view: View): Domain {
  const isMatch = podsMatching(term, owner);
  const there = placed.filter(({ info }) => isMatch(info.pod));
  const values = there.flatMap(({ node }) => domainValueOf(node, term.topologyKey, view));
  return { key: term.topologyKey, values: new Set(values) };
}

/** The domains from which the anti-affinity of an existing Pod excludes another Pod. */
const closedDomains = ({ info, node }: PlacedPod, pod: Pod, view: View): readonly Domain[] =>
  requiredAntiAffinity(info.pod)
    .filter((term) => podsMatching(term, info.pod)(pod))
    .map(({ topologyKey: key }) => ({ key, values: new Set(domainValueOf(node, key, view)) }));

function domainValueOf(name: string, key: string, view: View): readonly string[] {
  const node = view.node(name);
  const value = node && labelOf(node, key);
  return value === undefined ? [] : [value];
}
