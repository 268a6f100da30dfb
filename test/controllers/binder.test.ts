import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewObject, Transport } from "../../src/client/index.ts";
import { CoreEvent, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../src/client/kinds/index.ts";
import { volumeBinder } from "../../src/controllers/storage/binder/binder.ts";
import { volumeProtection } from "../../src/controllers/storage/protection.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import type { Manager } from "../../src/runtime/index.ts";
import { World } from "../runtime/world.ts";

let world: World;
let manager: Manager;
beforeEach(async () => {
  world = await World.create();
  const binder = volumeBinder(kubernetes);
  manager = world.manager({ countedEvents: true }).add(binder, volumeProtection(kubernetes));
  await manager.start();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const at = (name: string) => ({ name, namespace: "default" });
const claims = () => world.resource(PersistentVolumeClaim);
const volumes = () => world.resource(PersistentVolume);
const claimOf = (name: string) => claims().get(at(name));
const volumeOf = (name: string) => volumes().get({ name });

interface Wants {
  readonly size?: string;
  readonly modes?: readonly string[];
  readonly className?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly more?: object;
}

const makeClaim = (name: string, { size = "1Gi", modes = ["ReadWriteOnce"], className = "c", more }: Wants = {}) =>
  claims().create({
    metadata: at(name),
    spec: {
      accessModes: modes,
      resources: { requests: { storage: size } },
      ...(className === "unset" ? {} : { storageClassName: className }),
      ...more,
    },
  } as NewObject<PersistentVolumeClaim>);
const makeVolume = (
  name: string,
  { size = "1Gi", modes = ["ReadWriteOnce"], className = "c", annotations = {}, more }: Wants = {},
) =>
  volumes().create({
    metadata: { name, annotations },
    spec: {
      capacity: { storage: size },
      accessModes: modes,
      storageClassName: className,
      csi: { driver: "d.example.com", volumeHandle: name },
      ...more,
    },
  } as NewObject<PersistentVolume>);
const makeClass = (name: string, more: object = {}) =>
  world.resource(StorageClass).create({ metadata: { name }, provisioner: "p.example.com", ...more } as never);
const eventsOf = async (name: string) => {
  const { items } = await world.resource(CoreEvent).list();
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, source }) => [type, reason, source.component]);
};
const BOUND_BY = "pv.kubernetes.io/bound-by-controller";
const COMPLETED = "pv.kubernetes.io/bind-completed";
const FROM = "persistentvolume-controller";

