/**
 * What the attachment of a volume to a node is called, on the objects that name it, and which volumes may have one only.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { PersistentVolume } from "../client/kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";

/** The names that attaching uses on nodes. */
export interface AttachNames {
  /** On a node: its volumes are attached from here (CTL-AD-4). */
  readonly managed: string;
  /** On a node: volumes of Pods that have ended stay attached. */
  readonly keepsFinished: string;
  /** On a CSINode: the plugins that were built in once and are left to drivers there (CTL-AD-7). */
  readonly migratedPlugins: string;
  /** The taint of a node that is switched off for good (CTL-AD-13). */
  readonly outOfService: string;
  /** How entries of a node's volumes begin that stand for volumes of drivers. */
  readonly entry: string;
}

/** The names in a dialect. */
export const attachNames = ({ labelDomain: domain }: Dialect): AttachNames => ({
  managed: `volumes.${domain}/controller-managed-attach-detach`,
  keepsFinished: `volumes.${domain}/keep-terminated-pod-volumes`,
  migratedPlugins: `storage.alpha.${domain}/migrated-plugins`,
  outOfService: `node.${domain}/out-of-service`,
  entry: `${domain}/csi/`,
});

/** A volume as its driver knows it: it names a volume that has no other name, too. */
export interface Disk {
  readonly driver: string;
  readonly handle: string;
}

/** What stands for a volume that is described in Pods; no PersistentVolume has such a name. */
export const idOf = ({ driver, handle }: Disk): string => `${driver}^${handle}`;

/** The name of the VolumeAttachment of a volume on a node (CTL-AD-2). */
export const attachmentName = ({ driver, handle }: Disk, node: string): string =>
  `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`;

/** Whether an attachment may be named after a volume that is not known any more. */
export const isAttachmentName = (name: string): boolean => /^csi-[0-9a-f]{64}$/.test(name);

/** What a volume is called in the status of nodes (CTL-AD-3). */
export const nodeEntry = ({ driver, handle }: Disk, { entry }: AttachNames): string =>
  `${entry}${idOf({ driver, handle })}`;

/** Whether a volume is for one node at a time: who says nothing of it is not held to that (CTL-AD-14, 15). */
export function isSingleNode({ accessModes = [] }: Pick<PersistentVolume["spec"], "accessModes">): boolean {
  const isShared = accessModes.some((mode) => mode === "ReadOnlyMany" || mode === "ReadWriteMany");
  return accessModes.length > 0 && !isShared;
}
