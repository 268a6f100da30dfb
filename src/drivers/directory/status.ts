/**
 * What is said of a volume.
 *
 * @module
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { VolumeConditionSchema, VolumeSchema } from "../../csi/generated/csi_pb.js";
import { usersOf } from "./node-state.ts";
import type { VolumeRecord } from "./records.ts";
import type { Shop } from "./shop.ts";

/** A volume as callers see it. */
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

/** Whether a volume is on a node, and whether it is in order. */
export async function conditionOf(
  { backing, volumes, settings }: Shop,
  volume: VolumeRecord,
): Promise<{ used: boolean; trouble: string | undefined }> {
  return {
    used: Object.keys(volume.attached).length > 0 || (await usersOf(settings.dir, volume.id)),
    trouble: await backing.trouble(volumes.place(volume.id)),
  };
}

/** The condition of a volume as callers see it. */
export const conditionMessage = (trouble: string | undefined): MessageInitShape<typeof VolumeConditionSchema> => ({
  abnormal: trouble !== undefined,
  message: trouble ?? "the volume is in order",
});

/** What lists say of a volume beside itself; only what the driver says that it tells. */
export async function statusOf(shop: Shop, volume: VolumeRecord) {
  const { features } = shop.settings;
  const volumeCondition = conditionMessage((await conditionOf(shop, volume)).trouble);
  return {
    publishedNodeIds: features.has("attach") ? Object.keys(volume.attached) : [],
    ...(features.has("condition") && { volumeCondition }),
  };
}