describe("binding (SUP-20)", () => {
  test("CTL-BIND-1, 2, 3, 8, 15, 19, 20, 21, CTL-MODE-1, SC-15, PVC-31, PVP-1, PVP-2: a claim and a volume that fits are bound to each other", async () => {
    await makeVolume("v", { size: "2Gi" });
    await world.settled();
    expect((await volumeOf("v")).status.phase).toBe("Available");
    const { metadata } = await makeClaim("a");
    await world.settled();
    const claim = await claimOf("a");
    expect(claim.spec.volumeName).toBe("v");
    expect(claim.metadata.annotations).toEqual({ [COMPLETED]: "yes", [BOUND_BY]: "yes" });
    expect(claim.status).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" } });
    const volume = await volumeOf("v");
    expect(volume.metadata.annotations).toEqual({ [BOUND_BY]: "yes" });
    expect(volume.spec.claimRef).toMatchObject({ kind: "PersistentVolumeClaim", ...at("a"), uid: metadata.uid });
    expect(volume.status.phase).toBe("Bound");
  });

  test("CTL-BIND-5, 6, 12, PVC-2: of those that fit the one of the fewest modes wins, then the smallest", async () => {
    await makeVolume("three", { modes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] });
    await makeVolume("large", { size: "9Gi" });
    await makeVolume("small", { size: "2000Mi" });
    await makeVolume("tiny", { size: "1G" });
    await world.settled();
    await makeClaim("a");
    await makeClaim("b", { modes: ["ReadOnlyMany"] });
    await world.settled();
    expect((await claimOf("a")).spec.volumeName).toBe("small");
    expect((await claimOf("b")).spec.volumeName).toBe("three");
  });

  test.each([
    ["CTL-BIND-7, PV-16: class", { className: "other" }],
    ["CTL-BIND-9: volumeMode", { more: { volumeMode: "Block" } }],
    ["CTL-BIND-10, PV-20: attributes class", { more: { volumeAttributesClassName: "gold" } }],
  ])("%s has to be the same", async (_, wants) => {
    await makeVolume("v", wants);
    await makeClaim("a");
    await world.settled();
    expect((await claimOf("a")).status).toEqual({ phase: "Pending" });
    expect((await volumeOf("v")).status.phase).toBe("Available");
  });

  test("CTL-BIND-11, 17, 18: a claim waits for a volume that its selector matches, and takes one that comes to match", async () => {
    await makeVolume("v");
    await makeClaim("a", {
      more: { selector: { matchExpressions: [{ key: "tier", operator: "In", values: ["gold"] }] } },
    });
    await world.settled();
    expect((await claimOf("a")).status).toEqual({ phase: "Pending" });
    await volumes().patch({ name: "v" }, { metadata: { labels: { tier: "gold" } } });
    await world.settled();
    expect((await claimOf("a")).status.phase).toBe("Bound");
  });

  test("CTL-BIND-14: claims that come at once each get the smallest that fits, each volume once", async () => {
    const sizes = Array.from({ length: 20 }, (_, i) => i + 1);
    for (const i of sizes.toReversed()) await makeVolume(`v${i}`, { size: `${i}Gi` });
    await world.settled();
    await Promise.all(sizes.map((i) => makeClaim(`c${i}`, { size: `${i}Gi` })));
    await world.settled();
    const bound = await Promise.all(sizes.map(async (i) => (await claimOf(`c${i}`)).spec.volumeName));
    expect(bound).toEqual(sizes.map((i) => `v${i}`));
  });

  test("CTL-BIND-18: a volume that one waiting claim leaves is offered to the next", async () => {
    await makeClaim("picky", { more: { selector: { matchLabels: { tier: "gold" } } } });
    for (const name of ["a", "b", "c"]) await makeClaim(name);
    await world.settled();
    for (const name of ["v1", "v2", "v3"]) await makeVolume(name);
    await world.settled();
    expect((await claimOf("picky")).status.phase).toBe("Pending");
    for (const name of ["a", "b", "c"]) expect((await claimOf(name)).status.phase).toBe("Bound");
  });
});

describe("reservations", () => {
  test("CTL-BIND-24..26: a claim that names its volume waits for it, and gets an Event with what it lacks", async () => {
    await makeClaim("a", { more: { volumeName: "v" } });
    await world.settled();
    expect((await claimOf("a")).status).toEqual({ phase: "Pending" });
    await makeVolume("v", { className: "other" });
    await makeVolume("w");
    await world.settled();
    expect(await eventsOf("a")).toEqual([["Warning", "VolumeMismatch", FROM]]);
    expect((await volumeOf("v")).spec.claimRef).toBeUndefined();
    await volumes().patch({ name: "v" }, { spec: { storageClassName: "c" } });
    await world.settled();
    expect((await claimOf("a")).metadata.annotations).toEqual({ [COMPLETED]: "yes" });
  });

  test("CTL-BIND-27: a volume of another claim is not given, until it is free again", async () => {
    await makeVolume("v", { more: { claimRef: at("other") } });
    await makeClaim("a", { more: { volumeName: "v" } });
    await world.settled();
    expect(await eventsOf("a")).toEqual([["Warning", "FailedBinding", FROM]]);
    await volumes().patch({ name: "v" }, { spec: { claimRef: null } });
    await world.settled();
    expect((await claimOf("a")).status.phase).toBe("Bound");
  });

  test("CTL-BIND-28, 29: a reserved volume waits for its claim, which prefers it to a smaller one, whatever its class", async () => {
    await makeVolume("kept", { size: "5Gi", className: "other", more: { claimRef: at("mine") } });
    await makeVolume("v");
    await makeClaim("a", { className: "other" });
    await world.settled();
    expect((await claimOf("a")).status.phase).toBe("Pending");
    expect((await volumeOf("kept")).status.phase).toBe("Available");
    await makeClaim("mine");
    await world.settled();
    expect((await claimOf("mine")).spec.volumeName).toBe("kept");
    expect((await volumeOf("kept")).metadata.annotations).toBeUndefined();
  });

  test("CTL-BIND-33, 34: a volume of a claim that is gone is Released; one of a claim bound elsewhere is given back", async () => {
    await makeVolume("gone", { more: { claimRef: { ...at("x"), uid: "0a" } } });
    await makeVolume("v");
    const { metadata } = await makeClaim("a");
    await world.settled();
    const reservation = { ...at("a"), resourceVersion: "7" };
    const claimRef = { ...reservation, uid: metadata.uid };
    await makeVolume("second", { more: { claimRef } });
    await makeVolume("ours", { annotations: { [BOUND_BY]: "yes" }, more: { claimRef } });
    await world.settled();
    expect((await volumeOf("gone")).status.phase).toBe("Released");
    expect((await volumeOf("second")).spec.claimRef).toEqual(reservation);
    expect((await volumeOf("ours")).spec.claimRef).toBeUndefined();
    for (const name of ["second", "ours"]) expect((await volumeOf(name)).status.phase).toBe("Available");
  });
});

