/** The annotations that the binder, provisioners, resizers and schedulers share, by dialect. */
import type { Dialect } from "../meta/dialect.ts";

/** Names of annotations, and the domains of volumes and classes. */
export interface BinderNames {
  /** On a claim: its binding was completed once (CTL-BIND-19). */
  readonly bindCompleted: string;
  /** On a claim or a volume: the binder chose the other one, not a user (CTL-BIND-20, 21). */
  readonly boundByController: string;
  /** On a volume: its provisioner. */
  readonly provisionedBy: string;
  /** On a claim: the provisioner that creates its volume, under the new and the old name. */
  readonly provisioner: readonly [string, string];
  /** On a claim: the node that the scheduler chose for its first consumer. */
  readonly selectedNode: string;
  /** On a claim or a volume: the class, from before `storageClassName` existed. */
  readonly storageClass: string;
  /** On a claim: the resizer of its volume. */
  readonly resizer: string;
  /** On an expanded volume: the capacity of its claim before, until a node has expanded the file system. */
  readonly beforeResize: string;
  /** On a recycler Pod: the uid of the claim that used the volume before. */
  readonly emptiedAfter: string;
  /** Provisioners of this domain are built in. */
  readonly builtIn: string;
  readonly storageGroup: string;
}

/** Returns the names in a dialect. */
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

/** The value of annotations that are only set or absent. */
export const YES = "yes";
