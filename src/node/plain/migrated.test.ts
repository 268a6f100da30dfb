import { expect, test } from "vitest";
import { kubernetes, neutral } from "../../meta/dialect.ts";
import type { NeededVolume, VolumePlugin } from "../contract.ts";
import { migratedToDriver, withMigratedVolumes } from "./migrated.ts";
import { found, going, needed, testContext } from "./testing/context.ts";

const migrated = (persistent: object): NeededVolume =>
  migratedToDriver(needed("/root", "any", { persistent: { capacity: { storage: "1Gi" }, ...persistent } }), kubernetes);
const csiOf = ({ persistent }: NeededVolume) => persistent!.volume.spec.csi;

test("NODE-61: a volume of a migrated plugin becomes one of its driver, and all else stays", () => {
  const { persistent } = migrated({
    awsElasticBlockStore: { volumeID: "aws://zone/vol-1", fsType: "xfs", partition: 2 },
  });
  expect(persistent!.volume.spec).toEqual({
    capacity: { storage: "1Gi" },
    csi: {
      driver: "ebs.csi.aws.com",
      volumeHandle: "vol-1",
      readOnly: false,
      fsType: "xfs",
      volumeAttributes: { partition: "2" },
    },
  });
  expect(persistent!.volume.metadata.name).toBe("pv");
});

test("VOL-18: partition 0 is the whole disk, as no partition is", () => {
  for (const partition of [{ partition: 0 }, {}]) {
    expect(csiOf(migrated({ awsElasticBlockStore: { volumeID: "vol-1", ...partition } }))?.volumeAttributes).toEqual(
      {},
    );
  }
});

test("PVS-46: a persistent disk of cloud C has ext4 without fsType", () => {
  expect(csiOf(migrated({ gcePersistentDisk: { pdName: "disk" } }))).toMatchObject({
    driver: "pd.csi.storage.gke.io",
    volumeHandle: "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk",
    fsType: "ext4",
  });
  expect(csiOf(migrated({ gcePersistentDisk: { pdName: "disk", fsType: "xfs" } }))?.fsType).toBe("xfs");
});

test("PVS-48: a volume of vendor D has ext4 without fsType, and is writable without readOnly", () => {
  const unset = migrated({ cinder: { volumeID: "1" } });
  expect(csiOf(unset)).toMatchObject({ driver: "cinder.csi.openstack.org", fsType: "ext4", readOnly: false });
  expect(unset.readOnly).toBe(false);
  expect(migrated({ cinder: { volumeID: "1", readOnly: true } }).readOnly).toBe(true);
});

test("PVS-24, PVS-25: a share of cloud B is writable without readOnly, its Secret in the Pod's namespace", () => {
  const azureFile = { shareName: "share", secretName: "account" };
  expect(csiOf(migrated({ azureFile }))).toEqual({
    driver: "file.csi.azure.com",
    volumeHandle: "share",
    readOnly: false,
    volumeAttributes: { shareName: "share" },
    nodeStageSecretRef: { name: "account", namespace: "space" },
  });
  const csi = csiOf(migrated({ azureFile: { ...azureFile, secretNamespace: "other", readOnly: true } }));
  expect(csi?.nodeStageSecretRef).toEqual({ name: "account", namespace: "other" });
  expect(csi?.readOnly).toBe(true);
});

test("NODE-61: an inline volume of a migrated plugin is a volume of the driver that only its Pod uses", () => {
  const inline = needed("/root", "any", { volume: { gcePersistentDisk: { pdName: "disk", readOnly: true } } });
  const { persistent, readOnly } = migratedToDriver(inline, kubernetes);
  expect(readOnly).toBe(true);
  expect(persistent!.volume.metadata.name).toBe("volume");
  expect(persistent!.volume.spec).toMatchObject({
    accessModes: ["ReadOnlyMany"],
    csi: { driver: "pd.csi.storage.gke.io" },
  });
});

test("NODE-61: other volumes, and dialects without migrated plugins, are left as they are", () => {
  const other = needed("/root", "any", { persistent: { nfs: { server: "a", path: "/" } } });
  expect(migratedToDriver(other, kubernetes)).toBe(other);
  const disk = needed("/root", "any", { persistent: { gcePersistentDisk: { pdName: "disk" } } });
  expect(migratedToDriver(disk, neutral)).toBe(disk);
});

test("NODE-61: a plugin of drivers gets migrated volumes as its own, and all else as before", async () => {
  class Driver implements VolumePlugin {
    readonly kind = "kubernetes.io~csi";
    readonly #seen: string[] = [];
    makes({ persistent }: NeededVolume): boolean {
      return persistent?.volume.spec.csi !== undefined;
    }
    setUp({ persistent, path }: NeededVolume): Promise<{ source: string }> {
      this.#seen.push(persistent!.volume.spec.csi!.volumeHandle);
      return Promise.resolve({ source: path });
    }
    tearDown(volume: { path: string }): Promise<void> {
      this.#seen.push(volume.path);
      return Promise.resolve();
    }
    inUse(): Promise<readonly string[]> {
      return Promise.resolve(this.#seen);
    }
  }
  const plugin = await withMigratedVolumes(() => new Driver())(testContext({ root: "/root" }));
  const disk = needed("/root", plugin.kind, { persistent: { cinder: { volumeID: "1" } } });
  expect(plugin.kind).toBe("kubernetes.io~csi");
  expect(plugin.makes(disk)).toBe(true);
  expect(plugin.makes(needed("/root", plugin.kind, { volume: { emptyDir: {} } }))).toBe(false);
  await plugin.setUp(disk, going);
  await plugin.tearDown(found(disk, plugin), going);
  expect(await plugin.inUse!()).toEqual(["1", disk.path]);
  expect("attached" in plugin).toBe(false);
});