describe("volumes that name their claim", () => {
  test("CTL-BIND-30: volume and claim that name each other are bound whatever they are, and neither has a mark", async () => {
    await makeVolume("v", { size: "1Mi", modes: ["ReadOnlyMany"], className: "x", more: { claimRef: at("a") } });
    await makeClaim("a", { more: { volumeName: "v" } });
    await world.settled();
    const [claim, volume] = [await claimOf("a"), await volumeOf("v")];
    expect([claim.status.phase, volume.status.phase]).toEqual(["Bound", "Bound"]);
    expect([claim.metadata.annotations, volume.metadata.annotations]).toEqual([{ [COMPLETED]: "yes" }, undefined]);
  });

  test("CTL-BIND-32: of another volumeMode than their claim they are not bound to it, and both get an Event", async () => {
    const { metadata } = await makeClaim("a");
    await makeVolume("v", { more: { volumeMode: "Block", claimRef: { ...at("a"), uid: metadata.uid } } });
    await world.settled();
    expect([(await claimOf("a")).status.phase, (await volumeOf("v")).status.phase]).toEqual(["Pending", "Pending"]);
    const mismatch = ["Warning", "VolumeMismatch", FROM];
    expect(await eventsOf("v")).toEqual([mismatch]);
    expect(await eventsOf("a")).toContainEqual(mismatch);
  });

  test("CTL-BIND-35: made for a claim that has another, they are Released for who made them, and keep the reference", async () => {
    await makeVolume("first");
    const { metadata } = await makeClaim("a");
    await world.settled();
    const claimRef = { ...at("a"), uid: metadata.uid };
    const annotations = { "pv.kubernetes.io/provisioned-by": "p.example.com" };
    const more = { claimRef, persistentVolumeReclaimPolicy: "Delete" };
    await makeVolume("made", { annotations, more });
    await makeVolume("kept", { annotations, more: { ...more, persistentVolumeReclaimPolicy: "Retain" } });
    await world.settled();
    expect([(await volumeOf("made")).status.phase, (await volumeOf("made")).spec.claimRef]).toEqual([
      "Released",
      claimRef,
    ]);
    expect([(await volumeOf("kept")).status.phase, (await volumeOf("kept")).spec.claimRef]).toEqual([
      "Available",
      at("a"),
    ]);
  });

  test("CTL-RECLAIM-6: whose uid alone was taken off they wait for a claim of that name, and for no other", async () => {
    await makeVolume("v", { more: { claimRef: { ...at("a"), uid: "0a" } } });
    await world.settled();
    expect((await volumeOf("v")).status.phase).toBe("Released");
    await volumes().patch({ name: "v" }, { spec: { claimRef: { uid: null } } });
    await makeClaim("b");
    await world.settled();
    expect([(await claimOf("b")).status.phase, (await volumeOf("v")).status.phase]).toEqual(["Pending", "Available"]);
    await makeClaim("a");
    await world.settled();
    expect((await claimOf("a")).spec.volumeName).toBe("v");
  });
});

