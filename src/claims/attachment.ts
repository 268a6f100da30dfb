/** Names of attachments and of the annotations around them, and which volumes only one node may have. */
import { createHash } from "node:crypto";
import type { PersistentVolume } from "../client/kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";

/** Names that the attachdetach controller uses on nodes. */
export interface AttachNames {
  /** On a node: this controller attaches its volumes (CTL-AD-4). */
  readonly managed: string;
  /** On a node: volumes of terminated Pods stay attached. */
  readonly keepsFinished: string;
  /** On a CSINode: the in-tree plugins that drivers have taken over there (CTL-AD-7). */
  readonly migratedPlugins: string;
  /** The taint of a node that is shut down (CTL-AD-13). */
  readonly outOfService: string;
  /** The prefix of the entries in a node's status that are volumes of drivers. */
  readonly entry: string;
}

/** Returns the names in a dialect. */
export const attachNames = ({ labelDomain: domain }: Dialect): AttachNames => ({
  managed: `volumes.${domain}/controller-managed-attach-detach`,
  keepsFinished: `volumes.${domain}/keep-terminated-pod-volumes`,
  migratedPlugins: `storage.alpha.${domain}/migrated-plugins`,
  outOfService: `node.${domain}/out-of-service`,
  entry: `${domain}/csi/`,
});

/** A volume as its driver knows it; it also identifies a volume without a PersistentVolume. */
export interface Disk {
  readonly driver: string;
  readonly handle: string;
}

/** The ID of a volume that a Pod describes inline; no PersistentVolume has such a name. */
export const idOf = ({ driver, handle }: Disk): string => `${driver}^${handle}`;

/** The name of the VolumeAttachment of a volume on a node (CTL-AD-2). */
export const attachmentName = ({ driver, handle }: Disk, node: string): string =>
  `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;

/** Whether a name can be that of an attachment of this controller. */
export const isAttachmentName = (name: string): boolean => /^csi-[0-9a-f]{64}$/.test(name);

/** The name of a volume in the status of nodes (CTL-AD-3). */
export const nodeEntry = ({ driver, handle }: Disk, { entry }: AttachNames): string =>
  `${entry}${idOf({ driver, handle })}`;

/** Whether only one node at a time may have a volume; without access modes any node may (CTL-AD-14, 15). */
export function isSingleNode({ accessModes = [] }: Pick<PersistentVolume["spec"], "accessModes">): boolean {
  const isShared = accessModes.some((mode) => mode === "ReadOnlyMany" || mode === "ReadWriteMany");
  return accessModes.length > 0 && !isShared;
}
