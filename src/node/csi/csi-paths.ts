/**
 * The paths of CSI volumes in the agent's directory.
 *
 *     plugins/kubernetes.io/csi/DRIVER/HASH/vol_data.json                the record of a volume on the node
 *     plugins/kubernetes.io/csi/DRIVER/HASH/globalmount                  where it is staged (NODE-18)
 *     pods/UID/volumes/kubernetes.io~csi/NAME/vol_data.json              its record in a Pod
 *     pods/UID/volumes/kubernetes.io~csi/NAME/mount                      where it is published (NODE-19)
 *
 * and of block volumes (NODE-44, NODE-45):
 *
 *     plugins/kubernetes.io/csi/volumeDevices/staging/DRIVER/HASH/vol_data.json   the record of a volume on the node
 *     plugins/kubernetes.io/csi/volumeDevices/staging/DRIVER/HASH/globalmount     where it is staged
 *     plugins/kubernetes.io/csi/volumeDevices/data/NAME/UID/vol_data.json         its record in a Pod
 *     plugins/kubernetes.io/csi/volumeDevices/publish/NAME/UID                    where it is published
 *     pods/UID/volumeDevices/kubernetes.io~csi/NAME                               a link to that
 *
 * HASH is that of the handle: driver and handle name a disk on the node, whichever PersistentVolumes have it. A kubelet
 * uses the names of PersistentVolumes for block volumes.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { VOLUMES, devicePath, pathPart, podDirectory, podsDirectory, volumePath } from "../paths.ts";
import { VolumeError } from "../contract.ts";
import { CSI_KIND } from "./names.ts";
import type { Mode } from "./volume.ts";

/** The file name of a record (NODE-20). */
export const RECORD = "vol_data.json";

/** A folder next to those of drivers. */
const DEVICES = "volumeDevices";

/** The paths of a volume on the node. */
export interface StagePaths {
  /** The directory of its record. */
  readonly directory: string;
  readonly staging: string;
}

/** The paths of a volume in a Pod. */
export interface PublishPaths {
  /** The directory of its record. */
  readonly directory: string;
  readonly target: string;
  /** A link to the target, for block volumes. */
  readonly link: string | undefined;
}

/** The key of a volume of a Pod. */
export interface PodVolumeKey {
  readonly podUid: string;
  /** The name of its directory: the PersistentVolume, or the volume in the Pod's spec. */
  readonly name: string;
  readonly mode: Mode;
}

/** See the head of this file. */
export class CsiPaths {
  readonly #root: string;

  /** @param root the agent's directory, absolute */
  constructor(root: string) {
    this.#root = root;
  }

  /** The sockets of registrars (CSIN-22). */
  get registry(): string {
    return join(this.#root, "plugins_registry");
  }

  /** The directories of all drivers. */
  get drivers(): string {
    return join(this.#root, "plugins", "kubernetes.io", "csi");
  }

  /** The directories of all Pods. */
  get pods(): string {
    return podsDirectory(this.#root);
  }

  /** The folder of block volumes. */
  get devices(): string {
    return join(this.drivers, DEVICES);
  }

  /** The staged block volumes, by their drivers. */
  get stagedDevices(): string {
    return join(this.devices, "staging");
  }

  /** The records of block volumes in Pods. */
  get deviceRecords(): string {
    return join(this.devices, "data");
  }

  /** The directories of CSI volumes in a Pod. */
  volumesOf(podUid: string): string {
    return join(podDirectory(this.#root, podUid), VOLUMES.Filesystem, CSI_KIND);
  }

  stage(volume: { readonly driver: string; readonly handle: string; readonly mode: Mode }): StagePaths {
    const { driver, handle, mode } = volume;
    const isDevice = mode === "Block";
    if (!isDevice && driver === DEVICES) throw new VolumeError(`expected another driver name than ${DEVICES}`);
    const hash = createHash("sha256").update(handle).digest("hex");
    const directory = join(isDevice ? this.stagedDevices : this.drivers, pathPart(driver), hash);
    return { directory, staging: join(directory, "globalmount") };
  }

  publish({ podUid, name, mode }: PodVolumeKey): PublishPaths {
    if (mode === "Block") {
      return {
        directory: join(this.deviceRecords, pathPart(name), pathPart(podUid)),
        target: join(this.devices, "publish", pathPart(name), pathPart(podUid)),
        link: devicePath(this.#root, podUid, CSI_KIND, name),
      };
    }
    const directory = volumePath(this.#root, podUid, CSI_KIND, name);
    return { directory, target: join(directory, "mount"), link: undefined };
  }
}
