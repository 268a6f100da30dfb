/**
 * From where volumes are reached.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import type { TopologyRequirement } from "../../csi/generated/csi_pb.js";
import type { Segments } from "./records.ts";
import type { FullSettings } from "./settings.ts";

/** Whether a node with these segments reaches what is at a place. */
export const reaches = (node: Segments, place: Segments | undefined): boolean =>
  place === undefined || Object.entries(place).every(([key, value]) => node[key] === value);

/** Where a volume is put: at the first place that is liked, else allowed, and that this driver serves. */
export function placeFor(
  requirement: TopologyRequirement | undefined,
  { topology, central }: Pick<FullSettings, "topology" | "central">,
): Segments | undefined {
  if (Object.keys(topology).length === 0) return undefined;
  const asked = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])].map(({ segments }) => segments);
  if (asked.length === 0) return topology;
  const found = asked.find((segments) => serves(segments, topology, central));
  if (found) return central ? { ...topology, ...found } : topology;
  throw new DriverError("ResourceExhausted", "volumes of this driver are not reached from any of the places asked for");
}

/** Whether volumes can be made for a place. */
export function serves(segments: Segments, topology: Segments, central: boolean): boolean {
  return Object.entries(segments).every(
    ([key, value]) => Object.hasOwn(topology, key) && (central || topology[key] === value),
  );
}
