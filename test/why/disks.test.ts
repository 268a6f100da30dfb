/** The explanations of claims, snapshots and attachments whose driver, sidecars and sources are real, and fail. */
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  CoreEvent,
  CustomResourceDefinition,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../src/client/kinds/index.ts";
import { kindOfType } from "../../src/client/kind.ts";
import { scheduler } from "../../src/controllers/scheduler/scheduler.ts";
import type { VolumeSnapshot } from "../../src/sidecars/snapshot/kinds.ts";
import { snapshotKinds } from "../../src/sidecars/snapshot/kinds.ts";
import { explain } from "../../src/why/index.ts";
import { DiskWorld } from "../sidecars/disk-world.ts";
import { DRIVER } from "../sidecars/made-up-driver.ts";

const kinds = snapshotKinds("snapshot.storage.k8s.io");
const at = (name: string) => ({ name, namespace: "default" });
const size = (storage: string) => ({ resources: { requests: { storage } } });

let disks: DiskWorld;
beforeEach(async () => {
  disks = await DiskWorld.create();
  await disks.makeClass("fast");
  await disks.makeNodes("here");
});
afterEach(() => disks[Symbol.asyncDispose]());

const whyClaim = async (name: string) => (await disks.resource(PersistentVolumeClaim).why(at(name))).reasons;
const whyPod = async (name: string) => (await disks.resource(Pod).why(at(name))).reasons;
const whySnapshot = async (name: string) => (await disks.world.resource(kinds.snapshot).why(at(name))).reasons;

describe("a claim that is a clone", () => {
  beforeEach(() => disks.start());
  const dataSource = { kind: "PersistentVolumeClaim", name: "origin" };

  test("names its source where that is missing, and nothing once it is there", async () => {
    await disks.makeClaim("copy", { dataSource });
    expect(await whyClaim("copy")).toEqual([
      {
        says: 'its source is missing: persistentvolumeclaim "origin" not found',
        who: "a user who creates the PersistentVolumeClaim default/origin",
        about: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...at("origin") },
      },
    ]);
    await disks.makeClaim("origin");
    await disks.world.advance("1m");
    expect(await whyClaim("copy")).toEqual([]);
  });

  test("says why its source waits itself", async () => {
    await disks.makeClaim("origin", { storageClassName: "absent" });
    await disks.makeClaim("copy", { dataSource });
    expect(await whyClaim("copy")).toMatchObject([
      {
        says: 'its source, PersistentVolumeClaim default/origin, is Pending: storageclass.storage.k8s.io "absent" not found',
        who: "a user who creates that StorageClass, or a volume of that class",
      },
    ]);
  });

  test("says that it is smaller than its source", async () => {
    await disks.makeClaim("origin", size("2Gi"));
    await disks.makeClaim("copy", { dataSource });
    expect(await whyClaim("copy")).toMatchObject([
      {
        says: "it requests 1Gi, and its source, PersistentVolumeClaim default/origin, has 2Gi",
        who: "a user who creates the claim again with at least 2Gi",
        about: at("copy"),
      },
    ]);
  });

  test("of a claim that is a clone of it ends somewhere", async () => {
    await disks.makeClaim("origin", { dataSource: { ...dataSource, name: "copy" } });
    await disks.makeClaim("copy", { dataSource });
    expect((await whyClaim("copy")).length).toBe(1);
  });
});

