import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Secret } from "../../src/client/kinds/index.ts";
import { snapshotKinds } from "../../src/sidecars/snapshot/kinds.ts";
import { DiskWorld } from "./disk-world.ts";
import { DRIVER } from "./made-up-driver.ts";

const kinds = snapshotKinds("snapshot.storage.k8s.io");
const MARKS = "snapshot.storage.kubernetes.io";

let disks: DiskWorld;
beforeEach(async () => {
  disks = await DiskWorld.create();
  await disks.makeNodes("one");
  await disks.installSnapshots();
  await disks.start();
  await disks.makeClass("fast");
  await disks.makeClaim("a");
});
afterEach(() => disks[Symbol.asyncDispose]());

const snapshots = () => disks.world.resource(kinds.snapshot);
const contents = () => disks.world.resource(kinds.content);
const makeClass = (name = "pictures", more: object = {}) =>
  disks.create(kinds.class, { metadata: { name }, driver: DRIVER, deletionPolicy: "Delete", ...more });
const take = async (name = "s", spec: object = {}) => {
  await disks.create(kinds.snapshot, {
    metadata: { namespace: "default", name },
    spec: { volumeSnapshotClassName: "pictures", source: { persistentVolumeClaimName: "a" }, ...spec },
  });
};
const snapshot = (name = "s") => snapshots().find({ namespace: "default", name });
const contentOf = async (name = "s") =>
  contents().get({ name: (await snapshot(name))!.status!.boundVolumeSnapshotContentName! });
const remove = async (name = "s") => {
  await snapshots().delete({ namespace: "default", name });
  await disks.settled();
};
const restore = (name: string, from = "s", more: object = {}) =>
  disks.makeClaim(name, {
    dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: from },
    ...more,
  });
const crash = async () => {
  disks.manager.crash();
  await disks.start();
};