describe("claims that say they were bound", () => {
  test("CTL-BIND-37: without a volume are Lost", async () => {
    await claims().create({
      metadata: { ...at("a"), annotations: { [COMPLETED]: "yes" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "c" },
    } as NewObject<PersistentVolumeClaim>);
    await makeVolume("v");
    await world.settled();
    expect((await claimOf("a")).status).toEqual({ phase: "Lost" });
    expect(await eventsOf("a")).toEqual([["Warning", "ClaimLost", FROM]]);
    expect((await volumeOf("v")).status.phase).toBe("Available");
  });

  test("CTL-BIND-37: are said to be Lost once, however often they are looked at", async () => {
    const annotate = (value: string) => claims().patch(at("a"), { metadata: { annotations: { again: value } } });
    const timesTold = async (): Promise<number> => {
      const { items } = await world.resource(CoreEvent).list();
      return items.filter(({ reason }) => reason === "ClaimLost").reduce((sum, { count = 1 }) => sum + count, 0);
    };
    await claims().create({
      metadata: { ...at("a"), annotations: { [COMPLETED]: "yes" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "c" },
    } as NewObject<PersistentVolumeClaim>);
    await world.settled();
    for (const value of ["1", "2", "3"]) {
      await annotate(value);
      // What happens again is written with what came meanwhile.
      await world.advance("1m");
    }
    expect((await claimOf("a")).status).toEqual({ phase: "Lost" });
    expect(await timesTold()).toBe(1);
  });

  test("CTL-BIND-38: are Lost when their volume is of another", async () => {
    await makeVolume("v", { more: { persistentVolumeReclaimPolicy: "Retain" } });
    await makeClaim("a");
    await world.settled();
    await volumes().patch({ name: "v" }, { spec: { claimRef: { uid: "0a" } } });
    await world.settled();
    expect((await claimOf("a")).status).toEqual({ phase: "Lost" });
    expect(await eventsOf("a")).toContainEqual(["Warning", "ClaimMisbound", FROM]);
  });
});

test("CTL-GEN-4, CTL-BIND-23: what is written is an update of the controller, phases one of the status with their time", async () => {
  await makeVolume("v");
  await world.settled();
  const { lastPhaseTransitionTime: before } = (await volumeOf("v")).status;
  await world.advance("10s");
  await makeClaim("a");
  await world.settled();
  const [volume, claim] = [await volumeOf("v"), await claimOf("a")];
  expect(Date.parse(volume.status.lastPhaseTransitionTime!) - Date.parse(before!)).toBe(10_000);
  for (const { managedFields = [] } of [volume.metadata, claim.metadata]) {
    const entries = managedFields.filter((one) => one.manager === "keelson-persistentvolume-binder");
    expect(new Set(entries.map(({ operation, subresource = "" }) => `${operation} ${subresource}`))).toEqual(
      new Set(["Update ", "Update status"]),
    );
    for (const { subresource, fieldsV1 } of entries) {
      expect("f:status" in (fieldsV1 as object)).toBe(subresource === "status");
    }
  }
});

describe("what was bound", () => {
  beforeEach(async () => {
    await makeVolume("v", { more: { persistentVolumeReclaimPolicy: "Retain" } });
    await makeClaim("a");
    await world.settled();
  });

  test("CTL-BIND-36, 39: a claim whose volume is gone is Lost, and found again when one of that name comes", async () => {
    await volumes().patch({ name: "v" }, { metadata: { finalizers: null } });
    await volumes().delete({ name: "v" });
    await volumes()
      .patch({ name: "v" }, { metadata: { finalizers: null } })
      .catch(() => {});
    await world.settled();
    expect((await claimOf("a")).status).toEqual({ phase: "Lost" });
    expect(await eventsOf("a")).toContainEqual(["Warning", "ClaimLost", FROM]);
    await makeVolume("v", { size: "7Gi" });
    await world.settled();
    expect((await claimOf("a")).status).toMatchObject({ phase: "Bound", capacity: { storage: "7Gi" } });
  });

  test("CTL-BIND-40, 41, 42: references, marks and phases that were taken away are put back", async () => {
    await volumes().patch({ name: "v" }, { spec: { claimRef: null } });
    await claims().patch(at("a"), { metadata: { annotations: null } });
    await volumes().status.patch({ name: "v" }, { status: { phase: "Failed" } });
    await world.settled();
    expect((await volumeOf("v")).spec.claimRef).toMatchObject(at("a"));
    expect((await volumeOf("v")).status.phase).toBe("Bound");
    expect((await claimOf("a")).metadata.annotations).toMatchObject({ [COMPLETED]: "yes" });
  });

  test("SUP-26, CTL-RECLAIM-1, 2, 4, 5, PV-13, PVP-3, PVP-4, PVP-5, AMB-7: a volume whose claim is gone is Released, kept, and free when its reference is taken off", async () => {
    await claims().patch(at("a"), { metadata: { finalizers: null } });
    await claims().delete(at("a"));
    await makeClaim("b");
    await world.settled();
    expect((await volumeOf("v")).status.phase).toBe("Released");
    expect((await claimOf("b")).status.phase).toBe("Pending");
    await volumes().patch({ name: "v" }, { spec: { claimRef: null } });
    await world.settled();
    expect((await claimOf("b")).spec.volumeName).toBe("v");
  });
});

test("CTL-RECLAIM-1: a volume whose reference names no claim that there can be is Released", async () => {
  await makeVolume("v", { more: { claimRef: { name: "x", uid: "0a" } } });
  await world.settled();
  expect((await volumeOf("v")).status.phase).toBe("Released");
});

describe("classes", () => {
  test("CTL-BIND-45, 46, CTL-PROV-1, 6: a claim names the provisioner of its class, and gets an Event where there is none", async () => {
    await makeClaim("none", { className: "" });
    await makeClaim("a");
    await world.settled();
    expect(await eventsOf("none")).toEqual([["Normal", "FailedBinding", FROM]]);
    expect(await eventsOf("a")).toEqual([["Warning", "ProvisioningFailed", FROM]]);
    await makeClass("c");
    await world.settled();
    expect(await eventsOf("a")).toContainEqual(["Normal", "ExternalProvisioning", FROM]);
    expect((await claimOf("a")).metadata.annotations).toEqual({
      "volume.kubernetes.io/storage-provisioner": "p.example.com",
      "volume.beta.kubernetes.io/storage-provisioner": "p.example.com",
    });
  });

  test("CTL-PROV-2: a volume that fits is used, and no provisioner is requested", async () => {
    await makeClass("c");
    await makeVolume("v");
    await world.settled();
    await makeClaim("a");
    await world.settled();
    expect((await claimOf("a")).spec.volumeName).toBe("v");
    expect(await eventsOf("a")).toEqual([]);
  });

  test("CTL-PROV-5, 8, 9: a class that is created again with another provisioner changes the requested one, its driver where it was migrated", async () => {
    const told = async () => (await claimOf("a")).metadata.annotations;
    const marksOf = (provisioner: string) => ({
      "volume.kubernetes.io/storage-provisioner": provisioner,
      "volume.beta.kubernetes.io/storage-provisioner": provisioner,
    });
    await makeClass("c");
    await makeClaim("a");
    await world.settled();
    for (const [provisioner, driver] of [
      ["kubernetes.io/aws-ebs", "ebs.csi.aws.com"],
      ["q.example.com", "q.example.com"],
    ] as const) {
      await world.resource(StorageClass).delete({ name: "c" });
      await makeClass("c", { provisioner });
      await world.settled();
      expect(await told()).toEqual(marksOf(driver));
    }
    await claims().patch(at("a"), { metadata: { annotations: marksOf("kubernetes.io/aws-ebs") } });
    await world.resource(StorageClass).delete({ name: "c" });
    await world.settled();
    await claims().patch(at("a"), { metadata: { annotations: marksOf("kubernetes.io/aws-ebs") } });
    await world.settled();
    expect(await told()).toMatchObject({ "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com" });
    await claims().patch(at("a"), { metadata: { annotations: { "pv.kubernetes.io/migrated-to": null } } });
    await world.settled();
    expect(await told()).toMatchObject({ "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com" });
    await claims().patch(at("a"), { metadata: { annotations: marksOf("q.example.com") } });
    await world.settled();
    expect(await told()).not.toHaveProperty("pv.kubernetes.io/migrated-to");
  });

  test("CTL-PROV-4: what is built in and unknown makes nothing", async () => {
    await makeClass("c", { provisioner: "kubernetes.io/no-provisioner" });
    await makeClaim("a");
    await world.settled();
    expect(await eventsOf("a")).toEqual([["Warning", "ProvisioningFailed", FROM]]);
    expect((await claimOf("a")).metadata.annotations).toBeUndefined();
  });

  test("CTL-PROV-3, CTL-BIND-31: the volume that a provisioner makes is bound", async () => {
    await makeClass("c");
    const { metadata } = await makeClaim("a");
    await world.settled();
    const annotations = { "pv.kubernetes.io/provisioned-by": "p.example.com" };
    await makeVolume("pvc-1", { annotations, more: { claimRef: { ...at("a"), uid: metadata.uid } } });
    await world.settled();
    expect((await claimOf("a")).status.phase).toBe("Bound");
  });

  test("CTL-RECLAIM-7, 18, PV-14: the volume that a provisioner made is the provisioner's to delete, after its claim", async () => {
    await makeClass("c");
    const { metadata } = await makeClaim("a");
    await world.settled();
    const annotations = { "pv.kubernetes.io/provisioned-by": "p.example.com" };
    const finalizers = ["external-provisioner.volume.kubernetes.io/finalizer"];
    const policy = { persistentVolumeReclaimPolicy: "Delete" };
    const made = await makeVolume("pvc-1", {
      annotations,
      more: { ...policy, claimRef: { ...at("a"), uid: metadata.uid } },
    });
    await volumes().patch(
      { name: "pvc-1" },
      { metadata: { finalizers: [...made.metadata.finalizers!, ...finalizers] } },
    );
    await world.settled();
    await claims().patch(at("a"), { metadata: { finalizers: null } });
    await claims().delete(at("a"));
    await world.settled();
    expect((await volumeOf("pvc-1")).status.phase).toBe("Released");
    await volumes().delete({ name: "pvc-1" });
    await world.settled();
    expect((await volumeOf("pvc-1")).metadata.finalizers).toEqual(finalizers);
    await volumes().patch({ name: "pvc-1" }, { metadata: { finalizers: null } });
    await world.settled();
    expect(await volumes().find({ name: "pvc-1" })).toBeUndefined();
  });

  test("CTL-MODE-2..7, SC-16: a class that waits for the first consumer lets the scheduler choose", async () => {
    await makeClass("c", { volumeBindingMode: "WaitForFirstConsumer" });
    await makeVolume("v");
    await makeClaim("a");
    await world.settled();
    expect(await eventsOf("a")).toEqual([["Normal", "WaitForFirstConsumer", FROM]]);
    await world.resource(Pod).create({
      metadata: at("web"),
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "a" } }],
      },
    } as NewObject<Pod>);
    await world.settled();
    expect(await eventsOf("a")).toContainEqual(["Normal", "WaitForPodScheduled", FROM]);
    expect((await volumeOf("v")).spec.claimRef).toBeUndefined();
    await claims().patch(at("a"), { metadata: { annotations: { "volume.kubernetes.io/selected-node": "n" } } });
    await world.settled();
    expect(await eventsOf("a")).toContainEqual(["Normal", "ExternalProvisioning", FROM]);
    expect((await volumeOf("v")).spec.claimRef).toBeUndefined();
  });

  test("CTL-DEF-1, 3, 4: a claim without a class gets the default that comes later, unless a volume without one fits", async () => {
    await makeClaim("a", { className: "unset" });
    await world.settled();
    const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };
    await makeVolume("v", { className: "" });
    await makeClaim("b", { className: "unset" });
    await world.settled();
    const annotations = isDefault;
    await world.resource(StorageClass).create({ metadata: { name: "d", annotations }, provisioner: "p" } as never);
    await world.settled();
    const [a, b] = [await claimOf("a"), await claimOf("b")];
    expect([a.status.phase, a.spec.storageClassName]).toEqual(["Bound", undefined]);
    expect([b.status.phase, b.spec.storageClassName]).toEqual(["Pending", "d"]);
  });
});