describe("a claim that is filled from a snapshot", () => {
  const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
  const take = (name: string, spec: object) =>
    disks.create(kinds.snapshot, { metadata: at(name), spec: { volumeSnapshotClassName: "pictures", ...spec } });

  test("says that snapshots are not served", async () => {
    await disks.start();
    await disks.makeClaim("copy", { dataSource });
    expect(await whyClaim("copy")).toMatchObject([
      {
        says: 'its source is missing: the kind VolumeSnapshot.snapshot.storage.k8s.io is not served here, so "s" cannot exist',
        who: "an administrator who installs the CustomResourceDefinition of VolumeSnapshot.snapshot.storage.k8s.io",
      },
    ]);
  });

  describe("where they are served", () => {
    beforeEach(async () => {
      await disks.installSnapshots();
      await disks.start();
    });
    const makeClass = () =>
      disks.create(kinds.class, { metadata: { name: "pictures" }, driver: DRIVER, deletionPolicy: "Delete" });

    test("names the snapshot, then its class, then its source, then what the driver says; and the size", async () => {
      await disks.makeClaim("copy", { dataSource });
      expect(await whyClaim("copy")).toMatchObject([
        {
          says: 'its source is missing: volumesnapshot.snapshot.storage.k8s.io "s" not found',
          who: "a user who creates the VolumeSnapshot default/s",
        },
      ]);
      disks.driver.fail("createSnapshot", { code: 8, says: "the pool is full" });
      await take("s", { source: { persistentVolumeClaimName: "origin" } });
      expect(await whySnapshot("s")).toMatchObject([
        {
          says: 'its class is missing: volumesnapshotclass.snapshot.storage.k8s.io "pictures" not found',
          who: "a user who creates the VolumeSnapshotClass pictures",
        },
        {
          says: 'its source is missing: persistentvolumeclaim "origin" not found',
          who: "a user who creates the PersistentVolumeClaim default/origin",
        },
      ]);
      await disks.makeClaim("origin", size("2Gi"));
      await makeClass();
      await disks.world.advance("1m");
      const full = {
        says: expect.stringMatching(
          /^the snapshotter of disks.example.com says: CreateSnapshot: ResourceExhausted: .*the pool is full$/,
        ),
        who: expect.stringMatching(
          /^an administrator who gives disks.example.com more capacity, or a user who changes VolumeSnapshotContent/,
        ),
        quotes: { in: "status", reason: "error" },
      };
      expect(await whySnapshot("s")).toMatchObject([full]);
      const { status } = await disks.world.resource(kinds.snapshot).get(at("s"));
      const name = status!.boundVolumeSnapshotContentName!;
      expect((await disks.world.resource(kinds.content).why({ name })).reasons).toMatchObject([full]);
      const [nested] = await whyClaim("copy");
      expect(nested?.says).toMatch(
        /^its source, VolumeSnapshot default\/s, is not ready to use: the snapshotter of .*the pool is full$/,
      );
      disks.driver.fail("createSnapshot", undefined);
      await disks.world.advance("10m");
      expect(await whySnapshot("s")).toEqual([]);
      expect(await whyClaim("copy")).toMatchObject([
        { says: "it requests 1Gi, and its source, VolumeSnapshot default/s, has 2Gi", about: at("copy") },
      ]);
    });

    test("of a claim that waits says why that one does", async () => {
      await makeClass();
      disks.driver.fail("createVolume", { code: 11, says: "at most 1Gi" });
      await disks.makeClaim("origin");
      await take("s", { source: { persistentVolumeClaimName: "origin" } });
      const [reason] = await whySnapshot("s");
      expect(reason?.says).toMatch(
        /^its source, PersistentVolumeClaim default\/origin, is Pending: .*OutOfRange: at most 1Gi$/,
      );
    });

    test("that stands for a content names that where it is missing, or is another's", async () => {
      await makeClass();
      const source = { volumeSnapshotContentName: "kept" };
      await take("s", { source });
      expect(await whySnapshot("s")).toMatchObject([
        { says: 'its content is missing: volumesnapshotcontent.snapshot.storage.k8s.io "kept" not found' },
      ]);
      await disks.create(kinds.content, {
        metadata: { name: "kept" },
        spec: {
          driver: DRIVER,
          deletionPolicy: "Retain",
          source: { snapshotHandle: "h" },
          volumeSnapshotRef: { name: "other", namespace: "default" },
        },
      });
      expect(await whySnapshot("s")).toMatchObject([
        {
          says: "VolumeSnapshotContent kept belongs to the snapshot default/other",
          who: "a user who names another content",
        },
      ]);
    });

    test("is held by what is filled from it, and its claim by the snapshot", async () => {
      await makeClass();
      await disks.makeClaim("origin");
      disks.driver.isReadyAtOnce = false;
      await take("s", { source: { persistentVolumeClaimName: "origin" } });
      await disks.deleteClaim("origin");
      expect((await whyClaim("origin")).map(({ says }) => says)).toContain(
        "VolumeSnapshot default/s is being taken of it (finalizer snapshot.storage.kubernetes.io/pvc-as-source-protection)",
      );
      for (const picture of disks.driver.pictures.values()) picture.isReady = true;
    });
  });
});

