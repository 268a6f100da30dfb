/**
 * The names of the annotations by which binder, provisioners, resizers and schedulers work together, in a dialect.
 *
 * @module
 */
import type { Dialect } from "../meta/dialect.ts";

/** The names of annotations, and the domains that volumes and classes are named with. */
export interface BinderNames {
  /** On a claim: its binding was completed once (CTL-BIND-19). */
  readonly bindCompleted: string;
  /** On a claim or a volume: the binder chose the other one, not the user (CTL-BIND-20, 21). */
  readonly boundByController: string;
  /** On a volume: who made it. */
  readonly provisionedBy: string;
  /** On a claim: who is to make its volume, and the older name of the same. */
  readonly provisioner: readonly [string, string];
  /** On a claim: the node that the scheduler chose for its first consumer. */
  readonly selectedNode: string;
  /** On either: the class, where it was named before there was a field. */
  readonly storageClass: string;
  /** On a claim: who enlarges its volume. */
  readonly resizer: string;
  /** On a volume that was enlarged: what its claim had before, until a node has enlarged the file system. */
  readonly beforeResize: string;
  /** On a pod that empties a volume: the uid of the claim that the volume had. */
  readonly emptiedAfter: string;
  /** Provisioners of this domain are built in. */
  readonly builtIn: string;
  /** The group of StorageClasses. */
  readonly storageGroup: string;
}

/** The names in a dialect. */
export const binderNames = ({ labelDomain: domain, domain: groups }: Dialect): BinderNames => ({
  bindCompleted: `pv.${domain}/bind-completed`,
  boundByController: `pv.${domain}/bound-by-controller`,
  provisionedBy: `pv.${domain}/provisioned-by`,
  provisioner: [`volume.${domain}/storage-provisioner`, `volume.beta.${domain}/storage-provisioner`],
  selectedNode: `volume.${domain}/selected-node`,
  storageClass: `volume.beta.${domain}/storage-class`,
  resizer: `volume.${domain}/storage-resizer`,
  beforeResize: `volume.alpha.${domain}/pre-resize-capacity`,
  emptiedAfter: `pv.${domain}/emptied-after`,
  builtIn: `${domain}/`,
  storageGroup: `storage.${groups}`,
});

/** The value of annotations that are set or not. */
export const YES = "yes";
