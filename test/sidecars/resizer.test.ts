import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PersistentVolumeClaim, Secret } from "../../src/client/kinds/index.ts";
import { DiskWorld } from "./disk-world.ts";
import { MadeUpDriver } from "./made-up-driver.ts";

const GIB = 2n ** 30n;
const MARK = "volume.alpha.kubernetes.io/pre-resize-capacity";

let disks: DiskWorld;
const begin = async (driver = new MadeUpDriver()) => {
  disks = await DiskWorld.create(driver);
  await disks.makeNodes("one");
  await disks.start();
  await disks.makeClass("fast");
  await disks.makeClaim("a");
};
beforeEach(() => begin());
afterEach(() => disks[Symbol.asyncDispose]());

const ask = (storage: string) => disks.patchClaim("a", { spec: { resources: { requests: { storage } } } });
const status = async () => (await disks.claim("a")).status;
const stateOf = async () => (await status()).allocatedResourceStatuses?.["storage"];
const conditions = async () => ((await status()).conditions ?? []).map(({ type }) => type).toSorted();
const asked = () =>
  disks.driver.asked("controllerExpandVolume").map(({ capacityRange }) => capacityRange.requiredBytes / GIB);
const setStatus = async (patch: object) => {
  await disks.resource(PersistentVolumeClaim).status.patch({ namespace: "default", name: "a" }, { status: patch });
  await disks.settled();
};
const nodeIsDone = (storage: string) =>
  setStatus({ capacity: { storage }, conditions: null, allocatedResourceStatuses: null });
const crash = async () => {
  disks.manager.crash();
  await disks.start();
};