describe("a claim that a populator fills", () => {
  const dataSourceRef = { apiGroup: "hello.example.com", kind: "Hello", name: "h" };
  const hellos = kindOfType<{ apiVersion: string; kind: string; metadata: never; spec: object }>()({
    group: "hello.example.com",
    version: "v1",
    kind: "Hello",
    plural: "hellos",
    scope: "Namespaced",
  });

  test("names the definition, the object, the populator, and what that says", async () => {
    await disks.start();
    await disks.makeClaim("filled", { dataSourceRef });
    expect(await whyClaim("filled")).toMatchObject([
      { who: "an administrator who installs the CustomResourceDefinition of Hello.hello.example.com" },
    ]);
    await disks.create(CustomResourceDefinition, {
      metadata: { name: "hellos.hello.example.com" },
      spec: {
        group: "hello.example.com",
        names: { kind: "Hello", plural: "hellos" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    expect(await whyClaim("filled")).toMatchObject([
      {
        says: 'its source is missing: hello.hello.example.com "h" not found',
        who: "a user who creates the Hello default/h",
      },
    ]);
    await disks.create(hellos, { metadata: at("h") });
    expect(await whyClaim("filled")).toMatchObject([
      {
        says: 'it waits for the populator of Hello.hello.example.com, which fills volumes from Hello.hello.example.com "h"',
        who: "the populator of Hello.hello.example.com",
        about: { kind: "Hello", name: "h" },
      },
    ]);
    const { uid } = (await disks.claim("filled")).metadata;
    await disks.create(CoreEvent, {
      metadata: at("e"),
      involvedObject: { kind: "PersistentVolumeClaim", ...at("filled"), uid },
      type: "Warning",
      reason: "PopulatorFailed",
      message: "no greeting",
      source: { component: "hello-populator" },
      lastTimestamp: new Date(disks.world.clock.now()).toISOString(),
    });
    expect(await whyClaim("filled")).toMatchObject([
      {
        says: "the populator of Hello.hello.example.com says: no greeting",
        quotes: { reason: "PopulatorFailed", from: "hello-populator" },
      },
    ]);
  });
});

describe("a claim whose driver refuses", () => {
  test.each([
    [
      3,
      "a user who changes PersistentVolumeClaim default/a or the StorageClass fast to what disks.example.com accepts",
    ],
    [
      8,
      "an administrator who gives disks.example.com more capacity, or a user who changes PersistentVolumeClaim default/a or the StorageClass fast",
    ],
    [14, "the operator of disks.example.com, which does not respond"],
    [16, "an administrator who gives disks.example.com its credentials"],
    [
      13,
      "a user who changes PersistentVolumeClaim default/a or the StorageClass fast, or the operator of disks.example.com",
    ],
  ])("with code %i is told its words, and who can act", async (code, who) => {
    disks.driver.fail("createVolume", { code, says: "not like this" });
    await disks.start();
    await disks.makeClaim("a");
    const [reason, ...others] = await whyClaim("a");
    expect(reason?.says).toMatch(
      /^the provisioner disks.example.com could not create its volume: failed to provision volume with StorageClass "fast": CreateVolume: \w+: not like this$/,
    );
    expect([reason?.who, others]).toEqual([who, []]);
    expect(reason?.quotes).toMatchObject({ in: "Event", reason: "ProvisioningFailed", from: "external-provisioner" });
    disks.driver.fail("createVolume", undefined);
    await disks.world.advance("15m");
    expect(await whyClaim("a")).toEqual([]);
  });

  test("reports that, too, where its node was removed, and so does its Pod", async () => {
    await disks.world.run(scheduler(disks.dialect));
    const room = { cpu: "4", memory: "8Gi", pods: "20" };
    await disks
      .resource(Node)
      .status.patch({ name: "here" }, { status: { capacity: room, allocatable: room } } as never);
    await disks.settled();
    await disks.makeClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
    disks.driver.fail("createVolume", { code: 8, says: "no room" });
    await disks.start();
    await disks.makeClaim("a", { storageClassName: "late" });
    await disks.create(Pod, {
      metadata: at("p"),
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "a" } }],
      },
    });
    const says = expect.stringMatching(/could not create its volume: .*ResourceExhausted: no room$/);
    expect((await whyClaim("a"))[0]).toMatchObject({ says });
    expect((await whyPod("p"))[0]).toMatchObject({ says, about: at("a") });
  });

  test("where no provisioner runs is explained: no component has reported anything", async () => {
    await disks.makeClaim("a");
    expect(await whyClaim("a")).toMatchObject([
      {
        says: "it waits for the provisioner disks.example.com to create a volume; it has reported nothing yet",
        who: "the provisioner disks.example.com: is it running?",
      },
    ]);
  });

  test("that has not responded yet is reported", async () => {
    disks.driver.fail("createVolume", { code: 0, hangs: true });
    await disks.start();
    await disks.makeClaim("a");
    expect(await whyClaim("a")).toMatchObject([
      { says: "the provisioner disks.example.com is creating its volume, and has not reported a result" },
    ]);
  });
});

