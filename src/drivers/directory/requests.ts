/**
 * Checks that all methods make of their requests.
 *
 * @module
 */
import { DriverError } from "../../csi/driver-error.ts";
import type { VolumeCapability } from "../../csi/generated/csi_pb.js";
import { ACCESS_MODE } from "../../csi/terms.ts";
import type { Backing, MountOptions } from "./backing.ts";
import type { FullSettings } from "./settings.ts";

/** Throws `InvalidArgument` for an empty field; `field` is its name in the definitions. */
export function required(value: string, field: string): string {
  if (value === "") throw new DriverError("InvalidArgument", `expected ${field}`);
  return value;
}

/** The limit of the protocol. */
const MAX_NAME_BYTES = 128;

/** The name in a request. Throws `InvalidArgument` where it is empty or too long. */
export function requiredName(name: string): string {
  if (Buffer.byteLength(required(name, "name")) <= MAX_NAME_BYTES) return name;
  throw new DriverError("InvalidArgument", `expected a name of at most ${MAX_NAME_BYTES} bytes`);
}

/** A volume capability, checked. */
export interface Access extends MountOptions {
  readonly block: boolean;
  readonly mode: number;
  /** The group that the driver has to give the volume. */
  readonly group: number | undefined;
}

/** A volume capability, checked. Throws `InvalidArgument` where a part is missing, or is not supported. */
export function accessOf(capability: VolumeCapability | undefined, backing: Backing, settings: FullSettings): Access {
  if (!capability) throw new DriverError("InvalidArgument", "expected a volume capability");
  const { accessType, accessMode } = capability;
  const mode = accessMode?.mode ?? ACCESS_MODE.UNKNOWN;
  if (accessType.case === undefined) throw new DriverError("InvalidArgument", "expected an access type");
  if (mode === ACCESS_MODE.UNKNOWN) throw new DriverError("InvalidArgument", "expected an access mode");
  if (isNewMode(mode) && !settings.features.has("multi-writer")) {
    throw new DriverError("InvalidArgument", "this driver has no SINGLE_NODE_SINGLE_WRITER and ..._MULTI_WRITER");
  }
  if (accessType.case === "block") {
    if (backing.hasBlocks) return { block: true, mode, fsType: "", flags: [], group: undefined };
    throw new DriverError("InvalidArgument", "directories cannot be block devices; use the backing image");
  }
  const { fsType, mountFlags: flags, volumeMountGroup } = accessType.value;
  backing.check({ fsType, flags });
  return { block: false, mode, fsType, flags, group: groupOf(volumeMountGroup, settings) };
}

function groupOf(text: string, { features }: FullSettings): number | undefined {
  if (text === "") return undefined;
  if (features.has("mount-group") && /^\d{1,10}$/.test(text)) return Number(text);
  throw new DriverError("InvalidArgument", `expected volume_mount_group to be empty or a group's number, got ${text}`);
}

const isNewMode = (mode: number): boolean =>
  mode === ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER || mode === ACCESS_MODE.SINGLE_NODE_MULTI_WRITER;

const MULTI_NODE: ReadonlySet<number> = new Set([
  ACCESS_MODE.MULTI_NODE_READER_ONLY,
  ACCESS_MODE.MULTI_NODE_SINGLE_WRITER,
  ACCESS_MODE.MULTI_NODE_MULTI_WRITER,
]);

/** Whether a volume may be on several nodes at once. */
export const isMultiNode = (mode: number): boolean => MULTI_NODE.has(mode);

/** Whether a mode only reads. */
export const isReader = (mode: number): boolean =>
  mode === ACCESS_MODE.SINGLE_NODE_READER_ONLY || mode === ACCESS_MODE.MULTI_NODE_READER_ONLY;

/** All capabilities of a request. Throws `InvalidArgument` where there is none, or where access types differ. */
export function accesses(
  capabilities: readonly VolumeCapability[],
  backing: Backing,
  settings: FullSettings,
): readonly [Access, ...Access[]] {
  const [first, ...rest] = capabilities.map((capability) => accessOf(capability, backing, settings));
  if (!first) throw new DriverError("InvalidArgument", "expected volume capabilities");
  if (rest.every(({ block }) => block === first.block)) return [first, ...rest];
  throw new DriverError("InvalidArgument", "expected volume capabilities of one access type");
}
