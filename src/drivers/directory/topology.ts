/**
 * From which nodes volumes are accessible.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import type { TopologyRequirement } from "../../csi/generated/csi_pb.js";
import type { Segments } from "./records.ts";
import type { FullSettings } from "./settings.ts";

/** Whether a volume is accessible from a node. */
export const isAccessible = (node: Segments, volume: Segments | undefined): boolean =>
  volume === undefined || Object.entries(volume).every(([key, value]) => node[key] === value);

/** The topology of a new volume: the first preferred one that this driver serves, else the first requisite one. */
export function topologyFor(
  requirement: TopologyRequirement | undefined,
  { topology, central }: Pick<FullSettings, "topology" | "central">,
): Segments | undefined {
  if (Object.keys(topology).length === 0) return undefined;
  const topologies = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])];
  if (topologies.length === 0) return topology;
  const found = topologies.find(({ segments }) => isServed(segments, topology, central));
  if (found) return central ? { ...topology, ...found.segments } : topology;
  throw new DriverError("ResourceExhausted", "this driver has no volumes in any of the requested topologies");
}

/** Whether this driver creates volumes with a topology. */
export function isServed(segments: Segments, topology: Segments, central: boolean): boolean {
  return Object.entries(segments).every(
    ([key, value]) => Object.hasOwn(topology, key) && (central || topology[key] === value),
  );
}