describe("a claim that asks for more", () => {
  test("SUP-22, RSZ-2, DEC-58, CTL-OUT-5, CTL-EXP-7: grows; where the node has nothing to do that is all", async () => {
    disks.driver.before = () => {};
    await ask("2Gi");
    expect(await status()).toMatchObject({ capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(await stateOf()).toBeUndefined();
    expect(await conditions()).toEqual([]);
    const { spec, metadata } = await disks.volumeOf("a");
    expect(spec.capacity).toEqual({ storage: "2Gi" });
    expect(metadata.annotations?.[MARK]).toBeUndefined();
    expect((await disks.claim("a")).metadata.annotations).toMatchObject({
      "volume.kubernetes.io/node-expansion-not-required": "true",
    });
    expect(await disks.told("a")).toEqual(expect.arrayContaining(["Normal Resizing", "Normal VolumeResizeSuccessful"]));
    expect(disks.driver.disks.get("disk-1")!.bytes).toBe(2n * GIB);
  });

  test("RSZ-1, RSZ-4, CTL-EXP-6, CTL-EXP-8, CTL-EXP-9: is left to its node for the rest; what is asked for meanwhile comes after that", async () => {
    disks.driver.needsNode = true;
    await ask("2Gi");
    expect(await status()).toMatchObject({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(await stateOf()).toBe("NodeResizePending");
    expect(await conditions()).toEqual(["FileSystemResizePending", "Resizing"]);
    expect((await disks.volumeOf("a")).metadata.annotations?.[MARK]).toBe("1Gi");
    expect(await disks.told("a")).toContain("Normal FileSystemResizeRequired");
    await ask("3Gi");
    expect(asked()).toEqual([2n]);
    await nodeIsDone("2Gi");
    expect(asked()).toEqual([2n, 3n]);
    await nodeIsDone("3Gi");
    expect((await disks.volumeOf("a")).metadata.annotations?.[MARK]).toBeUndefined();
    expect((await status()).allocatedResources).toEqual({ storage: "3Gi" });
    await disks.world.advance("10m");
    expect(asked()).toEqual([2n, 3n]);
  });

  test("RSZ-3, CTL-EXP-14: and cannot grow so far says so; it grows to what is asked for then", async () => {
    disks.driver.fail("controllerExpandVolume", { code: 11 });
    await ask("50Gi");
    expect(await stateOf()).toBe("ControllerResizeInfeasible");
    expect(await status()).toMatchObject({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "50Gi" } });
    expect(await conditions()).toContain("ControllerResizeError");
    expect(await disks.told("a")).toContain("Warning VolumeResizeFailed");
    await disks.world.advance("4m");
    expect(asked()).toEqual([50n]);
    disks.driver.fail("controllerExpandVolume", undefined);
    await ask("2Gi");
    expect(await status()).toMatchObject({ capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } });
    expect(await stateOf()).toBeUndefined();
    expect(await conditions()).toEqual([]);
  });

  test("RSZ-3: and was refused for good is tried again after a while", async () => {
    disks.driver.fail("controllerExpandVolume", { code: 11 });
    await ask("50Gi");
    disks.driver.fail("controllerExpandVolume", undefined);
    await disks.world.advance("6m");
    expect((await status()).capacity).toEqual({ storage: "50Gi" });
  });

  test("CTL-EXP-11: and fails for a moment stays in progress, and is tried again", async () => {
    disks.driver.fail("controllerExpandVolume", { code: 14 });
    await ask("2Gi");
    expect(await stateOf()).toBe("ControllerResizeInProgress");
    expect(await conditions()).toEqual(["Resizing"]);
    await disks.world.advance("10s");
    expect(asked().length).toBeLessThan(7);
    disks.driver.fail("controllerExpandVolume", undefined);
    await disks.world.advance("1m");
    expect((await status()).capacity).toEqual({ storage: "2Gi" });
  });

  test("DEC-58: what may be going on is ended before something else is asked for, also by who comes after", async () => {
    disks.driver.fail("controllerExpandVolume", { code: 4, isAfter: true });
    await ask("2Gi");
    await ask("3Gi");
    await disks.world.advance("2s");
    expect(new Set(asked())).toEqual(new Set([2n]));
    await crash();
    expect(new Set(asked())).toEqual(new Set([2n]));
    disks.driver.fail("controllerExpandVolume", undefined);
    await disks.world.advance("1m");
    expect(new Set(asked())).toEqual(new Set([2n, 3n]));
    expect((await status()).capacity).toEqual({ storage: "3Gi" });
  });

  test("CTL-EXP-12: what failed for sure is not ended first: a smaller request counts at once", async () => {
    disks.driver.fail("controllerExpandVolume", { code: 13 });
    await ask("9Gi");
    expect(await conditions()).toEqual(["ControllerResizeError", "Resizing"]);
    disks.driver.fail("controllerExpandVolume", undefined);
    await ask("2Gi");
    await disks.world.advance("2s");
    expect(asked().at(-1)).toBe(2n);
    expect((await status()).capacity).toEqual({ storage: "2Gi" });
  });

  test("CTL-EXP-10: what a node has refused is asked for again", async () => {
    disks.driver.needsNode = true;
    await ask("2Gi");
    await setStatus({ allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } });
    expect(await stateOf()).toBe("NodeResizePending");
    expect(asked()).toEqual([2n, 2n]);
  });

  test("PVC-38, PVC-41: what is said of other resources stays as it is", async () => {
    const others = {
      allocatedResources: { "example.com/x": "5" },
      allocatedResourceStatuses: { "example.com/x": "NodeResizePending" },
    };
    await setStatus(others);
    expect(asked()).toEqual([]);
    await ask("2Gi");
    expect(await status()).toMatchObject({
      allocatedResources: { storage: "2Gi", "example.com/x": "5" },
      allocatedResourceStatuses: { "example.com/x": "NodeResizePending" },
    });
  });

  test("of a driver that grows on nodes alone is left to its node", async () => {
    await disks[Symbol.asyncDispose]();
    await begin(new MadeUpDriver(["CREATE_DELETE_VOLUME", "NODE_EXPAND_VOLUME"]));
    await ask("2Gi");
    expect(asked()).toEqual([]);
    expect(await stateOf()).toBe("NodeResizePending");
    expect((await disks.volumeOf("a")).spec.capacity).toEqual({ storage: "2Gi" });
  });

  test("of a driver that cannot grow is left alone", async () => {
    await disks[Symbol.asyncDispose]();
    await begin(new MadeUpDriver(["CREATE_DELETE_VOLUME"]));
    await ask("2Gi");
    expect(await status()).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
  });

  test("is made with the secrets of its volume", async () => {
    await disks.create(Secret, { metadata: { namespace: "default", name: "s" }, stringData: { user: "u" } });
    await disks.makeClass("secret", {
      parameters: {
        "csi.storage.k8s.io/controller-expand-secret-name": "s",
        "csi.storage.k8s.io/controller-expand-secret-namespace": "default",
      },
    });
    await disks.makeClaim("b", { storageClassName: "secret" });
    await disks.patchClaim("b", { spec: { resources: { requests: { storage: "2Gi" } } } });
    expect(disks.driver.asked("controllerExpandVolume").at(-1)!.secrets).toEqual({ user: "u" });
  });
});
