/**
 * The `volume_capability` of volumes (NODE-22, NODE-23).
 *
 * @module
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { VolumeCapabilitySchema } from "../../csi/generated/csi_pb.js";
import { ACCESS_MODE, type NodeCapability } from "../../csi/terms.ts";
import type { CsiVolume } from "./volume.ts";

/** The capabilities of a driver on the node. */
export type Capabilities = ReadonlySet<NodeCapability>;

/** Additions to the mount options of a volume. */
export interface MountExtras {
  /** The group that the driver has to apply (NODE-41). */
  readonly group?: number | undefined;
  /** The SELinux label of all files (NODE-43). */
  readonly label?: string | undefined;
}

/** The capability of a volume. */
export function volumeCapability(
  { mode, fsType, mountOptions, accessModes }: CsiVolume,
  capabilities: Capabilities,
  { group, label }: MountExtras = {},
): MessageInitShape<typeof VolumeCapabilitySchema> {
  const accessMode = { mode: accessModeOf(accessModes[0], capabilities) };
  if (mode === "Block") return { accessType: { case: "block", value: {} }, accessMode };
  const mountFlags = label === undefined ? [...mountOptions] : [...mountOptions, `context="${label}"`];
  const volumeMountGroup = group === undefined ? "" : String(group);
  return { accessType: { case: "mount", value: { fsType, mountFlags, volumeMountGroup } }, accessMode };
}

type AccessMode = (typeof ACCESS_MODE)[keyof typeof ACCESS_MODE];

/** The first access mode; a driver does not get the others. */
function accessModeOf(mode: string | undefined, capabilities: Capabilities): AccessMode {
  const hasWriterModes = capabilities.has("SINGLE_NODE_MULTI_WRITER");
  switch (mode) {
    case "ReadOnlyMany":
      return ACCESS_MODE.MULTI_NODE_READER_ONLY;
    case "ReadWriteMany":
      return ACCESS_MODE.MULTI_NODE_MULTI_WRITER;
    case "ReadWriteOncePod":
      return hasWriterModes ? ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
    default:
      return hasWriterModes ? ACCESS_MODE.SINGLE_NODE_MULTI_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
  }
}
