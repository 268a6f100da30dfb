/**
 * The kinds of sidecars, and their informers, in a dialect.
 *
 * @module
 */
import { type ApiObject, inDomain, kindOfType } from "../client/index.ts";
import {
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../client/kinds/index.ts";
import { binderNames } from "../claims/annotations.ts";
import { classOf } from "../claims/fit.ts";
import type { Dialect } from "../meta/dialect.ts";
import { sharedInformer } from "../runtime/index.ts";
import type { SidecarNames } from "./names.ts";
import { type DataSource, sourceKey, sourceOf } from "./provision/data-source.ts";

/** The informers of sidecars. */
export type SidecarSpecs = ReturnType<typeof sidecarSpecs>;

/** The kinds that sidecars write. */
export type SidecarKinds = ReturnType<typeof sidecarKinds>;

/** Allows objects of other namespaces to refer to objects of its own. */
export interface ReferenceGrant extends ApiObject {
  readonly spec: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}

/** The kinds that sidecars write, in a dialect. */
export const sidecarKinds = ({ domain }: Dialect, names: SidecarNames) => ({
  attachment: inDomain(VolumeAttachment, domain),
  capacity: inDomain(CSIStorageCapacity, domain),
  attributesClass: inDomain(VolumeAttributesClass, domain),
  grant: kindOfType<ReferenceGrant>()({
    group: names.grantGroup,
    version: "v1beta1",
    kind: "ReferenceGrant",
    plural: "referencegrants",
    scope: "Namespaced",
  }),
});

/** The informers of sidecars in a dialect. */
export function sidecarSpecs(dialect: Dialect) {
  const { domain } = dialect;
  const names = binderNames(dialect);
  return {
    claims: sharedInformer(PersistentVolumeClaim, {
      indexes: {
        class: (claim: PersistentVolumeClaim) => (claim.spec.volumeName ? undefined : classOf(claim, names)),
        volume: (claim: PersistentVolumeClaim) => claim.spec.volumeName,
        source: (claim: PersistentVolumeClaim) => waitsFor(sourceOf(claim), claim),
        attributes: ({ spec }: PersistentVolumeClaim) => spec.volumeAttributesClassName,
      },
    }),
    volumes: sharedInformer(PersistentVolume),
    classes: sharedInformer(inDomain(StorageClass, domain)),
    attachments: sharedInformer(inDomain(VolumeAttachment, domain), {
      indexes: {
        volume: ({ spec }: VolumeAttachment) => spec.source.persistentVolumeName,
        node: ({ spec }: VolumeAttachment) => spec.nodeName,
      },
    }),
    csiNodes: sharedInformer(inDomain(CSINode, domain)),
    nodes: sharedInformer(Node),
    attributes: sharedInformer(inDomain(VolumeAttributesClass, domain)),
  };
}

/** The source of a claim that is not provisioned yet. */
const waitsFor = (source: DataSource | undefined, { status }: PersistentVolumeClaim): string | undefined =>
  source && status.phase === "Pending" ? sourceKey(source) : undefined;
