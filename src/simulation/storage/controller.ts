/**
 * Provisions volumes for claims of the simulated class, expands them, and deletes released ones.
 * The binder, protection and the expander of the control plane do the rest, as for every driver. The simulation keeps the files of
 * containers under the uid of the claim.
 */
import { type Client, attempt } from "../../client/index.ts";
import { CSIDriver, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../client/kinds/index.ts";
import { binderNames } from "../../claims/annotations.ts";
import { classOf } from "../../claims/fit.ts";
import { isDefaultClass } from "../../meta/default-class.ts";
import { kubernetes } from "../../meta/dialect.ts";
import { type Controller, defineController, sharedInformer, watches } from "../../runtime/index.ts";
import { deleteObject, write, writeStatus } from "../../runtime/writes.ts";
import { CLASS, DRIVER, classObject, driverObject, growthOf, isReclaimed, volumeFor } from "./plan.ts";

const names = binderNames(kubernetes);
const volumes = sharedInformer(PersistentVolume);
const classes = sharedInformer(StorageClass);
const claims = sharedInformer(PersistentVolumeClaim, {
  indexes: { simulatedClass: (claim: PersistentVolumeClaim) => classOf(claim, names) || undefined },
});

/** The controllers of simulated volumes. */
export const storageControllers: readonly Controller[] = [
  defineController({
    name: "keelson-simulated-volumes",
    eventSource: DRIVER,
    for: claims,
    sources: [
      watches(volumes, ({ spec: { csi, claimRef } }) =>
        csi?.driver === DRIVER && claimRef?.namespace && claimRef.name
          ? [{ namespace: claimRef.namespace, name: claimRef.name }]
          : [],
      ),
      watches(classes, ({ metadata, provisioner }, informer) =>
        provisioner === DRIVER
          ? informer(claims)
              .by("simulatedClass", metadata.name)
              .map(({ metadata: { namespace = "", name } }) => ({ namespace, name }))
          : [],
      ),
    ],
    async reconcile({ object: claim, informer, client }) {
      const storageClass = informer(classes).get({ name: classOf(claim, names) ?? "" });
      const volume = volumeFor(claim, storageClass, names);
      if (volume) {
        await attempt(client.resource(PersistentVolume).create(volume), "AlreadyExists");
        return;
      }
      const growth = growthOf(claim, informer(volumes).get({ name: claim.spec.volumeName ?? "" }));
      if (!growth) return;
      if ("volume" in growth) await write(client, PersistentVolume, growth.volume);
      else await writeStatus(client, PersistentVolumeClaim, growth.claim);
    },
  }),
  defineController({
    name: "keelson-simulated-reclaim",
    for: volumes,
    predicate: ({ object }) => isReclaimed(object, names),
    async reconcile({ object: volume, client }) {
      if (isReclaimed(volume, names)) await deleteObject(client, PersistentVolume, volume);
    },
  }),
];

/** Creates the driver and the class of simulated volumes where they are absent; the class is the default where there is none. */
export async function createStorage(client: Client): Promise<void> {
  const known = (await client.resource(StorageClass).list()).items;
  await attempt(client.resource(CSIDriver).create(driverObject), "AlreadyExists");
  if (known.some(({ metadata }) => metadata.name === CLASS)) return;
  const isDefault = !known.some((one) => isDefaultClass(one, kubernetes.labelDomain));
  await attempt(client.resource(StorageClass).create(classObject(isDefault)), "AlreadyExists");
}
