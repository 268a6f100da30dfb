import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Secret } from "../../src/client/kinds/index.ts";
import { DiskWorld } from "./disk-world.ts";
import { MadeUpDriver } from "./made-up-driver.ts";

let disks: DiskWorld;
beforeEach(async () => {
  disks = await DiskWorld.create();
  await disks.makeNodes("one");
  await disks.start();
  await disks.makeClass("fast");
  for (const name of ["silver", "gold", "lead"]) await disks.makeAttributes(name);
  await disks.makeClaim("a", { volumeAttributesClassName: "silver" });
});
afterEach(() => disks[Symbol.asyncDispose]());

const name = (volumeAttributesClassName: string | null, claim = "a") =>
  disks.patchClaim(claim, { spec: { volumeAttributesClassName } });
const status = async (claim = "a") => (await disks.claim(claim)).status;
const doing = async () => (await status()).modifyVolumeStatus;
const current = async (claim = "a") => (await status(claim)).currentVolumeAttributesClassName;
const conditions = async () => ((await status()).conditions ?? []).map(({ type }) => type).toSorted();
const asked = () =>
  disks.driver.asked("controllerModifyVolume").map(({ mutableParameters }) => mutableParameters["metal"]);

describe("a claim that names another attributes class", () => {
  test("VAC-5, VAC-10, PVC-48, CTL-OUT-9, DEC-59: has its volume modified in place", async () => {
    const before = await disks.volumeOf("a");
    await name("gold");
    expect(disks.driver.asked("controllerModifyVolume")).toEqual([
      { volumeId: before.spec.csi!.volumeHandle, secrets: {}, mutableParameters: { metal: "gold" } },
    ]);
    const after = await disks.volumeOf("a");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.spec.volumeAttributesClassName).toBe("gold");
    expect(await status()).toMatchObject({ phase: "Bound", currentVolumeAttributesClassName: "gold" });
    expect(await doing()).toBeUndefined();
    expect(await conditions()).toEqual([]);
    expect(await disks.told("a")).toEqual(
      expect.arrayContaining(["Normal VolumeModify", "Normal VolumeModifySuccessful"]),
    );
  });

  test("PVC-15: a claim without a class, or with an empty one, is not modified", async () => {
    await disks.makeClaim("b");
    await disks.makeClaim("c", { volumeAttributesClassName: "" });
    await disks.patchClaim("b", { metadata: { labels: { x: "y" } } });
    expect(asked()).toEqual([]);
    for (const one of ["b", "c"]) expect((await status(one)).modifyVolumeStatus).toBeUndefined();
  });

  test("PVC-12: a claim that had none gets one", async () => {
    await disks.makeClaim("b");
    await name("gold", "b");
    expect(await current("b")).toBe("gold");
  });

  test("PVC-16, MVS-1, AMB-24: that is not there is waited for, and the claim stays Bound", async () => {
    await name("tin");
    expect(await doing()).toEqual({ status: "Pending" });
    expect(await status()).toMatchObject({ phase: "Bound", currentVolumeAttributesClassName: "silver" });
    await disks.world.advance("10m");
    expect(asked()).toEqual([]);
    await disks.makeAttributes("tin");
    expect(await current()).toBe("tin");
    expect(await doing()).toBeUndefined();
  });

  test("MVS-1: that is of another driver is waited for, too", async () => {
    await disks.makeAttributes("foreign", { driverName: "other.example.com" });
    await name("foreign");
    expect(await doing()).toMatchObject({ status: "Pending" });
    expect(asked()).toEqual([]);
    await name("gold");
    expect(await current()).toBe("gold");
  });

  test("MVS-2, PVC-48: is in progress while the driver fails for a moment, and the old class is the current one", async () => {
    disks.driver.fail("controllerModifyVolume", { code: 14 });
    await name("gold");
    expect(await doing()).toEqual({ status: "InProgress", targetVolumeAttributesClassName: "gold" });
    expect(await current()).toBe("silver");
    expect(await conditions()).toEqual(["ModifyVolumeError", "ModifyingVolume"]);
    // What may be going on is ended first.
    await name("lead");
    await disks.world.advance("3s");
    expect(new Set(asked())).toEqual(new Set(["gold"]));
    disks.driver.fail("controllerModifyVolume", undefined);
    await disks.world.advance("1m");
    expect(asked().at(-1)).toBe("lead");
    expect(await current()).toBe("lead");
  });

  test("MVS-2, DEC-59: that was begun by who was killed is ended by the next", async () => {
    disks.driver.fail("controllerModifyVolume", { code: 4, isAfter: true });
    await name("gold");
    disks.manager.crash();
    await name("lead");
    disks.driver.fail("controllerModifyVolume", undefined);
    await disks.start();
    expect(asked()).toEqual(["gold", "gold", "lead"]);
    expect(await current()).toBe("lead");
  });

  test("VAC-11, MVS-3: that the driver refuses is infeasible, and not asked for again soon", async () => {
    disks.driver.fail("controllerModifyVolume", { code: 3 });
    await name("lead");
    expect(await doing()).toEqual({ status: "Infeasible", targetVolumeAttributesClassName: "lead" });
    expect(await current()).toBe("silver");
    expect(await disks.told("a")).toContain("Warning VolumeModifyFailed");
    await disks.world.advance("4m");
    expect(asked()).toEqual(["lead"]);
    await disks.world.advance("2m");
    expect(asked()).toEqual(["lead", "lead"]);
  });

  test("MVS-4: an infeasible one is mended by naming another, or taken back by naming the one that it had", async () => {
    disks.driver.fail("controllerModifyVolume", { code: 3, times: 1 });
    await name("lead");
    await name("gold");
    expect(await current()).toBe("gold");
    disks.driver.fail("controllerModifyVolume", { code: 3, times: 1 });
    await name("lead");
    await name("gold");
    expect(await doing()).toBeUndefined();
    expect(await current()).toBe("gold");
    expect(asked().at(-1)).toBe("gold");
  });

  test("MVS-4, PVC-17: a claim that had none takes an infeasible one back by naming none", async () => {
    await disks.makeClaim("b");
    disks.driver.fail("controllerModifyVolume", { code: 3 });
    await name("lead", "b");
    expect((await status("b")).modifyVolumeStatus).toMatchObject({ status: "Infeasible" });
    await name(null, "b");
    expect((await status("b")).modifyVolumeStatus).toBeUndefined();
    expect((await status("b")).conditions ?? []).toEqual([]);
    await disks.world.advance("10m");
    expect(asked()).toEqual(["lead"]);
  });

  test("is made with the secrets that its volume names for that, or those for growing", async () => {
    for (const secret of ["s", "t"]) {
      await disks.create(Secret, { metadata: { namespace: "default", name: secret }, stringData: { user: secret } });
    }
    const parameters = (purpose: string, secret: string) => ({
      [`csi.storage.k8s.io/${purpose}-secret-name`]: secret,
      [`csi.storage.k8s.io/${purpose}-secret-namespace`]: "default",
    });
    await disks.makeClass("grows", { parameters: parameters("controller-expand", "s") });
    await disks.makeClass("both", {
      parameters: { ...parameters("controller-expand", "s"), ...parameters("controller-modify", "t") },
    });
    await disks.makeClaim("b", { storageClassName: "grows" });
    await disks.makeClaim("c", { storageClassName: "both" });
    for (const claim of ["b", "c"]) await name("gold", claim);
    expect(disks.driver.asked("controllerModifyVolume").map(({ secrets }) => secrets)).toEqual([
      { user: "s" },
      { user: "t" },
    ]);
  });
});

test("a driver that cannot modify is not asked to", async () => {
  await disks[Symbol.asyncDispose]();
  disks = await DiskWorld.create(new MadeUpDriver(["CREATE_DELETE_VOLUME"]));
  await disks.start();
  await disks.makeClass("fast");
  await disks.makeAttributes("gold");
  await disks.makeClaim("a");
  await name("gold");
  expect(await doing()).toBeUndefined();
});
