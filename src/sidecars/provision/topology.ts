/**
 * The topologies in which a new volume has to be accessible, and the preferred ones (SC-3, SC-4, SC-20, SC-21).
 *
 * A topology is a value for each of some keys. The CSINode has the keys of a driver, and the labels of the node have the
 * values.
 *
 * @module
 */
import type { CSINode, Node, PersistentVolume, StorageClass } from "../../client/kinds/index.ts";
import { fnv1 } from "../../util/fnv.ts";
import type { Texts, Topology, TopologyRequirement } from "../contract.ts";

/** What a requirement follows from. */
export interface TopologyInput {
  readonly driver: string;
  /** The name of the claim: claims of a StatefulSet are spread over topologies by their numbers. */
  readonly claim: string;
  readonly allowed: StorageClass["allowedTopologies"];
  /** The choice of the scheduler. */
  readonly selectedNode: string | undefined;
  /** Whether the driver gets only the topology of the selected node. */
  readonly isStrict: boolean;
  /** Whether a driver gets all topologies for a claim without a node and without restrictions. */
  readonly hasImmediate: boolean;
  readonly nodes: readonly Node[];
  readonly csiNodes: readonly CSINode[];
}

/** The error where no topology fits. */
export class TopologyError extends Error {
  override readonly name = "TopologyError";
  /** Whether another selected node may fit. */
  readonly isOfNode: boolean;

  constructor(message: string, isOfNode = false) {
    super(message);
    this.isOfNode = isOfNode;
  }
}

/** The topologies for a request; undefined where the driver gets none. @throws TopologyError */
export function requirementFor(input: TopologyInput): TopologyRequirement | undefined {
  const { selectedNode, isStrict, allowed = [], hasImmediate } = input;
  const own = selectedNode === undefined ? undefined : topologyOfNode(input, selectedNode);
  const permitted = allowed.length > 0 ? allowedTopologies(allowed) : undefined;
  const notAllowed = (): TopologyError =>
    new TopologyError(
      `selected node ${JSON.stringify(selectedNode)} topology ${JSON.stringify(own?.segments)} is not in allowed topologies`,
      true,
    );
  if (own && isStrict) {
    if (permitted?.some((topology) => isWithin(own.segments, topology)) === false) throw notAllowed();
    return requirementOf([own.segments], [own.segments]);
  }
  if (!permitted && !own && !hasImmediate) return undefined;
  const all = sorted(permitted ?? everyTopology(input, own?.keys));
  if (all.length === 0) throw new TopologyError(`no available topology found: ${whyNone(permitted)}`);
  const first = own ? all.findIndex((topology) => isWithin(own.segments, topology)) : spreadOf(input.claim, all);
  if (first < 0) throw notAllowed();
  return requirementOf(all, [...all.slice(first), ...all.slice(0, first)]);
}

const whyNone = (permitted: readonly Texts[] | undefined): string =>
  permitted ? "the terms of the class are empty" : "the driver is not registered on any node with topology keys";

const requirementOf = (requisite: readonly Texts[], preferred: readonly Texts[]): TopologyRequirement => ({
  requisite: requisite.map((segments) => ({ segments })),
  preferred: preferred.map((segments) => ({ segments })),
});

function topologyOfNode({ csiNodes, nodes, driver }: TopologyInput, name: string): { segments: Texts; keys: string[] } {
  const csiNode = csiNodes.find(({ metadata }) => metadata.name === name);
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (!csiNode || !node) throw new TopologyError(`expected node ${name} and its CSINode to exist`, true);
  const keys = topologyKeys(csiNode, driver);
  if (keys.length === 0) throw new TopologyError(`no topology key found on CSINode ${name}`);
  const segments = segmentsOf(node, keys);
  if (segments) return { segments, keys };
  throw new TopologyError(`expected node ${name} to have the labels ${keys.join(", ")}`);
}

/** The topology keys of a driver, as its CSINode entry on a node has them. */
export const topologyKeys = (csiNode: CSINode, driver: string): string[] => [
  ...(csiNode.spec.drivers.find(({ name }) => name === driver)?.topologyKeys ?? []),
];

/** The segments of a node; undefined where a label is missing. */
export function segmentsOf({ metadata: { labels = {} } }: Node, keys: readonly string[]): Texts | undefined {
  const entries = keys.map((key) => [key, labels[key]] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as Texts);
}

/** The topologies of all nodes, by the keys of the selected node, or of the first that has some. */
function everyTopology({ csiNodes, nodes, driver }: TopologyInput, known: readonly string[] | undefined): Texts[] {
  const named = csiNodes.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const keys = known ?? named.map((one) => topologyKeys(one, driver)).find((some) => some.length > 0) ?? [];
  if (keys.length === 0) return [];
  return nodes.map((node) => segmentsOf(node, keys)).filter((segments) => segments !== undefined);
}

/** A few keys of a class with a few values each could make millions. */
const MAX_TOPOLOGIES = 10_000;

/**
 * The topologies that terms allow: terms are alternatives, and so are the values of a key. @throws TopologyError for too
 * many
 */
export function allowedTopologies(terms: NonNullable<StorageClass["allowedTopologies"]>): Texts[] {
  const count = terms.reduce((sum, term) => sum + countOf(term), 0);
  if (count > MAX_TOPOLOGIES) {
    throw new TopologyError(`expected at most ${MAX_TOPOLOGIES} topologies that the class allows, got ${count}`);
  }
  return terms.flatMap(({ matchLabelExpressions: keys = [] }) => {
    if (keys.length === 0) return [];
    return keys.reduce<Texts[]>(
      (all, { key, values }) => values.flatMap((value) => all.map((one) => ({ ...one, [key]: value }))),
      [{}],
    );
  });
}

const countOf = ({
  matchLabelExpressions: keys = [],
}: NonNullable<StorageClass["allowedTopologies"]>[number]): number =>
  keys.reduce((product, { values }) => product * values.length, 1);

/** Whether a topology has all segments of another one. */
const isWithin = (segments: Texts, other: Texts): boolean =>
  Object.entries(other).every(([key, value]) => segments[key] === value);

/** Segments as text, the same for equal ones. */
export const segmentsText = (segments: Texts): string =>
  JSON.stringify(Object.entries(segments).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Each topology once, always in the same order. */
function sorted(all: readonly Texts[]): Texts[] {
  const byText = new Map(all.map((segments) => [segmentsText(segments), segments]));
  const sizeOf = (segments: Texts): number => Object.keys(segments).length;
  const entries = [...byText].toSorted(([a, one], [b, two]) => sizeOf(one) - sizeOf(two) || (a < b ? -1 : 1));
  return entries.map(([, segments]) => segments);
}

/** `CLAIM-SET-NUMBER`: claims of one set begin at the same topology, each one further. */
const NUMBERED = /^(?:.*-)?([^-]*)-(\d{1,9})$/;

function spreadOf(claim: string, all: readonly Texts[]): number {
  const [, set, number] = NUMBERED.exec(claim) ?? [];
  const start = fnv1(new TextEncoder().encode(set ?? claim)) + Number(number ?? 0);
  return start % all.length;
}

/** The node affinity for the topologies of a created volume; undefined where there are none. */
export function affinityOf(topologies: readonly Topology[]): PersistentVolume["spec"]["nodeAffinity"] {
  const terms = topologies.map(({ segments }) => Object.entries(segments)).filter((entries) => entries.length > 0);
  if (terms.length === 0) return undefined;
  return {
    required: {
      nodeSelectorTerms: terms.map((entries) => ({
        matchExpressions: entries
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, value]) => ({ key, operator: "In", values: [value] })),
      })),
    },
  };
}
