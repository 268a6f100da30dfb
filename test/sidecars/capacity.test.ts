import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CSINode, CSIStorageCapacity, StorageClass } from "../../src/client/kinds/index.ts";
import { DiskWorld, PLACE } from "./disk-world.ts";
import { DRIVER, MadeUpDriver } from "./made-up-driver.ts";

const LATE = { volumeBindingMode: "WaitForFirstConsumer" };

let disks: DiskWorld;
const begin = async (driver = new MadeUpDriver(), more = {}) => {
  disks = await DiskWorld.create(driver);
  await disks.makeNodes("one", "two");
  await disks.start({ capacity: { namespace: "default", ...more } });
};
beforeEach(() => begin());
afterEach(() => disks[Symbol.asyncDispose]());

const objects = async () => (await disks.resource(CSIStorageCapacity).list()).items;
const told = async () =>
  (await objects())
    .map((one) => [one.storageClassName, one.nodeTopology?.matchLabels?.[PLACE] ?? "everywhere", one.capacity ?? ""])
    .toSorted((a, b) => (a.join(" ") < b.join(" ") ? -1 : 1));

describe("capacity objects", () => {
  test("CAP-2, CAP-7, CAP-8: there is one for each class that waits and each place, as the driver says", async () => {
    await disks.makeClass("late", { ...LATE, parameters: { kind: "ssd", "csi.storage.k8s.io/fstype": "xfs" } });
    await disks.makeClass("at-once");
    await disks.makeClass("other", { ...LATE, provisioner: "other.example.com" });
    expect(await told()).toEqual([
      ["late", "one", "100Gi"],
      ["late", "two", "100Gi"],
    ]);
    const [object] = await objects();
    expect(object!.maximumVolumeSize).toBe("50Gi");
    expect(object!.metadata.labels).toEqual({
      "csi.storage.k8s.io/drivername": DRIVER,
      "csi.storage.k8s.io/managed-by": "external-provisioner",
    });
    expect(disks.driver.asked("getCapacity")[0]).toEqual({
      parameters: { kind: "ssd" },
      accessibleTopology: { segments: { [PLACE]: expect.any(String) as string } },
    });
  });

  test("CAP-2: the capacity is written again periodically, and as soon as a volume was created or deleted", async () => {
    await disks.makeClass("late", LATE);
    await disks.makeClaim(
      "a",
      { storageClassName: "late" },
      { annotations: { "volume.kubernetes.io/selected-node": "one" } },
    );
    await disks.settled();
    expect((await told())[0]).toEqual(["late", "one", "99Gi"]);
    await disks.deleteClaim("a");
    expect((await told())[0]).toEqual(["late", "one", "100Gi"]);
    disks.driver.room /= 2n;
    await disks.settled();
    expect((await told())[0]).toEqual(["late", "one", "100Gi"]);
    await disks.world.advance("61s");
    expect((await told())[0]).toEqual(["late", "one", "50Gi"]);
  });

  test("CAP-6: its own objects for deleted topologies and classes are deleted", async () => {
    await disks.makeClass("late", LATE);
    await disks.makeClass("later", LATE);
    await disks.create(CSIStorageCapacity, {
      metadata: {
        namespace: "default",
        name: "left-behind",
        labels: { "csi.storage.k8s.io/drivername": DRIVER, "csi.storage.k8s.io/managed-by": "external-provisioner" },
      },
      storageClassName: "gone",
    });
    await disks.create(CSIStorageCapacity, {
      metadata: { namespace: "default", name: "by-hand" },
      storageClassName: "gone",
    });
    expect((await objects()).map(({ metadata }) => metadata.name)).toContain("by-hand");
    expect((await objects()).map(({ metadata }) => metadata.name)).not.toContain("left-behind");
    await disks.resource(CSINode).delete({ name: "two" });
    await disks.settled();
    expect((await told()).map(([name, place]) => `${name} ${place}`)).toEqual([
      "gone everywhere",
      "late one",
      "later one",
    ]);
    await disks.resource(StorageClass).delete({ name: "later" });
    await disks.settled();
    expect((await told()).map(([name]) => name)).toEqual(["gone", "late"]);
  });

  test("are created once, whichever process is killed", async () => {
    await disks.makeClass("late", LATE);
    const before = (await objects()).map(({ metadata }) => metadata.uid);
    disks.manager.crash();
    await disks.start({ capacity: { namespace: "default" } });
    expect((await objects()).map(({ metadata }) => metadata.uid)).toEqual(before);
  });

  test("that a user deletes are created again", async () => {
    await disks.makeClass("late", LATE);
    for (const object of await objects()) await disks.resource(CSIStorageCapacity).delete(object);
    await disks.settled();
    expect(await told()).toHaveLength(2);
  });

  test("of a driver that knows no places are for all nodes", async () => {
    await disks[Symbol.asyncDispose]();
    await begin(new MadeUpDriver(["CREATE_DELETE_VOLUME", "GET_CAPACITY"]), { forImmediateBinding: true });
    await disks.makeClass("at-once");
    const [object] = await objects();
    expect(object).toMatchObject({ storageClassName: "at-once", nodeTopology: {}, capacity: "100Gi" });
    expect(disks.driver.asked("getCapacity")[0]).toEqual({ parameters: {} });
  });

  test("of a driver that does not say are not written", async () => {
    await disks[Symbol.asyncDispose]();
    await begin(new MadeUpDriver(["CREATE_DELETE_VOLUME"]));
    await disks.makeClass("late", LATE);
    expect(await objects()).toEqual([]);
  });
});
