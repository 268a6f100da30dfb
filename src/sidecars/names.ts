/**
 * The names that sidecars write on objects and read there, in those of a dialect.
 *
 * They are those of the sidecars that Kubernetes has, so that either can go on where the other ended.
 *
 * @module
 */
import { type BinderNames, binderNames } from "../claims/annotations.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type OwnNode, nameFor } from "./own-node.ts";

/** A Secret as annotations name it. */
export interface SecretMark {
  readonly name: string;
  readonly namespace: string;
}

/** See the head of this file. */
export interface SidecarNames extends BinderNames {
  /** On a volume: its disk is deleted before it goes (CTL-PROV-10). */
  readonly provisioned: string;
  /** On a claim: its driver was asked for a disk, and what came of it is not stored yet. */
  readonly provisioning: string;
  /** On a VolumeAttachment and its volume: the driver may have attached it (DEC-54). */
  readonly attached: string;
  /** On a claim: another one is being filled from it. */
  readonly cloning: string;
  /** On a snapshot: a claim is being filled from it. */
  readonly restoring: string;
  /** Parameters that are for sidecars begin so; a driver is told none of them. */
  readonly parameters: string;
  /** On a volume: the Secret that its driver is given when it deletes it. */
  readonly deletionSecret: SecretMark;
  /** On a volume: the Secret that its driver is given when it modifies it. */
  readonly modifySecret: SecretMark;
  /** On a VolumeAttachment: what the driver calls its node. */
  readonly nodeId: string;
  /** On a VolumeAttachment: by what the driver knows its volume. */
  readonly volumeHandle: string;
  /** Among the attributes of a volume: which process made it. */
  readonly identity: string;
  /** On a claim: its node has nothing to do. */
  readonly noNodeExpansion: string;
  /** The name of a resize that the driver refused for good (AMB-47). */
  readonly resizeRefused: string;
  /** As the last, where a node gave up. */
  readonly nodeResizeRefused: string;
  /** Labels of capacity objects: the driver, and who looks after them. */
  readonly capacityOf: string;
  readonly managedBy: string;
  /** The groups of kinds that are custom resources. */
  readonly snapshotGroup: string;
  readonly grantGroup: string;
  readonly snapshot: SnapshotNames;
}

/** What is written on snapshots and what belongs to them. */
export interface SnapshotNames {
  /** On a content. */
  readonly contentBound: string;
  /** On a snapshot whose content goes with it. */
  readonly bound: string;
  /** On a snapshot: claims may be filled from it. */
  readonly asSource: string;
  /** On a snapshot: the driver that has it, for whoever looks after it when its class and its content have gone. */
  readonly driverName: string;
  /** On a claim: a snapshot of it is being taken. */
  readonly claimAsSource: string;
  /** On a class. */
  readonly isDefault: string;
  /** On a content: its snapshot is deleted. */
  readonly beingDeleted: string;
  /** On a content: the driver was asked, and it is not known what came of it. */
  readonly beingCreated: string;
  readonly deletionSecret: SecretMark;
  /** On a content: a claim may have another volumeMode than the source had. */
  readonly mayChangeMode: string;
}

/** A driver's name as part of a finalizer's. */
const safe = (driver: string): string => driver.replaceAll(/[^a-zA-Z0-9-]/g, "-").replace(/-$/, "-X");

const secretMark = (stem: string): SecretMark => ({ name: `${stem}-name`, namespace: `${stem}-namespace` });

/** The names of the sidecars of a driver in a dialect; those of one node have some of their own. */
export function sidecarNames(dialect: Dialect, driver: string, node?: OwnNode): SidecarNames {
  const { domain, labelDomain, name } = dialect;
  const refused = name === "kubernetes" ? "Infeasible" : "Failed";
  return {
    ...binderNames(dialect),
    provisioned: `external-provisioner.volume.${labelDomain}/finalizer`,
    provisioning: `external-provisioner/${nameFor(safe(driver), node)}`,
    attached: `external-attacher/${safe(driver)}`,
    cloning: `provisioner.storage.${labelDomain}/cloning-protection`,
    restoring: `provisioner.storage.${labelDomain}/volumesnapshot-as-source-protection`,
    parameters: `csi.storage.${domain}/`,
    deletionSecret: secretMark(`volume.${labelDomain}/provisioner-deletion-secret`),
    modifySecret: secretMark(`volume.${labelDomain}/controller-modify-secret`),
    nodeId: `csi.alpha.${labelDomain}/node-id`,
    volumeHandle: `csi.alpha.${labelDomain}/volume-handle`,
    identity: `storage.${labelDomain}/csiProvisionerIdentity`,
    noNodeExpansion: `volume.${labelDomain}/node-expansion-not-required`,
    resizeRefused: `ControllerResize${refused}`,
    nodeResizeRefused: `NodeResize${refused}`,
    capacityOf: `csi.storage.${domain}/drivername`,
    managedBy: `csi.storage.${domain}/managed-by`,
    snapshotGroup: `snapshot.storage.${domain}`,
    grantGroup: `gateway.networking.${domain}`,
    snapshot: snapshotNames(`snapshot.storage.${labelDomain}`),
  };
}

const snapshotNames = (domain: string): SnapshotNames => ({
  contentBound: `${domain}/volumesnapshotcontent-bound-protection`,
  bound: `${domain}/volumesnapshot-bound-protection`,
  asSource: `${domain}/volumesnapshot-as-source-protection`,
  driverName: `${domain}/driver-name`,
  claimAsSource: `${domain}/pvc-as-source-protection`,
  isDefault: `${domain}/is-default-class`,
  beingDeleted: `${domain}/volumesnapshot-being-deleted`,
  beingCreated: `${domain}/volumesnapshot-being-created`,
  deletionSecret: secretMark(`${domain}/deletion-secret`),
  mayChangeMode: `${domain}/allow-volume-mode-change`,
});
