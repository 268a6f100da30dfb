/**
 * The capacity objects that there should be: one for each place and class (CAP-2, CAP-6).
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { CSINode, Node, StorageClass } from "../../client/kinds/index.ts";
import type { Texts } from "../contract.ts";
import type { OwnNode } from "../own-node.ts";
import { placeText, segmentsOf, topologyKeys } from "../provision/topology.ts";

/** A class in a place. */
export interface CapacityItem {
  readonly name: string;
  readonly storageClass: string;
  /** Empty for a driver that knows no places: then every node has it. */
  readonly segments: Texts;
}

/** What items follow from. */
export interface CapacityGround {
  readonly driver: string;
  readonly knowsPlaces: boolean;
  readonly forImmediateBinding: boolean;
  /** The only node that counts. */
  readonly node?: OwnNode | undefined;
  readonly classes: readonly StorageClass[];
  readonly nodes: readonly Node[];
  readonly csiNodes: readonly CSINode[];
}

/** The items that there should be, by the name of their object. */
export function capacityItems(ground: CapacityGround): ReadonlyMap<string, CapacityItem> {
  const { driver, forImmediateBinding, classes } = ground;
  const places = [...placesOf(ground).values()];
  const counted = classes.filter(
    ({ provisioner, volumeBindingMode }) =>
      provisioner === driver && (forImmediateBinding || volumeBindingMode === "WaitForFirstConsumer"),
  );
  const items = counted.flatMap(({ metadata }) => places.map((segments) => itemOf(driver, metadata.name, segments)));
  return new Map(items.map((item) => [item.name, item]));
}

/** Objects are named after what they are about, so that none is made twice. */
function itemOf(driver: string, storageClass: string, segments: Texts): CapacityItem {
  const text = JSON.stringify([driver, storageClass, placeText(segments)]);
  const name = `csisc-${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
  return { name, storageClass, segments };
}

/** The places where the driver is, each once. */
function placesOf({ driver, knowsPlaces, nodes, csiNodes, node: own }: CapacityGround): ReadonlyMap<string, Texts> {
  if (!knowsPlaces) return new Map([["", {}]]);
  if (own) return new Map([[placeText(own.segments), own.segments]]);
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const places = csiNodes.flatMap((csiNode) => {
    const node = byName.get(csiNode.metadata.name);
    const keys = topologyKeys(csiNode, driver);
    const segments = node && keys.length > 0 ? segmentsOf(node, keys) : undefined;
    return segments ? [segments] : [];
  });
  return new Map(places.map((segments) => [placeText(segments), segments]));
}
