/**
 * The usage of a volume, as its driver reports it (NODE-53).
 *
 * @module
 */
import { USAGE_UNIT } from "../../csi/terms.ts";
import type { VolumeUsage } from "../contract.ts";
import type { SetUp } from "./parts.ts";
import { stages } from "./stage.ts";
import type { CsiVolume } from "./volume.ts";

/** The usage of a volume of a Pod; undefined where its driver does not report it. An abnormal volume becomes an Event. */
export async function usageOf(setUp: SetUp, volume: CsiVolume): Promise<VolumeUsage | undefined> {
  const { drivers, records, paths, needed, signal } = setUp;
  const driver = drivers.driver(volume.driver);
  const key = { podUid: needed.pod.metadata.uid, name: volume.name, mode: volume.mode };
  const record = await records.publication(key);
  if (!driver || record?.state !== "ready") return undefined;
  const capabilities = await driver.nodeCapabilities({ signal });
  if (!capabilities.has("GET_VOLUME_STATS")) return undefined;
  const isStaged = volume.lifecycle === "Persistent" && stages(capabilities);
  const { usage, volumeCondition } = await driver.node.nodeGetVolumeStats(
    {
      volumeId: volume.handle,
      volumePath: paths.publish(key).target,
      stagingTargetPath: isStaged ? paths.stage(volume).staging : "",
    },
    { signal },
  );
  if (capabilities.has("VOLUME_CONDITION") && volumeCondition?.abnormal === true) {
    const note = `volume ${needed.volume.name}: ${volumeCondition.message}`;
    setUp.context.event("Warning", needed.pod, "VolumeConditionAbnormal", note);
  }
  return numbersOf(usage);
}

interface Counted {
  readonly unit: number;
  readonly used: bigint;
  readonly available: bigint;
  readonly total: bigint;
}

function numbersOf(usage: readonly Counted[]): VolumeUsage {
  const bytes = usage.find(({ unit }) => unit === USAGE_UNIT.BYTES);
  const inodes = usage.find(({ unit }) => unit === USAGE_UNIT.INODES);
  return {
    ...(bytes && {
      usedBytes: Number(bytes.used),
      availableBytes: Number(bytes.available),
      capacityBytes: Number(bytes.total),
    }),
    ...(inodes && {
      inodesUsed: Number(inodes.used),
      inodesFree: Number(inodes.available),
      inodes: Number(inodes.total),
    }),
  };
}
