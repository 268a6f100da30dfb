/**
 * The kinds that sidecars look at, and what they follow of them, in a dialect.
 *
 * @module
 */
import { type ApiObject, type Kind, type Scope, inDomain, kindOfType } from "../client/index.ts";
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
import { classOf } from "../claims/fit.ts";
import { binderNames } from "../claims/annotations.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type InformerSpec, sharedInformer } from "../runtime/index.ts";
import type { SidecarNames } from "./names.ts";
import { type DataSource, sourceKey, sourceOf } from "./provision/data-source.ts";

/** What sidecars follow. */
export interface SidecarSpecs {
  readonly claims: InformerSpec<PersistentVolumeClaim, "Namespaced", "class" | "volume" | "source" | "attributes">;
  readonly volumes: InformerSpec<PersistentVolume, "Cluster", never>;
  readonly classes: InformerSpec<StorageClass, "Cluster", never>;
  readonly attachments: InformerSpec<VolumeAttachment, "Cluster", "volume" | "node">;
  readonly csiNodes: InformerSpec<CSINode, "Cluster", never>;
  readonly nodes: InformerSpec<Node, "Cluster", never>;
  readonly attributes: InformerSpec<VolumeAttributesClass, "Cluster", never>;
}

/** The kinds of the group of storage in a dialect. */
export interface SidecarKinds {
  readonly attachment: Kind<VolumeAttachment, "Cluster">;
  readonly capacity: Kind<CSIStorageCapacity, "Namespaced">;
  readonly attributesClass: Kind<VolumeAttributesClass, "Cluster">;
  readonly grant: Kind<ReferenceGrant, "Namespaced">;
}

/** Allows that objects of other namespaces refer to those of its own. */
export interface ReferenceGrant extends ApiObject {
  readonly spec: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}

/** See {@link SidecarKinds}. */
export const sidecarKinds = (dialect: Dialect, names: SidecarNames): SidecarKinds => ({
  attachment: spoken(VolumeAttachment, dialect),
  capacity: spoken(CSIStorageCapacity, dialect),
  attributesClass: spoken(VolumeAttributesClass, dialect),
  grant: kindOfType<ReferenceGrant>()({
    group: names.grantGroup,
    version: "v1beta1",
    kind: "ReferenceGrant",
    plural: "referencegrants",
    scope: "Namespaced",
  }),
});

const spoken = <T extends ApiObject, S extends Scope>(kind: Kind<T, S>, { domain }: Dialect): Kind<T, S> =>
  inDomain(kind, domain);

/** The informers of sidecars in a dialect. */
export function sidecarSpecs(dialect: Dialect): SidecarSpecs {
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
    classes: sharedInformer(spoken(StorageClass, dialect)),
    attachments: sharedInformer(spoken(VolumeAttachment, dialect), {
      indexes: {
        volume: ({ spec }: VolumeAttachment) => spec.source.persistentVolumeName,
        node: ({ spec }: VolumeAttachment) => spec.nodeName,
      },
    }),
    csiNodes: sharedInformer(spoken(CSINode, dialect)),
    nodes: sharedInformer(Node),
    attributes: sharedInformer(spoken(VolumeAttributesClass, dialect)),
  };
}

/** What a claim is to be filled from, while it is not. */
const waitsFor = (source: DataSource | undefined, { status }: PersistentVolumeClaim): string | undefined =>
  source && status.phase === "Pending" ? sourceKey(source) : undefined;
