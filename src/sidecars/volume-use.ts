/**
 * How a volume is used, in the words of a driver (NODE-22, NODE-23).
 *
 * @module
 */
import type { PersistentVolume } from "../client/kinds/index.ts";
import { ACCESS_MODE } from "../csi/terms.ts";
import type { StorageDriver, VolumeUse } from "./contract.ts";
import { ParameterError } from "./secrets.ts";

/** What is asked of a volume. */
export interface UsedVolume {
  readonly accessModes: readonly string[];
  readonly volumeMode: string | undefined;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
}

/** How a volume with some access modes is used. @throws ParameterError for modes that no volume can have together */
export function useOf(
  { accessModes, volumeMode, fsType, mountOptions }: UsedVolume,
  { abilities }: StorageDriver,
): VolumeUse {
  const mode = modeOf(new Set(accessModes), abilities.has("SINGLE_NODE_MULTI_WRITER"));
  return {
    accessType:
      volumeMode === "Block"
        ? { case: "block", value: {} }
        : { case: "mount", value: { fsType, mountFlags: [...mountOptions] } },
    accessMode: { mode },
  };
}

/** How a volume is used that is there already. */
export const useOfVolume = ({ spec }: PersistentVolume, driver: StorageDriver, fsType = ""): VolumeUse =>
  useOf(
    {
      accessModes: spec.accessModes ?? [],
      volumeMode: spec.volumeMode,
      fsType: spec.csi?.fsType || fsType,
      mountOptions: spec.mountOptions ?? [],
    },
    driver,
  );

/** One mode for several; the widest wins. */
function modeOf(modes: ReadonlySet<string>, tellsWriters: boolean): number {
  const refuse = (): never => {
    throw new ParameterError(`expected access modes that one volume can have, got ${[...modes].join(", ") || "none"}`);
  };
  if (modes.has("ReadWriteOncePod")) {
    if (modes.size > 1) refuse();
    return tellsWriters ? ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
  }
  if (modes.has("ReadWriteMany")) return ACCESS_MODE.MULTI_NODE_MULTI_WRITER;
  const [reads, writes] = [modes.has("ReadOnlyMany"), modes.has("ReadWriteOnce")];
  if (reads === writes) refuse();
  if (reads) return ACCESS_MODE.MULTI_NODE_READER_ONLY;
  return tellsWriters ? ACCESS_MODE.SINGLE_NODE_MULTI_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
}
