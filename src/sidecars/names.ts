/**
 * The names that sidecars read and write in objects, in a dialect.
 *
 * They are those of the sidecars of Kubernetes, so that either can continue the work of the other.
 *
 * @module
 */
import { binderNames } from "../claims/annotations.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type OwnNode, nameFor } from "./own-node.ts";
import type { SecretRef } from "./secrets.ts";

/** See the head of this file. */
export type SidecarNames = ReturnType<typeof sidecarNames>;

/** A driver's name as part of a finalizer's. */
const safe = (driver: string): string => driver.replaceAll(/[^a-zA-Z0-9-]/g, "-").replace(/-$/, "-X");

/** The annotations that name a Secret. */
const secretKeys = (stem: string): SecretRef => ({ name: `${stem}-name`, namespace: `${stem}-namespace` });

/** The names of the sidecars of a driver in a dialect. A driver of one node has some of its own. */
export function sidecarNames(dialect: Dialect, driver: string, node?: OwnNode) {
  const { domain, labelDomain, name } = dialect;
  const infeasible = name === "kubernetes" ? "Infeasible" : "Failed";
  return {
    ...binderNames(dialect),
    /** Finalizer of a volume: its disk is deleted first (CTL-PROV-10). */
    provisioned: `external-provisioner.volume.${labelDomain}/finalizer`,
    /** Finalizer of a claim: the driver may have created a volume that is not stored. */
    provisioning: `external-provisioner/${nameFor(safe(driver), node)}`,
    /** Finalizer of a VolumeAttachment and its volume: the driver may have attached it (DEC-54). */
    attached: `external-attacher/${safe(driver)}`,
    /** Finalizer of a claim: it is the source of another one. */
    cloning: `provisioner.storage.${labelDomain}/cloning-protection`,
    /** Finalizer of a snapshot: it is the source of a claim. */
    restoring: `provisioner.storage.${labelDomain}/volumesnapshot-as-source-protection`,
    /** Prefix of parameters for sidecars, which a driver does not get. */
    parameters: `csi.storage.${domain}/`,
    /** Annotations of a volume: the Secret for DeleteVolume. */
    deletionSecret: secretKeys(`volume.${labelDomain}/provisioner-deletion-secret`),
    /** Annotations of a volume: the Secret for ControllerModifyVolume. */
    modifySecret: secretKeys(`volume.${labelDomain}/controller-modify-secret`),
    /** Annotation of a VolumeAttachment: the driver's ID of the node. */
    nodeId: `csi.alpha.${labelDomain}/node-id`,
    /** Annotation of a VolumeAttachment: the driver's ID of the volume. */
    volumeHandle: `csi.alpha.${labelDomain}/volume-handle`,
    /** Attribute of a volume: the process that created it. */
    identity: `storage.${labelDomain}/csiProvisionerIdentity`,
    /** Annotation of a claim: its node has nothing to do. */
    noNodeExpansion: `volume.${labelDomain}/node-expansion-not-required`,
    /** State of a resize that the driver refused for good (AMB-47). */
    resizeInfeasible: `ControllerResize${infeasible}`,
    /** The same on a node. */
    nodeResizeInfeasible: `NodeResize${infeasible}`,
    /** Labels of capacity objects: the driver, and the process that manages them. */
    capacityOf: `csi.storage.${domain}/drivername`,
    managedBy: `csi.storage.${domain}/managed-by`,
    /** The groups of kinds that are custom resources. */
    snapshotGroup: `snapshot.storage.${domain}`,
    grantGroup: `gateway.networking.${domain}`,
    snapshot: snapshotNames(`snapshot.storage.${labelDomain}`),
  };
}

const snapshotNames = (domain: string) => ({
  /** Finalizer of a content. */
  contentBound: `${domain}/volumesnapshotcontent-bound-protection`,
  /** Finalizer of a snapshot whose content is deleted with it. */
  bound: `${domain}/volumesnapshot-bound-protection`,
  /** Finalizer of a snapshot: claims may have it as their source. */
  asSource: `${domain}/volumesnapshot-as-source-protection`,
  /** Annotation of a snapshot: its driver, which may still be needed after its class and its content were deleted. */
  driverName: `${domain}/driver-name`,
  /** Finalizer of a claim: the driver takes a snapshot of it. */
  claimAsSource: `${domain}/pvc-as-source-protection`,
  /** Annotation of a class. */
  isDefault: `${domain}/is-default-class`,
  /** Annotation of a content: its snapshot is deleted. */
  beingDeleted: `${domain}/volumesnapshot-being-deleted`,
  /** Annotation of a content: the driver may be taking the snapshot. */
  beingCreated: `${domain}/volumesnapshot-being-created`,
  deletionSecret: secretKeys(`${domain}/deletion-secret`),
  /** Annotation of a content: a claim may have another volumeMode than the source had. */
  mayChangeMode: `${domain}/allow-volume-mode-change`,
});
