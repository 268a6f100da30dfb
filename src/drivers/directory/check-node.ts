/**
 * Whether a volume may be used on this node.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import { ATTACHED_TO } from "./controller-publish.ts";
import type { DriverContext } from "./driver-context.ts";
import type { VolumeRecord } from "./records.ts";
import type { Access } from "./requests.ts";
import { isAccessible } from "./topology.ts";

/** Throws where the volume has another access type, is not accessible from this node, or is not attached to it. */
export function checkOnNode(
  { settings: { features, nodeId, topology } }: DriverContext,
  volume: VolumeRecord,
  { block }: Access,
  publishContext: Readonly<Record<string, string>>,
): void {
  if (volume.block !== block) {
    throw new DriverError("InvalidArgument", `the volume is a ${volume.block ? "block device" : "file system"}`);
  }
  if (!isAccessible(topology, volume.topology)) {
    throw new DriverError("FailedPrecondition", `the volume is not accessible from node ${nodeId}`);
  }
  if (!features.has("attach") || volume.ephemeral) return;
  if (!volume.attached[nodeId] || publishContext[ATTACHED_TO] !== nodeId) {
    throw new DriverError("FailedPrecondition", `the volume is not attached to node ${nodeId}`);
  }
}
