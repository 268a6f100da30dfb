/**
 * Lives of volumes of a storage driver.
 *
 * @module
 */
import { attempt } from "../../../src/client/index.ts";
import {
  CoreEvent,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttachment,
} from "../../../src/client/kinds/index.ts";
import { DriverError } from "../../../src/csi/driver-error.ts";
import { kubernetes } from "../../../src/meta/dialect.ts";
import type { Cluster } from "../../../src/testing/contract.ts";
import { defaultScenario } from "../../../src/testing/explore/csi/default-scenario.ts";
import {
  MemoryDriver,
  MemoryStorage,
  type MemoryVolume,
} from "../../../src/testing/explore/csi/testing/memory-driver.ts";
import type { Rule, Scenario, Step } from "../../../src/testing/explore/scenario.ts";
import { claim, core, remove, storageClass, volume } from "./story-objects.ts";
import type { DriverStory } from "./stories.ts";

const DRIVER = "memory.csi.example";
const DELETED = "explored";
const LATE = "late";
const LATE_CLASS = { provisioner: DRIVER, reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" };

/** A driver that is busy: the first calls after each of its starts are refused, and it makes nothing meanwhile. */
class BusyDriver extends MemoryDriver {
  #calls = 0;

  protected override createVolume(request: Parameters<MemoryDriver["makeVolume"]>[0]): MemoryVolume {
    if (this.#calls++ < 3) throw new DriverError("Aborted", "it is busy");
    return super.createVolume(request);
  }
}

/** A driver that gets slow: it makes a volume and does not say so, until it has another one. */
class SlowDriver extends MemoryDriver {
  protected override createVolume(request: Parameters<MemoryDriver["makeVolume"]>[0]): MemoryVolume {
    const made = super.createVolume(request);
    if (this.storage.volumes.size > 1) return made;
    throw new DriverError("Aborted", "the volume is being made");
  }
}

/** A driver counts what it makes. */
const HANDLE = { kind: { group: "", kind: "PersistentVolume" }, path: ".spec.csi.volumeHandle" };

const base = defaultScenario(new MemoryDriver(DRIVER).inProcess, kubernetes);
const scenario = (name: string, steps: readonly Step[]): Scenario => ({
  name,
  start: [...base.start!, storageClass(LATE, LATE_CLASS)],
  steps,
  ignore: [HANDLE],
});

/** A claim that is deleted while its volume is made. */
const hasty = (name: string, className: string): Step => ({
  name: `create claim ${name}, and delete it while its volume is made`,
  do: async (cluster) => {
    await cluster.apply(claim(name, className));
    await untilProvisioning(cluster, name);
    await cluster.client().resource(PersistentVolumeClaim).delete({ namespace: "default", name });
  },
});

const MAX_LOOKS = 100;

async function untilProvisioning(cluster: Cluster, name: string): Promise<void> {
  const events = cluster.client().resource(CoreEvent);
  for (let look = 0; look < MAX_LOOKS; look++) {
    // oxlint-disable-next-line no-await-in-loop -- it waits
    const { items } = await events.list({ namespace: "default" });
    if (items.some(({ reason, involvedObject }) => reason === "Provisioning" && involvedObject.name === name)) return;
  }
}

/** A claim has the volume that was made for it, and not that of an earlier one with its name. */
const ownVolume: Rule = {
  name: "a volume has the name of its claim",
  holds: (state) =>
    state.all({ group: "", kind: "PersistentVolumeClaim" }).every(({ metadata: { uid }, spec }) => {
      const { volumeName } = spec as { readonly volumeName?: string };
      return volumeName === undefined || volumeName === `pvc-${uid}`;
    }),
};

/** The storage of the run that is played, one at a time. */
const played = { storage: new MemoryStorage() };

/** Users find on a volume that is kept what they have left there. */
const keptDisks: Rule = {
  name: "a volume that is kept has its disk",
  holds: (state) =>
    state
      .all({ group: "", kind: "PersistentVolume" })
      .every(({ spec }) => played.storage.volumes.has((spec as { csi: { volumeHandle: string } }).csi.volumeHandle)),
};

/** The finalizer by which the provisioner holds a claim. */
const HELD = `external-provisioner/${DRIVER.replaceAll(".", "-")}`;

/** The volume of a claim, whatever its name is. */
async function volumeOf(cluster: Cluster, name: string): Promise<PersistentVolume | undefined> {
  const { items } = await cluster.client().resource(PersistentVolume).list();
  return items.find(({ spec }) => spec.claimRef?.name === name);
}

const attachment = (name: string, persistentVolumeName: string) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name },
  spec: { attacher: "others.example.com", nodeName: "node-1", source: { persistentVolumeName } },
});

