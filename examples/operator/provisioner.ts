/**
 * A provisioner: it creates a volume for each claim of its classes, and deletes it with the claim.
 *
 * The claim has the finalizer before the volume is created, so that no crash leaks a volume. The name of the volume is derived
 * from the UID of the claim, so that the creation can be repeated.
 */
import { attempt } from "../../src/client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../src/client/kinds/index.ts";
import { type Controller, defineController, sharedInformer, watches } from "../../src/runtime/index.ts";
import type { Driver } from "./driver.ts";

/** The name in storage classes. */
export const PROVISIONER = "fast.example.com";

const claims = sharedInformer(PersistentVolumeClaim, {
  indexes: { class: (claim) => claim.spec.storageClassName },
});

/** Returns the provisioner of a driver. */
export const provisioner = (driver: Driver): Controller =>
  defineController({
    name: PROVISIONER,
    for: claims,
    finalizer: `${PROVISIONER}/provisioning`,
    // A new class triggers the claims that wait for it.
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