describe("a snapshot", () => {
  test("is taken, bound to a content, and ready", async () => {
    await makeClass();
    await take();
    const taken = (await snapshot())!;
    expect(taken.status).toEqual({
      boundVolumeSnapshotContentName: `snapcontent-${taken.metadata.uid}`,
      creationTime: "2026-01-01T00:00:00Z",
      readyToUse: true,
      restoreSize: "1Gi",
    });
    expect(taken.metadata.finalizers).toEqual([
      `${MARKS}/volumesnapshot-as-source-protection`,
      `${MARKS}/volumesnapshot-bound-protection`,
    ]);
    const content = await contentOf();
    expect(content.spec).toMatchObject({
      driver: DRIVER,
      deletionPolicy: "Delete",
      volumeSnapshotClassName: "pictures",
      source: { volumeHandle: "disk-1" },
      sourceVolumeMode: "Filesystem",
      volumeSnapshotRef: { kind: "VolumeSnapshot", namespace: "default", name: "s", uid: taken.metadata.uid },
    });
    expect(content.status).toMatchObject({ snapshotHandle: "picture-2", readyToUse: true, restoreSize: 2 ** 30 });
    expect(content.metadata.finalizers).toEqual([`${MARKS}/volumesnapshotcontent-bound-protection`]);
    expect(content.metadata.annotations ?? {}).toEqual({});
    expect(disks.driver.asked("createSnapshot")).toEqual([
      { sourceVolumeId: "disk-1", name: `snapshot-${taken.metadata.uid}`, parameters: {}, secrets: {} },
    ]);
    expect((await disks.claim("a")).metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    expect(await disks.told("s")).toEqual([
      "Normal CreatingSnapshot",
      "Normal SnapshotCreated",
      "Normal SnapshotReady",
    ]);
  });

  test("that takes its time is asked for until it is ready, and its claim is held meanwhile", async () => {
    await makeClass();
    disks.driver.isReadyAtOnce = false;
    await take();
    expect((await snapshot())!.status).toMatchObject({ readyToUse: false });
    expect((await disks.claim("a")).metadata.finalizers).toContain(`${MARKS}/pvc-as-source-protection`);
    await disks.deleteClaim("a");
    expect(await disks.findClaim("a")).toBeDefined();
    for (const picture of disks.driver.pictures.values()) picture.isReady = true;
    await disks.world.advance("2s");
    expect((await snapshot())!.status).toMatchObject({ readyToUse: true });
    expect(await disks.findClaim("a")).toBeUndefined();
  });

  test("without a class has that which is the default of its driver", async () => {
    await take("s", { volumeSnapshotClassName: undefined });
    expect((await snapshot())!.status?.error?.message).toContain("cannot find default snapshot class");
    await makeClass("other", {
      driver: "other.example.com",
      metadata: { name: "other", annotations: { [`${MARKS}/is-default-class`]: "true" } },
    });
    await makeClass("usual", { metadata: { name: "usual", annotations: { [`${MARKS}/is-default-class`]: "true" } } });
    await disks.world.advance("2s");
    expect((await snapshot())!.spec.volumeSnapshotClassName).toBe("usual");
    expect((await snapshot())!.status).toMatchObject({ readyToUse: true });
    expect((await snapshot())!.status?.error).toBeUndefined();
  });

  test("of a claim that is not there waits for it; one of another driver is left alone", async () => {
    await makeClass();
    await makeClass("theirs", { driver: "other.example.com" });
    await take("late", { source: { persistentVolumeClaimName: "later" } });
    await take("foreign", { volumeSnapshotClassName: "theirs" });
    expect((await snapshot("late"))!.status?.error?.message).toContain("later");
    expect((await snapshot("foreign"))!.status).toBeUndefined();
    expect((await snapshot("foreign"))!.metadata.finalizers).toBeUndefined();
    await disks.makeClaim("later");
    await disks.world.advance("2s");
    expect((await snapshot("late"))!.status).toMatchObject({ readyToUse: true });
  });

  test("goes with its content and the driver's own", async () => {
    await makeClass();
    await take();
    await remove();
    expect(await snapshot()).toBeUndefined();
    expect((await contents().list()).items).toEqual([]);
    expect(disks.driver.pictures.size).toBe(0);
  });

  test("one whose content is to be kept since memory last heard of it stays at the driver", async () => {
    await makeClass();
    await take();
    const { name } = (await contentOf()).metadata;
    let isChanged = false;
    disks.reads = async (path) => {
      // Only the last look before the snapshot is deleted.
      const found =
        isChanged || !path.endsWith(`/volumesnapshotcontents/${name}`) ? undefined : await contents().get({ name });
      if (found?.metadata.deletionTimestamp === undefined) return;
      isChanged = true;
      await contents().patch({ name }, { spec: { deletionPolicy: "Retain" } });
    };
    await remove();
    await disks.world.advance("1m");
    expect(isChanged).toBe(true);
    expect(disks.driver.asked("deleteSnapshot")).toEqual([]);
    expect(await contents().find({ name })).toBeUndefined();
  });

  test("of a class that keeps goes alone", async () => {
    await makeClass("pictures", { deletionPolicy: "Retain" });
    await take();
    expect((await snapshot())!.metadata.finalizers).toEqual([`${MARKS}/volumesnapshot-as-source-protection`]);
    await remove();
    expect(await snapshot()).toBeUndefined();
    expect(disks.driver.pictures.size).toBe(1);
    const [content] = (await contents().list()).items;
    await contents().delete(content!);
    await disks.settled();
    expect((await contents().list()).items).toEqual([]);
    expect(disks.driver.pictures.size).toBe(1);
  });

  test("that is there already is bound to who names it, and asked after", async () => {
    await makeClass();
    await take("first");
    const { status } = await contentOf("first");
    await disks.create(kinds.content, {
      metadata: { name: "by-hand" },
      spec: {
        driver: DRIVER,
        deletionPolicy: "Retain",
        source: { snapshotHandle: status!.snapshotHandle },
        volumeSnapshotRef: { namespace: "default", name: "second" },
      },
    });
    await take("second", { volumeSnapshotClassName: undefined, source: { volumeSnapshotContentName: "by-hand" } });
    const bound = (await snapshot("second"))!;
    expect(bound.status).toMatchObject({
      boundVolumeSnapshotContentName: "by-hand",
      readyToUse: true,
      restoreSize: "1Gi",
    });
    expect((await contentOf("second")).spec.volumeSnapshotRef.uid).toBe(bound.metadata.uid);
    expect(disks.driver.asked("listSnapshots")).toEqual([{ snapshotId: status!.snapshotHandle, secrets: {} }]);
    await take("third", { volumeSnapshotClassName: "pictures", source: { volumeSnapshotContentName: "by-hand" } });
    expect((await snapshot("third"))!.status?.error?.message).toContain("VolumeSnapshotContent");
    expect((await snapshot("third"))!.status?.readyToUse).toBe(false);
  });

  test("is taken with secrets, and deleted with them", async () => {
    await disks.create(Secret, { metadata: { namespace: "default", name: "of-s" }, stringData: { user: "u" } });
    await makeClass("pictures", {
      parameters: {
        quality: "high",
        "csi.storage.k8s.io/snapshotter-secret-name": "of-${volumesnapshot.name}",
        "csi.storage.k8s.io/snapshotter-secret-namespace": "${volumesnapshot.namespace}",
      },
    });
    await take();
    expect(disks.driver.asked("createSnapshot")[0]).toMatchObject({
      parameters: { quality: "high" },
      secrets: { user: "u" },
    });
    await remove();
    expect(disks.driver.asked("deleteSnapshot")).toEqual([{ snapshotId: "picture-2", secrets: { user: "u" } }]);
  });
});

describe("a claim of a snapshot", () => {
  test("SUP-13, PVC-8: has its content", async () => {
    await makeClass();
    await take();
    await restore("copy");
    const { spec } = await disks.volumeOf("copy");
    expect(spec.csi!.volumeAttributes!["content"]).toBe("content of disk-1");
    expect((await snapshot())!.metadata.finalizers).not.toContain(
      "provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection",
    );
  });

  test("waits until the snapshot is ready, and not longer", async () => {
    await makeClass();
    await restore("copy");
    expect(await disks.told("copy")).toContain("Warning ProvisioningFailed");
    disks.driver.isReadyAtOnce = false;
    await take();
    expect((await disks.claim("copy")).status.phase).toBe("Pending");
    for (const picture of disks.driver.pictures.values()) picture.isReady = true;
    await disks.world.advance("3s");
    expect((await disks.claim("copy")).status.phase).toBe("Bound");
  });

  test("keeps the snapshot from going until it is filled", async () => {
    await makeClass();
    await take();
    disks.driver.fail("createVolume", { code: 14 });
    await restore("copy");
    await remove();
    expect(await disks.told("s")).toContain("Warning SnapshotDeletePending");
    expect(disks.driver.pictures.size).toBe(1);
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("5s");
    expect((await disks.claim("copy")).status.phase).toBe("Bound");
    expect(await snapshot()).toBeUndefined();
    expect(disks.driver.pictures.size).toBe(0);
  });

  test("has the volumeMode of what the snapshot was taken of, unless that may change", async () => {
    await makeClass();
    await take();
    await restore("raw", "s", { volumeMode: "Block" });
    expect((await disks.messages("raw", "ProvisioningFailed")).join("")).toContain("allow-volume-mode-change");
    const { metadata } = await contentOf();
    await contents().patch(
      { name: metadata.name },
      { metadata: { annotations: { [`${MARKS}/allow-volume-mode-change`]: "true" } } },
    );
    await disks.world.advance("1m");
    expect((await disks.claim("raw")).status.phase).toBe("Bound");
  });

  test("is at least as large as the snapshot", async () => {
    await makeClass();
    await take();
    await restore("small", "s", { resources: { requests: { storage: "1Mi" } } });
    expect((await disks.claim("small")).status.phase).toBe("Pending");
    expect((await disks.messages("small", "ProvisioningFailed")).join("")).toContain("1Gi");
  });
});

describe("a snapshot that is deleted goes", () => {
  const classes = () => disks.world.resource(kinds.class);
  /** A content that a user wrote for an existing snapshot of the driver, and the snapshot that names it. */
  const adopt = async (name: string, deletionPolicy: string) => {
    const { status } = await contentOf("s");
    await disks.create(kinds.content, {
      metadata: { name: `of-${name}` },
      spec: {
        driver: DRIVER,
        deletionPolicy,
        source: { snapshotHandle: status!.snapshotHandle },
        volumeSnapshotRef: { namespace: "default", name },
      },
    });
    await take(name, { volumeSnapshotClassName: undefined, source: { volumeSnapshotContentName: `of-${name}` } });
    expect((await snapshot(name))!.status).toMatchObject({ readyToUse: true });
  };
  /** Takes a content away as who does not wait for anybody does. */
  const tear = async (name: string) => {
    await contents().delete({ name });
    await contents().patch({ name }, { metadata: { finalizers: null } });
    await disks.settled();
  };

  test("after its class, with what the driver has", async () => {
    await makeClass();
    await take();
    await classes().delete({ name: "pictures" });
    await disks.settled();
    await remove();
    expect([await snapshot(), (await contents().list()).items, disks.driver.pictures.size]).toEqual([undefined, [], 0]);
  });

  test("after its class, when it was never seen that it was taken", async () => {
    await makeClass();
    disks.driver.fail("createSnapshot", { code: 13, isAfter: true });
    await take();
    await classes().delete({ name: "pictures" });
    await snapshots().delete({ namespace: "default", name: "s" });
    disks.driver.fail("createSnapshot", undefined);
    await disks.world.advance("10m");
    expect([await snapshot(), (await contents().list()).items, disks.driver.pictures.size]).toEqual([undefined, [], 0]);
  });

  test.each(["Retain", "Delete"])(
    "with policy %s and a content that was written by hand, without a class",
    async (policy) => {
      await makeClass();
      await take();
      await adopt("second", policy);
      await remove("second");
      expect(await snapshot("second")).toBeUndefined();
      expect(disks.driver.pictures.size).toBe(policy === "Retain" ? 1 : 0);
      expect((await contents().find({ name: "of-second" })) === undefined).toBe(policy === "Delete");
    },
  );

  test.each(["Retain", "Delete"])("with policy %s when its content was taken away by hand", async (policy) => {
    await makeClass();
    await take();
    await adopt("second", policy);
    await tear("of-second");
    await remove("second");
    expect(await snapshot("second")).toBeUndefined();
  });

  test("after its class, its content and its source claim were deleted, although its driver is not known any more", async () => {
    await makeClass();
    await take();
    const { metadata } = await contentOf();
    await classes().delete({ name: "pictures" });
    await tear(metadata.name);
    await disks.deleteClaim("a");
    // Another snapshot controller has left no mark.
    const annotations = { [`${MARKS}/driver-name`]: null };
    await snapshots().patch({ namespace: "default", name: "s" }, { metadata: { annotations } });
    await remove();
    expect(await snapshot()).toBeUndefined();
  });

  test("and is another driver's to let go where only its mark tells whose it is", async () => {
    await makeClass("theirs", { driver: "other.example.com" });
    const finalizers = [`${MARKS}/volumesnapshot-as-source-protection`];
    await disks.create(kinds.snapshot, {
      metadata: {
        namespace: "default",
        name: "s",
        finalizers,
        annotations: { [`${MARKS}/driver-name`]: "other.example.com" },
      },
      spec: { source: { volumeSnapshotContentName: "gone" } },
    });
    await remove();
    expect((await snapshot())?.metadata.finalizers).toEqual(finalizers);
  });

  test("with a secret that has gone before", async () => {
    await disks.create(Secret, { metadata: { namespace: "default", name: "key" }, stringData: { user: "u" } });
    await makeClass("pictures", {
      parameters: {
        "csi.storage.k8s.io/snapshotter-secret-name": "key",
        "csi.storage.k8s.io/snapshotter-secret-namespace": "default",
      },
    });
    await take();
    await disks.world.resource(Secret).delete({ namespace: "default", name: "key" });
    await remove();
    expect([await snapshot(), disks.driver.pictures.size]).toEqual([undefined, 0]);
    expect(disks.driver.asked("deleteSnapshot")).toEqual([{ snapshotId: "picture-2", secrets: {} }]);
  });
});

test.each([
  ["while the sidecars run", false],
  ["while they do not", true],
])("a claim is held no more when the snapshot of it was taken away by hand %s", async (_, isDown) => {
  await makeClass();
  disks.driver.isReadyAtOnce = false;
  await take();
  const held = `${MARKS}/pvc-as-source-protection`;
  expect((await disks.claim("a")).metadata.finalizers).toContain(held);
  if (isDown) disks.manager.crash();
  const key = { namespace: "default", name: "s" };
  await snapshots().patch(key, { metadata: { finalizers: null } });
  await snapshots().delete(key);
  if (isDown) await disks.start();
  await disks.world.advance("5s");
  expect(await snapshot()).toBeUndefined();
  expect((await disks.claim("a")).metadata.finalizers).not.toContain(held);
});

test("a content goes after its snapshot was taken away by hand, with what the driver has", async () => {
  await makeClass();
  await take();
  const { metadata } = await contentOf();
  await contents().delete({ name: metadata.name });
  await disks.settled();
  expect(await contents().find({ name: metadata.name })).toBeDefined();
  expect(disks.driver.pictures.size).toBe(1);
  const key = { namespace: "default", name: "s" };
  disks.manager.crash();
  await snapshots().patch(key, { metadata: { finalizers: null } });
  await snapshots().delete(key);
  await crash();
  await disks.world.advance("10s");
  expect([await contents().find({ name: metadata.name }), disks.driver.pictures.size]).toEqual([undefined, 0]);
});

describe("what fails", () => {
  test("is reported on snapshot and content, tried again, and leaves one snapshot", async () => {
    await makeClass();
    disks.driver.fail("createSnapshot", { code: 13, isAfter: true });
    await take();
    expect((await snapshot())!.status).toMatchObject({ readyToUse: false });
    expect((await snapshot())!.status!.error!.message).toContain("told to fail");
    await disks.world.advance("5s");
    expect(disks.driver.asked("createSnapshot").length).toBeLessThan(6);
    disks.driver.fail("createSnapshot", undefined);
    await disks.world.advance("1m");
    expect((await snapshot())!.status).toMatchObject({ readyToUse: true });
    expect((await snapshot())!.status!.error).toBeUndefined();
    expect(disks.driver.pictures.size).toBe(1);
  });

  test.each([
    [4, "may be going on"],
    [13, "has failed"],
    [3, "was refused"],
  ])(
    "with code %i, of which it %s although there is a snapshot: that goes when the snapshot is deleted meanwhile, also after a restart",
    async (code) => {
      await makeClass();
      disks.driver.fail("createSnapshot", { code, isAfter: true });
      await take();
      disks.manager.crash();
      await snapshots().delete({ namespace: "default", name: "s" });
      disks.driver.fail("createSnapshot", undefined);
      await crash();
      await disks.world.advance("1m");
      expect(await snapshot()).toBeUndefined();
      expect((await contents().list()).items).toEqual([]);
      expect(disks.driver.pictures.size).toBe(0);
    },
  );

  test("of a deletion is reported, and tried again", async () => {
    await makeClass();
    await take();
    const { metadata } = await contentOf();
    disks.driver.fail("deleteSnapshot", { code: 13 });
    await remove();
    expect(await disks.told(metadata.name)).toEqual(["Warning SnapshotDeleteError"]);
    expect(await snapshot()).toBeDefined();
    disks.driver.fail("deleteSnapshot", undefined);
    await disks.world.advance("1m");
    expect(await snapshot()).toBeUndefined();
    expect(disks.driver.pictures.size).toBe(0);
  });
});

test("snapshots are served from when their kinds are", async () => {
  await disks[Symbol.asyncDispose]();
  disks = await DiskWorld.create();
  await disks.start();
  expect(disks.manager.status().find(({ controller }) => controller === "keelson-snapshotter")?.state).toBe("waiting");
  await disks.makeNodes("one");
  await disks.makeClass("fast");
  await disks.makeClaim("a");
  await disks.installSnapshots();
  await makeClass();
  await take();
  expect((await snapshot())!.status).toMatchObject({ readyToUse: true });
});