export const PROVISIONER_STORIES = {
  volumes: {
    driver: (storage) => new MemoryDriver(DRIVER, storage),
    scenario: scenario("volumes are made and deleted", [
      { name: "create claim a", create: claim("a", DELETED) },
      remove("PersistentVolumeClaim", "a"),
      hasty("b", DELETED),
      { name: "create claim a again", create: claim("a", DELETED) },
      remove("PersistentVolumeClaim", "a"),
    ]),
  },
  retained: {
    driver: (storage) => {
      played.storage = storage;
      return new MemoryDriver(DRIVER, storage);
    },
    scenario: {
      ...scenario("a claim is deleted when another replica has just stored its volume", [
        {
          name: "create a claim that waits for its node, store its volume, and delete the claim",
          do: async (cluster) => {
            const claims = cluster.client().resource(PersistentVolumeClaim);
            const waiting = claim("a", LATE);
            const annotations = { "volume.kubernetes.io/storage-provisioner": DRIVER };
            const { uid } = (
              await claims.create({
                ...waiting,
                metadata: { ...waiting.metadata, annotations, finalizers: [HELD] },
              } as never)
            ).metadata;
            const name = `pvc-${uid}`;
            played.storage.volumes.set(name, { id: name, name, bytes: 1n << 30n, data: "", nodes: new Set() });
            // The binder binds no volume that is too small: so the claim does not name it before it is deleted.
            const stored = volume(name, LATE, {
              capacity: { storage: "1Mi" },
              csi: { driver: DRIVER, volumeHandle: name },
              claimRef: { ...core("PersistentVolumeClaim", "a"), namespace: "default", uid },
            });
            await cluster
              .client()
              .resource(PersistentVolume)
              .create(stored as never);
            await claims.delete({ namespace: "default", name: "a" });
          },
        },
      ]),
      eventually: [keptDisks],
    },
  },
  hurried: {
    driver: (storage): MemoryDriver => new BusyDriver(DRIVER, storage),
    scenario: {
      ...scenario("a claim is made again while the driver is busy with it", [
        {
          name: "create a claim, delete it by force, and make it again",
          do: async (cluster) => {
            const claims = cluster.client().resource(PersistentVolumeClaim);
            const key = { namespace: "default", name: "a" };
            await cluster.apply(claim("a", DELETED));
            await untilProvisioning(cluster, "a");
            await claims.delete(key);
            await attempt(claims.patch(key, { metadata: { finalizers: null } } as never), "NotFound");
            await claims.create(claim("a", DELETED) as never);
          },
        },
        remove("PersistentVolumeClaim", "a"),
      ]),
      eventually: [ownVolume],
    },
  },
  attached: {
    driver: (storage) => new MemoryDriver(DRIVER, storage),
    scenario: scenario("a volume is kept while it waits to be deleted", [
      { name: "create claims", create: [claim("a", DELETED), claim("b", DELETED)] },
      { name: "time passes", wait: "15m" },
      {
        name: "attach their volumes",
        do: async (cluster) => {
          for (const name of ["a", "b"]) {
            // oxlint-disable-next-line no-await-in-loop -- in the same order in each run
            const found = await volumeOf(cluster, name);
            // oxlint-disable-next-line no-await-in-loop
            if (found) await cluster.apply(attachment(name, found.metadata.name));
          }
          // So that the next change of each is not its deletion: one that was never seen is protected by its driver alone.
          const attachments = cluster.client().resource(VolumeAttachment);
          const change = { metadata: { annotations: { touched: "yes" } } };
          for (const name of ["a", "b"]) {
            // oxlint-disable-next-line no-await-in-loop
            await attempt(attachments.patch({ name }, change), "NotFound");
          }
        },
      },
      remove("PersistentVolumeClaim", "a"),
      remove("PersistentVolumeClaim", "b"),
      {
        name: "keep one, and detach it",
        do: async (cluster) => {
          const found = await volumeOf(cluster, "a");
          const volumes = cluster.client().resource(PersistentVolume);
          const policy = { spec: { persistentVolumeReclaimPolicy: "Retain" } };
          if (found) await attempt(volumes.patch({ name: found.metadata.name }, policy), "NotFound");
          await detach(cluster, "a");
        },
      },
      { name: "detach the other one", do: (cluster) => detach(cluster, "b") },
    ]),
  },
  stuck: {
    driver: (storage): MemoryDriver => new SlowDriver(DRIVER, storage),
    scenario: scenario("a claim is deleted while its volume is made for long", [
      { name: "create claim a", create: claim("a", DELETED) },
      remove("PersistentVolumeClaim", "a"),
      { name: "another volume is made", create: claim("b", DELETED) },
      { name: "time passes", wait: "1h" },
      { name: "create claim a", create: claim("a", DELETED) },
      remove("PersistentVolumeClaim", "a"),
      remove("PersistentVolumeClaim", "b"),
    ]),
  },
} satisfies Readonly<Record<string, DriverStory>>;

async function detach(cluster: Cluster, name: string): Promise<void> {
  await attempt(cluster.client().resource(VolumeAttachment).delete({ name }), "NotFound");
}
