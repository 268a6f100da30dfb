/**
 * The volume capabilities of volumes (NODE-22, NODE-23).
 *
 * @module
 */
import type { PersistentVolume } from "../client/kinds/index.ts";
import { ACCESS_MODE } from "../csi/terms.ts";
import type { StorageDriver, VolumeUse } from "./contract.ts";
import { ParameterError } from "./secrets.ts";

/** The members of a volume, or of a claim and its class, that make its capability. */
export interface UsedVolume {
  readonly accessModes: readonly string[];
  readonly volumeMode: string | undefined;
  readonly fsType: string;
  readonly mountOptions: readonly string[];
}

/** The capability of a volume. @throws ParameterError for modes that no volume can have together */
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

/** The capability of a stored volume. */
export function useOfVolume({ spec }: Pick<PersistentVolume, "spec">, driver: StorageDriver, fsType = ""): VolumeUse {
  const { accessModes = [], volumeMode, mountOptions = [], csi } = spec;
  return useOf({ accessModes, volumeMode, fsType: csi?.fsType || fsType, mountOptions }, driver);
}

/** The widest of several modes. */
function modeOf(modes: ReadonlySet<string>, hasWriterModes: boolean): number {
  const refuse = (): never => {
    throw new ParameterError(`expected access modes that one volume can have, got ${[...modes].join(", ") || "none"}`);
  };
  if (modes.has("ReadWriteOncePod")) {
    if (modes.size > 1) refuse();
    return hasWriterModes ? ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
  }
  if (modes.has("ReadWriteMany")) return ACCESS_MODE.MULTI_NODE_MULTI_WRITER;
  const [reads, writes] = [modes.has("ReadOnlyMany"), modes.has("ReadWriteOnce")];
  if (reads === writes) refuse();
  if (reads) return ACCESS_MODE.MULTI_NODE_READER_ONLY;
  return hasWriterModes ? ACCESS_MODE.SINGLE_NODE_MULTI_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
}
