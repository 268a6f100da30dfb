/**
 * Where a new volume has to be reachable from, and which places would be best (SC-3, SC-4, SC-20, SC-21).
 *
 * A place is a value for each of some keys. A driver says on each node by which keys it knows places; the labels of the node have the
 * values.
 *
 * @module
 */
import type { CSINode, Node, PersistentVolume, StorageClass } from "../../client/kinds/index.ts";
import type { Place, PlaceWish, Texts } from "../contract.ts";

/** What is asked. */
export interface PlaceQuestion {
  readonly driver: string;
  /** The name of the claim: claims of a set of Pods are spread over places by their numbers. */
  readonly claim: string;
  readonly allowed: StorageClass["allowedTopologies"];
  /** Chosen by a scheduler. */
  readonly selectedNode: string | undefined;
  /** Whether only the place of the selected node is told. */
  readonly isStrict: boolean;
  /** Whether a claim without a node and without restrictions is told of all places. */
  readonly tellsAll: boolean;
  readonly nodes: readonly Node[];
  readonly csiNodes: readonly CSINode[];
}

/** Nothing can be asked of the driver. */
export class PlaceError extends Error {
  override readonly name = "PlaceError";
  /** Whether the node that was selected is of no use. */
  readonly isOfNode: boolean;

  constructor(message: string, isOfNode = false) {
    super(message);
    this.isOfNode = isOfNode;
  }
}

/** What a driver is told of places; undefined where it is told nothing. @throws PlaceError */
export function placesFor(question: PlaceQuestion): PlaceWish | undefined {
  const { selectedNode, isStrict, allowed = [], tellsAll } = question;
  const own = selectedNode === undefined ? undefined : placeOfSelected(question, selectedNode);
  const permitted = allowed.length > 0 ? allowedPlaces(allowed) : undefined;
  if (own && isStrict) {
    if (permitted?.some((place) => isWithin(own.segments, place)) === false) {
      throw new PlaceError(
        `expected the selected node ${selectedNode} to be in an allowed topology of the class`,
        true,
      );
    }
    return wishOf([own.segments], [own.segments]);
  }
  if (!permitted && !own && !tellsAll) return undefined;
  const places = sorted(permitted ?? everyPlace(question, own?.keys));
  if (places.length === 0) throw new PlaceError(`expected a topology that ${whyNone(permitted)}`);
  const first = own ? places.findIndex((place) => isWithin(own.segments, place)) : spreadOf(question.claim, places);
  if (first < 0) {
    throw new PlaceError(`expected the selected node ${selectedNode} to be in a topology that is allowed`, true);
  }
  return wishOf(places, [...places.slice(first), ...places.slice(0, first)]);
}

const whyNone = (permitted: readonly Texts[] | undefined): string =>
  permitted ? "the class allows: its terms are empty" : "a node of the driver has: it is registered on none";

const placed = (places: readonly Texts[]): Place[] => places.map((segments) => ({ segments }));
const wishOf = (requisite: readonly Texts[], preferred: readonly Texts[]): PlaceWish => ({
  requisite: placed(requisite),
  preferred: placed(preferred),
});

function placeOfSelected(
  { csiNodes, nodes, driver }: PlaceQuestion,
  name: string,
): { segments: Texts; keys: string[] } {
  const csiNode = csiNodes.find(({ metadata }) => metadata.name === name);
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (!csiNode || !node) throw new PlaceError(`expected the selected node ${name} to be there, with a CSINode`, true);
  const keys = topologyKeys(csiNode, driver);
  if (keys.length === 0) throw new PlaceError(`expected ${driver} to be registered on node ${name} with topology keys`);
  const segments = segmentsOf(node, keys);
  if (segments) return { segments, keys };
  throw new PlaceError(`expected node ${name} to have the labels ${keys.join(", ")}, which ${driver} names`);
}

/** The keys by which a driver knows places, as it says on a node. */
export const topologyKeys = (csiNode: CSINode, driver: string): string[] => [
  ...(csiNode.spec.drivers.find(({ name }) => name === driver)?.topologyKeys ?? []),
];

/** The place of a node; undefined where a label is missing. */
export function segmentsOf({ metadata: { labels = {} } }: Node, keys: readonly string[]): Texts | undefined {
  const entries = keys.map((key) => [key, labels[key]] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as Texts);
}

/** The places of all nodes, by the keys of the selected node, or of the first that has some. */
function everyPlace({ csiNodes, nodes, driver }: PlaceQuestion, known: readonly string[] | undefined): Texts[] {
  const named = csiNodes.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const keys = known ?? named.map((one) => topologyKeys(one, driver)).find((some) => some.length > 0) ?? [];
  if (keys.length === 0) return [];
  return nodes.map((node) => segmentsOf(node, keys)).filter((place) => place !== undefined);
}

/** More places than that are told to no driver: a few keys of a class with a few values each have millions. */
const MOST_PLACES = 10_000;

/** The places that terms allow: terms are alternatives, and so are the values of a key. @throws PlaceError for too many */
export function allowedPlaces(terms: NonNullable<StorageClass["allowedTopologies"]>): Texts[] {
  const count = terms.reduce((sum, term) => sum + placesIn(term), 0);
  if (count > MOST_PLACES) {
    throw new PlaceError(`expected at most ${MOST_PLACES} topologies that the class allows, there are ${count}`);
  }
  return terms.flatMap(({ matchLabelExpressions: keys = [] }) => {
    if (keys.length === 0) return [];
    return keys.reduce<Texts[]>(
      (places, { key, values }) => values.flatMap((value) => places.map((place) => ({ ...place, [key]: value }))),
      [{}],
    );
  });
}

const placesIn = ({
  matchLabelExpressions: keys = [],
}: NonNullable<StorageClass["allowedTopologies"]>[number]): number =>
  keys.reduce((product, { values }) => product * values.length, 1);

/** Whether a place lies in another one: has all of its values. */
const isWithin = (place: Texts, other: Texts): boolean =>
  Object.entries(other).every(([key, value]) => place[key] === value);

/** A place as text: equal places are the same text. */
export const placeText = (segments: Texts): string =>
  JSON.stringify(Object.entries(segments).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Places in an order that is the same each time, each once. */
function sorted(places: readonly Texts[]): Texts[] {
  const byText = new Map(places.map((place) => [placeText(place), place]));
  const order = (text: string): number => Object.keys(byText.get(text)!).length;
  const texts = [...byText.keys()].toSorted((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  return texts.map((text) => byText.get(text)!);
}

/** `CLAIM-SET-NUMBER`: claims of one set begin at the same place, each a place further. */
const NUMBERED = /^(?:.*-)?([^-]*)-(\d{1,9})$/;

function spreadOf(claim: string, places: readonly Texts[]): number {
  const [, set, number] = NUMBERED.exec(claim) ?? [];
  const start = hashOf(set ?? claim) + Number(number ?? 0);
  return start % places.length;
}

/** FNV-1 with 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of new TextEncoder().encode(text)) hash = (Math.imul(hash, 0x01_00_01_93) ^ byte) >>> 0;
  return hash;
}

/** The nodes that can reach a volume, by the places that its driver told; undefined where it told none. */
export function affinityOf(places: readonly Place[]): PersistentVolume["spec"]["nodeAffinity"] {
  const terms = places.map(({ segments }) => Object.entries(segments)).filter((entries) => entries.length > 0);
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
