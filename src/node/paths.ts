/**
 * The paths in the agent's directory.
 *
 *     ROOT/pods/UID/volumes/KIND/NAME         a volume
 *     ROOT/pods/UID/volumeDevices/KIND/NAME   a link to a device
 *     ROOT/pods/UID/containers, logs          files of containers
 *     ROOT/plugins, plugins_registry          drivers
 *
 * @module
 */
import { join } from "node:path";
import { VolumeError } from "./contract.ts";

/** The directories of Pods. */
export const podsDirectory = (root: string): string => join(root, "pods");

/** The directory of a Pod. @throws VolumeError for a uid that is no valid name */
export const podDirectory = (root: string, podUid: string): string => join(podsDirectory(root), pathPart(podUid));

/** The name of a kind's directories: `kubernetes.io/csi` is `kubernetes.io~csi` (NODE-6). */
export const directoryOfKind = (kind: string): string => kind.replaceAll("/", "~");

/** The directory of a volume of a Pod (NODE-6). */
export const volumePath = (root: string, podUid: string, kind: string, name: string): string =>
  join(podDirectory(root, podUid), VOLUMES.Filesystem, pathPart(directoryOfKind(kind)), pathPart(name));

/** The link to the device of a volume of a Pod (NODE-45). */
export const devicePath = (root: string, podUid: string, kind: string, name: string): string =>
  join(podDirectory(root, podUid), VOLUMES.Block, pathPart(directoryOfKind(kind)), pathPart(name));

/** A name that is one part of a path. Names come from objects and from disk, and may be malicious. @throws VolumeError */
export function pathPart(name: string): string {
  if (name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name)) return name;
  throw new VolumeError(`expected a name that is one part of a path, got ${JSON.stringify(name)}`);
}

/** The folder of a Pod that stays until the Pod is deleted from the API. */
export const LOGS = "logs";

/** The folders of a Pod's volumes, by their mode. */
export const VOLUMES = { Filesystem: "volumes", Block: "volumeDevices" } as const;