test("a claim that names an attributes class that is not there names that", async () => {
  await disks.start();
  await disks.makeClaim("a", { volumeAttributesClassName: "gold" });
  expect(await whyClaim("a")).toMatchObject([
    {
      says: 'volumeattributesclass.storage.k8s.io "gold" not found',
      who: "a user who creates the VolumeAttributesClass gold",
    },
  ]);
});

test("a claim that is Lost says which volume was deleted, and not that the data is", async () => {
  await disks.start();
  await disks.makeClaim("a");
  const volume = await disks.volumeOf("a");
  const { name } = volume.metadata;
  await disks.resource(PersistentVolume).patch({ name }, { metadata: { finalizers: null } });
  await disks.resource(PersistentVolume).delete({ name });
  await disks.settled();
  await disks
    .resource(PersistentVolume)
    .patch({ name }, { metadata: { finalizers: null } })
    .catch(() => {});
  await disks.settled();
  expect((await disks.claim("a")).status.phase).toBe("Lost");
  const lost = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
  expect(await disks.messages("a", "ClaimLost")).toEqual([lost]);
  expect(await whyClaim("a")).toEqual([
    {
      says: `it was bound to the PersistentVolume ${name}, which was deleted; only its driver knows whether the disk still exists`,
      who: `a user who creates the PersistentVolume ${name} again, of the same disk, with a claimRef to default/a; or deletes this claim`,
      about: { apiVersion: "v1", kind: "PersistentVolume", name },
    },
  ]);
});

test("the Events of a claim that gets its volume have the words of Kubernetes", async () => {
  await disks.start();
  await disks.makeClaim("a");
  const { items } = await disks.resource(CoreEvent).list();
  const about = items.filter(({ involvedObject }) => involvedObject.name === "a");
  const waiting =
    "Waiting for a volume to be created either by the external provisioner 'disks.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  expect(about.map(({ reason, message }) => `${reason}: ${message}`).toSorted()).toEqual([
    `ExternalProvisioning: ${waiting}`,
    'Provisioning: External provisioner is provisioning volume for claim "default/a"',
    `ProvisioningSucceeded: Successfully provisioned volume ${(await disks.claim("a")).spec.volumeName}`,
  ]);
});

test("a claim that is deleted while its driver may be at work says so, and what that answered", async () => {
  await disks.start();
  disks.driver.fail("createVolume", { code: 14, says: "away" });
  await disks.makeClaim("a");
  await disks.deleteClaim("a");
  expect((await whyClaim("a"))[0]).toMatchObject({
    says: expect.stringMatching(
      /^the provisioner disks-example-com was requested to create a volume, and deletes the result \(finalizer external-provisioner\/disks-example-com\); it says: .*away$/,
    ),
    who: "the operator of disks-example-com, which does not respond",
  });
});

