import { inDomain, keyText } from "../../client/index.ts";
import {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type InformerSpec, sharedInformer } from "../../runtime/index.ts";
import { claimOfVolume } from "../../claims/claim-ref.ts";

/** The informers of the scheduler. */
export interface SchedulerSpecs {
  readonly pods: InformerSpec<Pod, "Namespaced", never>;
  readonly nodes: InformerSpec<Node, "Cluster", never>;
  readonly csiNodes: InformerSpec<CSINode, "Cluster", never>;
  readonly claims: InformerSpec<PersistentVolumeClaim, "Namespaced", never>;
  readonly volumes: InformerSpec<PersistentVolume, "Cluster", "claim">;
  readonly classes: InformerSpec<StorageClass, "Cluster", never>;
  readonly drivers: InformerSpec<CSIDriver, "Cluster", never>;
  readonly capacities: InformerSpec<CSIStorageCapacity, "Namespaced", "class">;
  readonly attachments: InformerSpec<VolumeAttachment, "Cluster", "node" | "volume">;
}

/** Returns the informers of a dialect. */
export function schedulerSpecs({ domain }: Dialect): SchedulerSpecs {
  return {
    pods: sharedInformer(Pod),
    nodes: sharedInformer(Node),
    csiNodes: sharedInformer(inDomain(CSINode, domain)),
    claims: sharedInformer(PersistentVolumeClaim),
    volumes: sharedInformer(PersistentVolume, { indexes: { claim: claimOfVolume } }),
    classes: sharedInformer(inDomain(StorageClass, domain)),
    drivers: sharedInformer(inDomain(CSIDriver, domain)),
    capacities: sharedInformer(inDomain(CSIStorageCapacity, domain), {
      indexes: { class: (capacity: CSIStorageCapacity) => capacity.storageClassName },
    }),
    attachments: sharedInformer(inDomain(VolumeAttachment, domain), {
      indexes: {
        node: ({ spec }: VolumeAttachment) => spec.nodeName,
        volume: ({ spec }: VolumeAttachment) => spec.source.persistentVolumeName,
      },
    }),
  };
}

/** Returns all informers as a list. */
export const allOf = (specs: SchedulerSpecs): readonly InformerSpec[] =>
  Object.values(specs) as unknown as readonly InformerSpec[];

/** Returns the key of an object as text. */
export const textOf = ({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}): string => keyText(metadata);
