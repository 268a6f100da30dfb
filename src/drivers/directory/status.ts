/**
 * The messages about a volume.
 *
 * @module
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { VolumeConditionSchema, VolumeSchema } from "../../csi/generated/csi_pb.js";
import type { DriverContext } from "./driver-context.ts";
import { isOnAnyNode } from "./node-state.ts";
import type { VolumeRecord } from "./records.ts";

/** The message of a volume. */
export function volumeMessage(volume: VolumeRecord): MessageInitShape<typeof VolumeSchema> {
  const { id, bytes, source, topology, parameters } = volume;
  return {
    volumeId: id,
    capacityBytes: BigInt(bytes),
    volumeContext: { ...parameters },
    accessibleTopology: topology ? [{ segments: { ...topology } }] : [],
    ...(source && { contentSource: { type: sourceType(source) } }),
  };
}

const sourceType = ({ kind, id }: NonNullable<VolumeRecord["source"]>) =>
  kind === "snapshot"
    ? { case: "snapshot" as const, value: { snapshotId: id } }
    : { case: "volume" as const, value: { volumeId: id } };

/** Whether a volume is attached, staged or published. */
export const isInUse = async ({ settings }: DriverContext, { id, attached }: VolumeRecord): Promise<boolean> =>
  Object.keys(attached).length > 0 || isOnAnyNode(settings.dir, id);

/** The condition of a volume; `problem` is undefined for a healthy one. */
export const conditionMessage = (problem: string | undefined): MessageInitShape<typeof VolumeConditionSchema> => ({
  abnormal: problem !== undefined,
  message: problem ?? "the volume is in order",
});

/** The status of a volume in lists. */
export async function statusOf({ backing, volumes, settings: { features } }: DriverContext, volume: VolumeRecord) {
  const volumeCondition = conditionMessage(await backing.problem(volumes.directory(volume.id)));
  return {
    publishedNodeIds: features.has("attach") ? Object.keys(volume.attached) : [],
    ...(features.has("condition") && { volumeCondition }),
  };
}
