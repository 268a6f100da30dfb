/**
 * From a claim to a file and back: a driver, a node and a scheduler of Keelson beside a server, once with the sidecars of
 * Kubernetes, unmodified, and once with those of Keelson. Each step waits for what a user would see.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Found } from "./beside.ts";
import { built } from "./built.ts";
import { SIDECARS_SOURCE, defineSnapshots } from "./sidecars/programs.ts";
import { NODE, canMount } from "./storage/node-beside.ts";
import { PLACE, STORY_DRIVER } from "./storage/programs.ts";
import { type Sidecars, StorageWorld } from "./storage/world.ts";

// Definitions of snapshots come with them, so that both need what is built.
const bin = await built(SIDECARS_SOURCE);
if (!canMount) console.log("stories of storage are left out: no mounts can be made here");

const GROUP = "snapshot.storage.k8s.io";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const PODS = "/api/v1/namespaces/default/pods";
const VOLUMES = "/api/v1/persistentvolumes";
const STORAGE = "/apis/storage.k8s.io/v1";
const SNAPSHOTS = `/apis/${GROUP}/v1/namespaces/default/volumesnapshots`;
const isIn =
  (phase: string) =>
  ({ status }: Found): boolean =>
    status.phase === phase;

describe
  .skipIf(bin === undefined || !canMount)
  .each<{ whose: Sidecars }>([{ whose: "Kubernetes" }, { whose: "Keelson" }])(
  "SUP-18: a story of storage with the sidecars of $whose",
  { timeout: 120_000 },
  ({ whose }) => {
    let world: StorageWorld;

    const claim = (name: string, more: object = {}): Promise<Found> =>
      world.create(CLAIMS, {
        metadata: { name },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "disks",
          resources: { requests: { storage: "8Mi" } },
          ...more,
        },
      });
    const run = async (name: string, claimName: string): Promise<Found> => {
      const volumeMounts = [{ name: "data", mountPath: "/data" }];
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
      const containers = [{ name: "c", image: "i", volumeMounts }];
      await world.create(PODS, { metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers, volumes } });
      return world.once(`${PODS}/${name}`, isIn("Running"));
    };
    const end = async (name: string): Promise<void> => {
      await world.delete(`${PODS}/${name}`);
      await world.gone(`${PODS}/${name}`);
    };
    const volumeOf = async (name: string): Promise<Found> => {
      const { spec } = await world.once(`${CLAIMS}/${name}`, isIn("Bound"));
      return world.get(`${VOLUMES}/${spec.volumeName}`);
    };
    /** The file that the Pod has in the volume of a claim. */
    const file = async (pod: Found, name: string): Promise<string> => {
      const { metadata } = await volumeOf(name);
      return join(world.volume(pod, "csi", metadata.name), "mount", "file");
    };
    const read = async (pod: string, name: string): Promise<string> => {
      const text = world.read(await file(await run(pod, name), name));
      await end(pod);
      return text;
    };

    beforeAll(async () => {
      world = new StorageWorld();
      await world.start();
      await defineSnapshots(world, bin!);
      const spec = { attachRequired: true, podInfoOnMount: true, fsGroupPolicy: "File" };
      await world.create(`${STORAGE}/csidrivers`, { metadata: { name: STORY_DRIVER }, spec });
      await world.create(`${STORAGE}/storageclasses`, {
        metadata: { name: "disks" },
        provisioner: STORY_DRIVER,
        allowVolumeExpansion: true,
        volumeBindingMode: "WaitForFirstConsumer",
      });
      for (const tier of ["silver", "gold"]) {
        const metadata = { name: tier };
        // oxlint-disable-next-line no-await-in-loop -- two
        await world.create(`${STORAGE}/volumeattributesclasses`, {
          metadata,
          driverName: STORY_DRIVER,
          parameters: { tier },
        });
      }
      await world.create(`/apis/${GROUP}/v1/volumesnapshotclasses`, {
        apiVersion: `${GROUP}/v1`,
        kind: "VolumeSnapshotClass",
        metadata: { name: "usual" },
        driver: STORY_DRIVER,
        deletionPolicy: "Delete",
      });
      await world.once(`${STORAGE}/csinodes/${NODE}`, ({ spec: { drivers } }) => drivers?.length === 1);
      world.startSidecars(whose, bin!);
    });
    afterAll(() => world?.stop());

    test("CSIN-26: the driver is known on its node", async () => {
      const { spec } = await world.get(`${STORAGE}/csinodes/${NODE}`);
      expect(spec.drivers[0]).toMatchObject({ name: STORY_DRIVER, nodeID: NODE, topologyKeys: [PLACE] });
      expect((await world.get(`/api/v1/nodes/${NODE}`)).metadata.labels[PLACE]).toBe(NODE);
    });

    test("SCHED-30, SCHED-31, NODE-10, NODE-16, NODE-70: a claim waits for its Pod, is provisioned where that goes, attached, published, written to", async () => {
      await claim("data", { volumeAttributesClassName: "silver" });
      await world.event("default", "data", "WaitForFirstConsumer");
      expect((await world.get(`${CLAIMS}/data`)).status.phase).toBe("Pending");
      const pod = await run("writer", "data");
      expect(pod.spec.nodeName).toBe(NODE);
      const { spec, metadata } = await volumeOf("data");
      expect(spec.nodeAffinity.required.nodeSelectorTerms).toEqual([
        { matchExpressions: [{ key: PLACE, operator: "In", values: [NODE] }] },
      ]);
      const entry = `kubernetes.io/csi/${STORY_DRIVER}^${spec.csi.volumeHandle}`;
      expect((await world.get(`/api/v1/nodes/${NODE}`)).status).toMatchObject({
        volumesInUse: [entry],
        volumesAttached: [{ name: entry }],
      });
      expect(world.mounts(join(world.volume(pod, "csi", metadata.name), "mount"))).toHaveLength(1);
      world.write(await file(pod, "data"), "first");
    });

    test("NODE-47, NODE-48, DEC-58: it grows while the Pod runs", async () => {
      await world.merge(`${CLAIMS}/data`, { spec: { resources: { requests: { storage: "16Mi" } } } });
      const resize = ({ status }: Found): string | undefined => status.allocatedResourceStatuses?.storage;
      await world.once(`${CLAIMS}/data`, (found) => resize(found) === "NodeResizePending");
      // The agent looks at volumes of running Pods once a minute, and whenever their Pod changes.
      await world.merge(`${PODS}/writer`, { metadata: { labels: { seen: "now" } } });
      const isGrown = ({ status }: Found): boolean => status.capacity.storage === "16Mi";
      const grown = await world.once(`${CLAIMS}/data`, isGrown, 100_000);
      expect(grown.status.allocatedResourceStatuses?.storage).toBeUndefined();
      expect((await volumeOf("data")).spec.capacity).toEqual({ storage: "16Mi" });
      expect((await world.event("default", "writer", "FileSystemResizeSuccessful")).type).toBe("Normal");
    });

    test("VAC-10, CTL-MOD-1: it is modified while the Pod runs", async () => {
      expect((await world.get(`${CLAIMS}/data`)).status.currentVolumeAttributesClassName).toBe("silver");
      await world.merge(`${CLAIMS}/data`, { spec: { volumeAttributesClassName: "gold" } });
      const isGold = ({ status }: Found): boolean =>
        status.currentVolumeAttributesClassName === "gold" && !status.modifyVolumeStatus;
      await world.once(`${CLAIMS}/data`, isGold);
      expect((await volumeOf("data")).spec.volumeAttributesClassName).toBe("gold");
    });

    test("NODE-5: a killed agent that comes back leaves it mounted, once", async () => {
      const pod = await world.get(`${PODS}/writer`);
      const place = join(world.volume(pod, "csi", (await volumeOf("data")).metadata.name), "mount");
      const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;
      await world.killAgent();
      const { spec } = await world.get(lease);
      world.startAgent();
      await world.once(lease, (found) => found.spec.renewTime > spec.renewTime);
      expect(world.read(await file(pod, "data"))).toBe("first");
      expect(world.mounts(place)).toHaveLength(1);
    });

    test("SUP-13, PVC-7: a snapshot has what the volume had, and a claim is filled from it", async () => {
      const ask = {
        apiVersion: `${GROUP}/v1`,
        kind: "VolumeSnapshot",
        metadata: { name: "first" },
        spec: { volumeSnapshotClassName: "usual", source: { persistentVolumeClaimName: "data" } },
      };
      await world.create(SNAPSHOTS, ask);
      await world.once(`${SNAPSHOTS}/first`, ({ status }) => status?.readyToUse === true);
      world.write(await file(await world.get(`${PODS}/writer`), "data"), "second");
      await claim("restored", {
        dataSource: { apiGroup: GROUP, kind: "VolumeSnapshot", name: "first" },
        resources: { requests: { storage: "16Mi" } },
      });
      expect(await read("restorer", "restored")).toBe("first");
    });

    test("PVC-8: a clone has what the volume has now", async () => {
      await claim("copy", {
        dataSource: { kind: "PersistentVolumeClaim", name: "data" },
        resources: { requests: { storage: "16Mi" } },
      });
      expect(await read("copier", "copy")).toBe("second");
    });

    test("NODE-7, NODE-12, NODE-17: when the Pod is gone the volume is taken down and detached; the next one finds its file", async () => {
      await end("writer");
      await world.once(
        `/api/v1/nodes/${NODE}`,
        ({ status }) => !status.volumesInUse?.length && !status.volumesAttached?.length,
      );
      await world.once(`${STORAGE}/volumeattachments`, ({ items }) => items.length === 0);
      expect(world.mounts(world.root).filter(([path]) => path.includes("csi"))).toEqual([]);
      expect(await read("reader", "data")).toBe("second");
    });

    test("CTL-RECLAIM-22, CTL-OUT-1: what is deleted is gone, from the server and from the disk", async () => {
      await world.delete(`${SNAPSHOTS}/first`);
      await world.gone(`${SNAPSHOTS}/first`);
      await Promise.all(["data", "restored", "copy"].map((name) => world.delete(`${CLAIMS}/${name}`)));
      await world.once(VOLUMES, ({ items }) => items.length === 0);
      await world.once(`/apis/${GROUP}/v1/volumesnapshotcontents`, ({ items }) => items.length === 0);
      await world.once(CLAIMS, ({ items }) => items.length === 0);
      expect(world.files(world.disks)).not.toContain("file");
    });
  },
);
