/**
 * `volume_capability`: how a volume is to be used, in the words of the protocol (NODE-22, NODE-23).
 *
 * @module
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { VolumeCapabilitySchema } from "../../csi/generated/csi_pb.js";
import { ACCESS_MODE, type NodeCapability } from "../../csi/terms.ts";
import type { CsiVolume } from "./volume.ts";

/** What a driver can do on the node. */
export type Capabilities = ReadonlySet<NodeCapability>;

/** What a mount is to have beside what its volume says. */
export interface MountExtras {
  /** The group that the driver is to give the volume (NODE-41). */
  readonly group?: number | undefined;
  /** The SELinux label of everything in it (NODE-43). */
  readonly label?: string | undefined;
}

/** How a volume is to be used. */
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

/** What the first access mode is: the others are not told. */
function accessModeOf(mode: string | undefined, capabilities: Capabilities): AccessMode {
  const tellsApart = capabilities.has("SINGLE_NODE_MULTI_WRITER");
  switch (mode) {
    case "ReadOnlyMany":
      return ACCESS_MODE.MULTI_NODE_READER_ONLY;
    case "ReadWriteMany":
      return ACCESS_MODE.MULTI_NODE_MULTI_WRITER;
    case "ReadWriteOncePod":
      return tellsApart ? ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
    default:
      return tellsApart ? ACCESS_MODE.SINGLE_NODE_MULTI_WRITER : ACCESS_MODE.SINGLE_NODE_WRITER;
  }
}