test("a claim that waits for snapshots whose kind is gone says that", async () => {
  const finalizer = "snapshot.storage.kubernetes.io/pvc-as-source-protection";
  await disks.makeClaim("a", {}, { finalizers: [finalizer] });
  await disks.deleteClaim("a");
  expect((await whyClaim("a")).find(({ says }) => says.includes(finalizer))).toEqual({
    says: `snapshots of it were taken, and the kind VolumeSnapshot.snapshot.storage.k8s.io is not served any more (finalizer ${finalizer})`,
    who: "an administrator who installs its CustomResourceDefinition again, or removes the finalizer",
  });
});

test("a claim from which others are filled names these", async () => {
  await disks.start();
  await disks.makeClaim("origin");
  disks.driver.fail("createVolume", { code: 14, says: "away" });
  await disks.makeClaim("copy", { dataSource: { kind: "PersistentVolumeClaim", name: "origin" } });
  await disks.deleteClaim("origin");
  expect((await whyClaim("origin")).map(({ says }) => says)).toContain(
    "PersistentVolumeClaim default/copy is being filled from it (finalizer provisioner.storage.kubernetes.io/cloning-protection)",
  );
});

test("a volume whose disk cannot be deleted tells what its driver says", async () => {
  await disks.start();
  await disks.makeClaim("a");
  const { name } = (await disks.volumeOf("a")).metadata;
  disks.driver.fail("deleteVolume", { code: 9, says: "it has snapshots" });
  await disks.deleteClaim("a");
  await disks.resource(PersistentVolume).delete({ name });
  await disks.settled();
  const { reasons } = await disks.resource(PersistentVolume).why({ name });
  expect(reasons[0]).toMatchObject({
    says: expect.stringMatching(/could not delete its disk: .*FailedPrecondition: it has snapshots \(finalizer /),
    quotes: { reason: "VolumeFailedDelete" },
  });
});

describe("a Pod whose volume is to be attached", () => {
  const managed = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  beforeEach(async () => {
    await disks.makeNodes("one", "two");
    for (const name of ["one", "two"]) {
      await disks.resource(Node).patch({ name }, { metadata: { annotations: managed } });
    }
    await disks.start();
    disks.driver.placesOf = () => [];
    await disks.makeClaim("a");
  });
  const makePod = (name: string, nodeName: string, claimName = "a", namespace = "default") =>
    disks.create(Pod, {
      metadata: { name, namespace },
      spec: {
        nodeName,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
      },
    });

  test("names the other node that has it, and the Pod there", async () => {
    await makePod("first", "one");
    await makePod("second", "two");
    const volume = (await disks.claim("a")).spec.volumeName;
    expect(await whyPod("second")).toMatchObject([
      {
        says: `its volume ${volume} is for one node at a time, and is attached to the node one, where Pod default/first uses it`,
        who: "a user who deletes that Pod, or lets both run on one node",
        about: { kind: "Pod", ...at("first") },
      },
    ]);
  });

  test("does not say that no Pod uses it to who may not read those of all namespaces", async () => {
    await makePod("first", "one");
    await makePod("second", "two");
    const refusal = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "no pods for you" };
    const client = disks.world.client.with({
      through: (transport) => async (request) =>
        request.path.startsWith("/api/v1/pods?")
          ? { status: 403, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(refusal))]) }
          : transport(request),
    });
    const { reasons } = await explain(client, disks.dialect, { kind: Pod, key: at("second") });
    expect(reasons.map(({ says, who }) => [says, who])).toEqual([
      [
        `its volume ${(await disks.claim("a")).spec.volumeName} is for one node at a time, and is attached to the node one`,
        "a user who deletes the Pod that uses it there",
      ],
      ["the report is incomplete: no pods for you", undefined],
    ]);
  });

  test("also where that Pod uses the disk by another volume", async () => {
    const { spec } = await disks.volumeOf("a");
    await disks.create(PersistentVolume, {
      metadata: { name: "copy" },
      spec: {
        capacity: spec.capacity,
        accessModes: spec.accessModes,
        csi: { driver: DRIVER, volumeHandle: spec.csi!.volumeHandle },
        storageClassName: "",
        claimRef: at("b"),
      },
    });
    await disks.makeClaim("b", { volumeName: "copy", storageClassName: "" });
    await makePod("first", "one", "b");
    await makePod("second", "two");
    const [reason] = await whyPod("second");
    expect(reason).toMatchObject({ about: at("first") });
    expect(reason?.says).toContain("attached to the node one, where Pod default/first uses it");
  });

  test("tells what the attacher says, and nothing of it once it is attached", async () => {
    disks.driver.fail("controllerPublishVolume", { code: 5, says: "no such machine" });
    await makePod("p", "one");
    const says = expect.stringMatching(
      /^the attacher of disks.example.com could not attach the volume \S+ to the node one: ControllerPublishVolume: NotFound: no such machine$/,
    );
    expect(await whyPod("p")).toMatchObject([
      { says, about: { kind: "VolumeAttachment" }, quotes: { reason: "attachError" } },
    ]);
    const [attachment] = (await disks.resource(VolumeAttachment).list()).items;
    const { name } = attachment!.metadata;
    expect((await disks.resource(VolumeAttachment).why({ name })).reasons).toMatchObject([{ says }]);
    disks.driver.fail("controllerPublishVolume", undefined);
    await disks.world.advance("10m");
    expect(JSON.stringify(await whyPod("p"))).not.toContain("no such machine");
    expect((await disks.resource(VolumeAttachment).why({ name })).reasons).toEqual([]);
  });

  test("names a driver that is not on the node, and a volume that is gone", async () => {
    const attach = async (name: string, volume: string, node: string) => {
      await disks.attach(name, volume, node);
      return (await disks.resource(VolumeAttachment).why({ name })).reasons;
    };
    expect(await attach("x", "nothing", "one")).toMatchObject([
      { says: 'its volume is missing: persistentvolume "nothing" not found' },
    ]);
    const { name } = (await disks.volumeOf("a")).metadata;
    expect(await attach("y", name, "three")).toMatchObject([
      {
        says: "the driver disks.example.com is not registered on the node three",
        about: { kind: "CSINode", name: "three" },
      },
    ]);
  });

  test("names an attacher that has said nothing", async () => {
    const { name } = (await disks.volumeOf("a")).metadata;
    await makePod("p", "one");
    await disks.manager.stop({ grace: 0 });
    await disks.resource(Pod).delete(at("p"), { gracePeriodSeconds: 0 });
    await disks.settled();
    await disks.world.advance("1m");
    const items = (await disks.resource(VolumeAttachment).list()).items;
    const leaving = items.find(({ metadata }) => metadata.deletionTimestamp !== undefined)!;
    expect((await disks.resource(VolumeAttachment).why({ name: leaving.metadata.name })).reasons).toMatchObject([
      {
        says: `the attacher of disks.example.com is to detach the volume ${name} from the node one, and has reported nothing yet (finalizer external-attacher/disks-example-com)`,
        who: "the attacher of disks.example.com: is it running?",
      },
    ]);
  });

  test("tells what kept a volume from being detached", async () => {
    await makePod("p", "one");
    disks.driver.fail("controllerUnpublishVolume", { code: 13, says: "stuck" });
    await disks.resource(Pod).delete(at("p"), { gracePeriodSeconds: 0 });
    await disks.settled();
    await disks.world.advance("1m");
    const [attachment] = (await disks.resource(VolumeAttachment).list()).items;
    expect((await disks.resource(VolumeAttachment).why({ name: attachment!.metadata.name })).reasons).toMatchObject([
      { says: expect.stringContaining("could not detach"), quotes: { reason: "detachError" } },
    ]);
  });
});

test("a snapshot of a claim that the user may not read is explained as far as permitted", async () => {
  await disks.installSnapshots();
  const snapshot = { metadata: at("s"), spec: { source: { persistentVolumeClaimName: "x" } } };
  await disks.create(kinds.snapshot, snapshot as unknown as NewObject<VolumeSnapshot>);
  expect((await whySnapshot("s"))[0]?.says).toContain("it names no VolumeSnapshotClass");
});
