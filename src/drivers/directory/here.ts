/**
 * Whether a volume may be brought to this node.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import { ATTACHED_TO } from "./controller-publish.ts";
import type { VolumeRecord } from "./records.ts";
import type { Access } from "./requests.ts";
import type { Shop } from "./shop.ts";
import { reaches } from "./topology.ts";

/** Throws where the volume is something else, is elsewhere, or was not attached to this node before. */
export function checkHere(
  { settings: { features, nodeId, topology } }: Shop,
  volume: VolumeRecord,
  { block }: Access,
  publishContext: Readonly<Record<string, string>>,
): void {
  if (volume.block !== block) {
    throw new DriverError("InvalidArgument", `the volume is a ${volume.block ? "device" : "file system"}`);
  }
  if (!reaches(topology, volume.topology)) {
    throw new DriverError("FailedPrecondition", `the volume is not reached from node ${nodeId}`);
  }
  if (!features.has("attach") || volume.ephemeral) return;
  if (!volume.attached[nodeId] || publishContext[ATTACHED_TO] !== nodeId) {
    throw new DriverError("FailedPrecondition", `the volume is not attached to node ${nodeId}`);
  }
}
