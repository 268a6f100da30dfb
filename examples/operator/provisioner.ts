/**
 * A provisioner: makes a volume for each claim of its classes, and takes it away with the claim.
 *
 * The finalizer is on the claim before the volume is made, so no crash leaves a volume that nobody knows of. The name of the
 * volume is the uid of the claim, so who does not know whether a volume was made makes it again.
 */
import { attempt } from "../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import { type Controller, defineController, sharedInformer, watches } from "../../src/runtime/index.ts";
import type { Driver } from "./driver.ts";

/** The name that classes call it by. */
export const PROVISIONER = "fast.example.com";

const claims = sharedInformer(PersistentVolumeClaim, {
  indexes: { class: (claim) => claim.spec.storageClassName },
});

/** The provisioner of a driver. */
export const provisioner = (driver: Driver): Controller =>
  defineController({
    name: PROVISIONER,
    for: claims,
    finalizer: `${PROVISIONER}/provisioning`,
    // A class that comes late starts the claims that wait for it.
    sources: [
      watches(StorageClass, (storageClass, informer) =>
        informer(claims)
          .by("class", storageClass.metadata.name)
          .map(({ metadata }) => ({ namespace: metadata.namespace ?? "", name: metadata.name })),
      ),
    ],
    async reconcile({ object: { metadata, spec }, key, client, apply, events }) {
      const { storageClassName = "", accessModes = [], resources, volumeName } = spec;
      if (volumeName !== undefined) return;
      const found = await attempt(client.resource(StorageClass).get({ name: storageClassName }), "NotFound");
      if (!found.ok || found.value.provisioner !== PROVISIONER) return;
      const [name, storage] = [`pvc-${metadata.uid}`, resources?.requests?.["storage"] ?? "1Gi"];
      await driver.create(name, storage);
      await apply(PersistentVolume, {
        metadata: { name },
        spec: {
          storageClassName,
          accessModes,
          capacity: { storage },
          csi: { driver: PROVISIONER, volumeHandle: name },
          claimRef: { ...key, uid: metadata.uid },
        },
      });
      events.normal("Provisioned", `made ${storage} for ${key.name}`);
    },
    async cleanup({ object: { metadata }, client }) {
      const name = `pvc-${metadata.uid}`;
      await driver.delete(name);
      await attempt(client.resource(PersistentVolume).delete({ name }), "NotFound");
    },
  });