describe("reclaiming", () => {
  const orphaned = async (more: object, annotations = {}): Promise<void> => {
    await makeVolume("v", { annotations, more: { csi: undefined, claimRef: { ...at("x"), uid: "0a" }, ...more } });
    await world.settled();
  };

  test("CTL-RECLAIM-7, 9, 11, PVP-7, PVP-8: volumes of drivers are left to them, scratch goes, others fail", async () => {
    await orphaned({ hostPath: { path: "/data/x" }, persistentVolumeReclaimPolicy: "Delete" });
    expect((await volumeOf("v")).status).toMatchObject({ phase: "Failed", message: expect.stringMatching(/./) });
    expect(await eventsOf("v")).toEqual([["Warning", "VolumeFailedDelete", FROM]]);
    const policy = { persistentVolumeReclaimPolicy: "Delete" };
    await makeVolume("csi", { more: { claimRef: { ...at("x"), uid: "0a" }, ...policy } });
    const scratch = { hostPath: { path: "/tmp/x" }, csi: undefined };
    await makeVolume("scratch", { more: { claimRef: { ...at("x"), uid: "0a" }, ...policy, ...scratch } });
    await world.settled();
    expect((await volumeOf("csi")).status.phase).toBe("Released");
    expect(await volumes().find({ name: "scratch" })).toBeUndefined();
  });

  test("CTL-RECLAIM-8: those of a plugin that a driver took over are the driver's", async () => {
    const source = { awsElasticBlockStore: { volumeID: "vol-1" }, persistentVolumeReclaimPolicy: "Delete" };
    await orphaned(source, { "pv.kubernetes.io/provisioned-by": "kubernetes.io/aws-ebs" });
    const { metadata, status } = await volumeOf("v");
    expect(metadata.annotations).toMatchObject({ "pv.kubernetes.io/migrated-to": "ebs.csi.aws.com" });
    expect([status.phase, await eventsOf("v")]).toEqual(["Released", []]);
  });

  const CSI = { csi: { driver: "d.example.com", volumeHandle: "h" } };
  const SCRATCH = { hostPath: { path: "/tmp/x" } };

  test.each<[string, string, object, string | undefined, string]>([
    ["CTL-RECLAIM-7: left to who made it outside, whatever its source", "Released", SCRATCH, "p.example.com", "Delete"],
    ["CTL-RECLAIM-7: left to its driver when nobody made it", "Released", CSI, undefined, "Delete"],
    ["CTL-RECLAIM-7: left to its driver when its maker has an empty name", "Released", CSI, "", "Delete"],
    ["CTL-RECLAIM-11: deleted by its source when its maker has an empty name", "gone", SCRATCH, "", "Delete"],
    [
      "CTL-RECLAIM-10: failed, also with a driver, when its maker is built in and unknown",
      "Failed",
      CSI,
      "kubernetes.io/nosuch",
      "Delete",
    ],
    [
      "CTL-RECLAIM-10: failed, also with a driver, when its maker makes directories",
      "Failed",
      CSI,
      "kubernetes.io/host-path",
      "Delete",
    ],
    [
      "CTL-RECLAIM-10: failed when its maker has the end of a known name only",
      "Failed",
      SCRATCH,
      "kubernetes.io/x/host-path",
      "Delete",
    ],
    ["CTL-RECLAIM-4: kept by its policy, whoever made it", "Released", CSI, "kubernetes.io/nosuch", "Retain"],
  ])("%s", async (_, phase, source, maker, policy) => {
    const annotations = maker === undefined ? {} : { "pv.kubernetes.io/provisioned-by": maker };
    await orphaned({ ...source, persistentVolumeReclaimPolicy: policy }, annotations);
    expect((await volumes().find({ name: "v" }))?.status.phase ?? "gone").toBe(phase);
  });

  test("CTL-RECLAIM-10, 13: one of an unknown plugin that is built in fails, and stays Failed until its reference is taken off", async () => {
    const source = { hostPath: { path: "/tmp/x" }, persistentVolumeReclaimPolicy: "Delete" };
    await orphaned(source, { "pv.kubernetes.io/provisioned-by": "kubernetes.io/nosuch" });
    expect((await volumeOf("v")).status.phase).toBe("Failed");
    expect(await eventsOf("v")).toEqual([["Warning", "VolumeFailedDelete", FROM]]);
    await volumes().patch({ name: "v" }, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
    await world.settled();
    expect((await volumeOf("v")).status.phase).toBe("Failed");
    await volumes().patch({ name: "v" }, { spec: { claimRef: null } });
    await world.settled();
    expect((await volumeOf("v")).status.phase).toBe("Available");
  });

  test("CTL-RECLAIM-13, CTL-GEN-3: what the server does not do now is tried again, later each time", async () => {
    const tries: number[] = [];
    const failing =
      (transport: Transport): Transport =>
      (request) => {
        if (request.method !== "DELETE") return transport(request);
        tries.push(world.clock.now());
        return tries.length < 6 ? Promise.reject(new Error("not today")) : transport(request);
      };
    await manager.stop({ grace: 0 });
    const client = world.cluster.client("manager").with({ through: failing });
    await world.manager({ client }).add(volumeBinder(kubernetes), volumeProtection(kubernetes)).start();
    await orphaned({ hostPath: { path: "/tmp/x" }, persistentVolumeReclaimPolicy: "Delete" });
    await world.advance("1m");
    expect(await volumes().find({ name: "v" })).toBeUndefined();
    world.warnings.length = 0;
    const waits = tries.slice(1).map((time, i) => time - tries[i]!);
    expect(waits).toHaveLength(5);
    expect(waits.at(-1)! / waits[0]!).toBeGreaterThan(4);
  });

  test("CTL-RECLAIM-17: one of a plugin that is built in is held as its policy says, and by no provisioner outside", async () => {
    const own = "kubernetes.io/pv-controller";
    const outside = "external-provisioner.volume.kubernetes.io/finalizer";
    await makeVolume("v", {
      annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/host-path" },
      more: { csi: undefined, hostPath: { path: "/tmp/x" }, persistentVolumeReclaimPolicy: "Delete" },
    });
    const finalizersOf = async () => (await volumeOf("v")).metadata.finalizers;
    await volumes().patch({ name: "v" }, { metadata: { finalizers: [outside] } });
    await world.settled();
    expect(await finalizersOf()).toContain(own);
    expect(await finalizersOf()).not.toContain(outside);
    await volumes().patch({ name: "v" }, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
    await world.settled();
    expect(await finalizersOf()).not.toContain(own);
    await volumes().patch({ name: "v" }, { spec: { persistentVolumeReclaimPolicy: "Delete" } });
    await world.settled();
    expect(await finalizersOf()).toContain(own);
  });

  test("CTL-RECLAIM-17, CTL-RECLAIM-8: one of a plugin that a driver took over is held by the binder no more", async () => {
    await makeVolume("v", {
      annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/aws-ebs" },
      more: { csi: undefined, awsElasticBlockStore: { volumeID: "vol-1" }, persistentVolumeReclaimPolicy: "Delete" },
    });
    const outside = "external-provisioner.volume.kubernetes.io/finalizer";
    await volumes().patch({ name: "v" }, { metadata: { finalizers: ["kubernetes.io/pv-controller", outside] } });
    await world.settled();
    expect((await volumeOf("v")).metadata.finalizers).toContain(outside);
    expect((await volumeOf("v")).metadata.finalizers).not.toContain("kubernetes.io/pv-controller");
  });

  test("CTL-RECLAIM-14, 15, PV-15, PVP-6: a pod empties a volume that is recycled, then it is Available", async () => {
    const more = { csi: undefined, hostPath: { path: "/data/x" }, persistentVolumeReclaimPolicy: "Recycle" };
    await makeVolume("v", { more });
    await makeClaim("a");
    await world.settled();
    await claims().patch(at("a"), { metadata: { finalizers: null } });
    await claims().delete(at("a"));
    await world.settled();
    const pod = await world.resource(Pod).get(at("recycler-for-v"));
    expect(pod.spec.activeDeadlineSeconds).toBe(60);
    await world.resource(Pod).status.patch(at("recycler-for-v"), { status: { phase: "Succeeded" } });
    await world.settled();
    const { spec, status } = await volumeOf("v");
    expect([status.phase, spec.claimRef]).toEqual(["Available", undefined]);
    expect(await eventsOf("v")).toEqual([["Normal", "VolumeRecycled", FROM]]);
  });
});

test("an allocated volume is not offered again while the informer shows its old state", async () => {
  await using own = await World.create();
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const late =
    (transport: Transport): Transport =>
    async (request) => {
      const answer = await transport(request);
      if (!/persistentvolumes\?watch/.test(request.path)) return answer;
      const pieces = async function* () {
        for await (const piece of answer.body) {
          if (isHeld) await held.promise;
          yield piece;
        }
      };
      return { ...answer, body: pieces() };
    };
  const looks: string[] = [];
  const started = (_controller: string, key: string): void => void looks.push(key);
  const client = own.client.with({ through: late });
  await own.manager({ client, started }).add(volumeBinder(kubernetes)).start();
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "c" };
  const capacity = { storage: "1Gi" };
  const volume = { metadata: { name: "v" }, spec: { ...spec, capacity, hostPath: { path: "/v" } } };
  await own.resource(PersistentVolume).create(volume as NewObject<PersistentVolume>);
  await own.settled();
  isHeld = true;
  const claimed = { ...spec, resources: { requests: capacity } };
  const claim = (name: string) => ({ metadata: at(name), spec: claimed }) as NewObject<PersistentVolumeClaim>;
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  await own.resource(PersistentVolumeClaim).create(claim("gets-it"));
  await own.resource(PersistentVolumeClaim).create(claim("waits"));
  await turns();
  expect((await own.resource(PersistentVolume).get({ name: "v" })).spec.claimRef?.name).toBe("gets-it");
  expect(looks.filter((key) => key === "claim/default/waits")).toHaveLength(1);
  held.resolve();
  await own.settled();
  expect((await own.resource(PersistentVolumeClaim).get(at("gets-it"))).status.phase).toBe("Bound");
});
