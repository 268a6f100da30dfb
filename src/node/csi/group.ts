/**
 * The group and the SELinux label of a volume.
 *
 * @module
 */
import type { CSIDriver, Pod } from "../../client/kinds/index.ts";
import type { Capabilities } from "./capability.ts";
import type { CsiVolume } from "./volume.ts";

/** Who applies the group of a Pod to a volume: the driver, the agent, or none. */
export type FsGroup = { readonly by: "driver" | "agent"; readonly gid: number } | undefined;

const FOR_ONE = ["ReadWriteOnce", "ReadWriteOncePod"];

/** Who applies the group of a Pod (NODE-38, NODE-41, CSID-8, AMB-21). */
export function fsGroupOf(
  volume: CsiVolume,
  pod: Pod,
  { object, capabilities }: { readonly object: CSIDriver | undefined; readonly capabilities: Capabilities },
): FsGroup {
  const gid = pod.spec.securityContext?.fsGroup;
  if (gid === undefined || volume.mode === "Block") return undefined;
  if (capabilities.has("VOLUME_MOUNT_GROUP")) return { by: "driver", gid };
  const policy = object?.spec.fsGroupPolicy || "ReadWriteOnceWithFSType";
  const isForOne = volume.accessModes.some((mode) => FOR_ONE.includes(mode));
  const applies = policy === "File" || (policy === "ReadWriteOnceWithFSType" && volume.fsType !== "" && isForOne);
  return applies && !volume.readOnly ? { by: "agent", gid } : undefined;
}

/** User, role and type of the files of containers. */
const OF_FILES = "system_u:object_r:container_file_t";

/**
 * The label of a mount on a node with SELinux; undefined where files are labelled one by one (NODE-43, CSID-19, CSID-20).
 */
export function labelOf(volume: CsiVolume, pod: Pod, object: CSIDriver | undefined): string | undefined {
  const level = pod.spec.securityContext?.seLinuxOptions?.level;
  const applies =
    object?.spec.seLinuxMount === true && volume.mode === "Filesystem" && volume.lifecycle === "Persistent";
  const isForOnePod = volume.accessModes.length > 0 && volume.accessModes.every((mode) => mode === "ReadWriteOncePod");
  return applies && isForOnePod && level ? `${OF_FILES}:${level}` : undefined;
}
