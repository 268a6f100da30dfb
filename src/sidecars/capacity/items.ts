/**
 * The capacity objects of a driver: one for each topology and class (CAP-2, CAP-6).
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { CSINode, Node, StorageClass } from "../../client/kinds/index.ts";
import type { Texts } from "../contract.ts";
import type { OwnNode } from "../own-node.ts";
import { segmentsOf, segmentsText, topologyKeys } from "../provision/topology.ts";

/** A class in a topology. */
export interface CapacityItem {
  readonly name: string;
  readonly storageClass: string;
  /** Empty for a driver without topology: every node has its volumes. */
  readonly segments: Texts;
}

/** What items follow from. */
export interface CapacityInput {
  readonly driver: string;
  readonly hasTopology: boolean;
  readonly forImmediateBinding: boolean;
  /** The only node that counts. */
  readonly node?: OwnNode | undefined;
  readonly classes: readonly StorageClass[];
  readonly nodes: readonly Node[];
  readonly csiNodes: readonly CSINode[];
}

/** The desired items by the names of their objects. */
export function capacityItems(input: CapacityInput): ReadonlyMap<string, CapacityItem> {
  const { driver, forImmediateBinding, classes } = input;
  const topologies = topologiesOf(input);
  const counted = classes.filter(
    ({ provisioner, volumeBindingMode }) =>
      provisioner === driver && (forImmediateBinding || volumeBindingMode === "WaitForFirstConsumer"),
  );
  const items = counted.flatMap(({ metadata }) =>
    topologies.map((segments) => itemOf(driver, metadata.name, segments)),
  );
  return new Map(items.map((item) => [item.name, item]));
}

/** The name follows from the content, so that no object is created twice. */
function itemOf(driver: string, storageClass: string, segments: Texts): CapacityItem {
  const text = JSON.stringify([driver, storageClass, segmentsText(segments)]);
  const name = `csisc-${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
  return { name, storageClass, segments };
}

/** The topologies of the driver, each once. */
function topologiesOf({ driver, hasTopology, nodes, csiNodes, node: own }: CapacityInput): readonly Texts[] {
  if (!hasTopology) return [{}];
  if (own) return [own.segments];
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const found = csiNodes.flatMap((csiNode) => {
    const node = byName.get(csiNode.metadata.name);
    const keys = topologyKeys(csiNode, driver);
    const segments = node && keys.length > 0 ? segmentsOf(node, keys) : undefined;
    return segments ? [segments] : [];
  });
  return [...new Map(found.map((segments) => [segmentsText(segments), segments])).values()];
}
