/** Volumes that grow on a node, that are counted there, and that are devices. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PersistentVolumeClaim } from "../../src/client/kinds/index.ts";
import { USAGE_UNIT } from "../../src/csi/terms.ts";
import type { ModelDriver } from "./model-driver.ts";
import { NodeWorld } from "./node-world.ts";

let node: NodeWorld;
let neutral: NodeWorld;
beforeAll(async () => {
  node = await NodeWorld.create();
  neutral = await NodeWorld.create({ dialect: "neutral" });
  await Promise.all([node.start(), neutral.start()]);
});
afterAll(async () => {
  const broken = [...node.drivers, ...neutral.drivers].flatMap((driver) => driver.broken);
  await node[Symbol.asyncDispose]();
  await neutral[Symbol.asyncDispose]();
  if (broken.length > 0) throw new Error(broken.join("\n"));
});

const CONDITIONS = ["FileSystemResizePending", "Resizing", "ModifyingVolume"].map((type) => ({ type, status: "True" }));
const PENDING = {
  phase: "Bound",
  capacity: { storage: "1Gi" },
  allocatedResources: { storage: "2Gi" },
  allocatedResourceStatuses: { storage: "NodeResizePending" },
  conditions: CONDITIONS,
};

let volumes = 0;
/** A volume of 2Gi whose claim has 1Gi. */
async function growing(
  driver: ModelDriver,
  more: { readonly status?: object; readonly readOnly?: boolean; readonly on?: NodeWorld } = {},
) {
  const { status = PENDING, readOnly = false, on = node } = more;
  const name = `grows-${volumes++}`;
  const claim = await on.storedClaim(name, status);
  const pod = await on.storedPod(claim);
  const needed = on.persistent(pod, {
    name,
    claim,
    readOnly,
    csi: { driver: driver.name },
    spec: { capacity: { storage: "2Gi" } },
  });
  const current = () => on.resource(PersistentVolumeClaim).get({ name: claim.metadata.name, namespace: "default" });
  const look = async (spec: object = {}) =>
    on.setUp({
      ...needed,
      persistent: {
        volume: { ...needed.persistent!.volume, spec: { ...needed.persistent!.volume.spec, ...spec } },
        claim: await current(),
      },
    });
  const events = () =>
    on.events
      .filter(({ about }) => about.endsWith(claim.metadata.name))
      .map(({ type, about, reason }) => `${type} ${reason} ${about.split(" ")[0]}`);
  return { needed, current, look, events };
}

const stateOf = ({ status }: PersistentVolumeClaim): string | undefined =>
  status.allocatedResourceStatuses?.["storage"];
const callsOf = (driver: ModelDriver): number => driver.of("NodeExpandVolume").length;

describe("growing", () => {
  test("NODE-47, NODE-48, RSZ-5, DEC-58: a claim that has less than its volume: the driver is called, and the claim says how far it is", async () => {
    const driver = await node.fresh();
    const { needed, current, look, events } = await growing(driver);
    let during: string | undefined;
    let asked = Promise.resolve();
    driver.fault = (method) => {
      if (method === "NodeExpandVolume") asked = current().then((claim) => void (during = stateOf(claim)));
      return undefined;
    };
    await node.setUp(needed);
    await asked;
    expect(during).toBe("NodeResizeInProgress");
    expect(driver.done).toEqual(["NodeStageVolume", "NodePublishVolume", "NodeExpandVolume"]);
    expect(driver.of("NodeExpandVolume")[0]!.request).toMatchObject({
      volumeId: needed.persistent!.volume.spec.csi!.volumeHandle,
      volumePath: needed.path,
      stagingTargetPath: driver.of("NodeStageVolume")[0]!.request.stagingTargetPath,
      capacityRange: { requiredBytes: 2n ** 31n },
      volumeCapability: { accessType: { case: "mount" } },
    });
    const { status } = await current();
    expect(status.capacity).toEqual({ storage: "2Gi" });
    expect(status.allocatedResourceStatuses).toBeUndefined();
    expect(status.conditions!.map(({ type }) => type)).toEqual(["ModifyingVolume"]);
    expect(events()).toEqual([
      "Normal FileSystemResizeSuccessful PersistentVolumeClaim",
      "Normal FileSystemResizeSuccessful Pod",
    ]);
    await look();
    await node.setUp(needed);
    expect(callsOf(driver)).toBe(1);
    await node.tearDown(needed);
  });

  test("NODE-47: it grows as well while its Pod keeps running", async () => {
    const driver = await node.fresh();
    const { needed, current, look } = await growing(driver, {
      status: { phase: "Bound", capacity: { storage: "2Gi" } },
    });
    await node.setUp(needed);
    expect(callsOf(driver)).toBe(0);
    await look({ capacity: { storage: "3Gi" } });
    expect(callsOf(driver)).toBe(1);
    expect((await current()).status.capacity).toEqual({ storage: "3Gi" });
    expect(driver.of("NodePublishVolume")).toHaveLength(1);
  });

  test("NODE-47, DEC-58: while a control plane is at it, or has given up, the node does nothing", async () => {
    const driver = await node.fresh();
    for (const storage of ["ControllerResizeInProgress", "ControllerResizeInfeasible"]) {
      const { needed } = await growing(driver, { status: { ...PENDING, allocatedResourceStatuses: { storage } } });
      await node.setUp(needed);
    }
    expect(callsOf(driver)).toBe(0);
  });

  test.each([
    ["kubernetes", "NodeResizeInfeasible"],
    ["neutral", "NodeResizeFailed"],
  ] as const)(
    "NODE-49, RSZ-6, AMB-47: an answer that cannot get better ends it, in the %s dialect as %s, until the claim or the volume changes",
    async (dialect, state) => {
      const on = dialect === "neutral" ? neutral : node;
      for (const code of ["InvalidArgument", "OutOfRange", "NotFound"] as const) {
        const driver = await on.fresh();
        const { needed, current, look, events } = await growing(driver, { on });
        driver.fault = (method) => (method === "NodeExpandVolume" ? { when: "before", code } : undefined);
        await on.setUp(needed);
        expect(stateOf(await current())).toBe(state);
        expect(events()).toEqual([
          "Warning VolumeResizeFailed PersistentVolumeClaim",
          "Warning VolumeResizeFailed Pod",
        ]);
        driver.fault = () => undefined;
        await look();
        expect(callsOf(driver)).toBe(1);
        await on.restart();
        await on.until(() => driver.answers.length === 2);
        await look();
        expect(callsOf(driver)).toBe(1);
        await look({ capacity: { storage: "3Gi" } });
        expect(callsOf(driver)).toBe(2);
        expect((await current()).status).toMatchObject({ capacity: { storage: "3Gi" } });
        await on.tearDown(needed);
      }
    },
  );

  test("NODE-50, RSZ-7: after another error the state stays, the Pod does not get the volume before it has grown, and it is tried again", async () => {
    const driver = await node.fresh();
    const { needed, current, look, events } = await growing(driver);
    driver.fault = (method) => (method === "NodeExpandVolume" ? { when: "before", code: "Internal" } : undefined);
    await expect(node.setUp(needed)).rejects.toThrow("NodeExpandVolume: injected before the work (Internal)");
    await expect(look()).rejects.toThrow("Internal");
    expect(stateOf(await current())).toBe("NodeResizeInProgress");
    expect(events()).toContain("Warning VolumeResizeFailed Pod");
    driver.fault = () => undefined;
    await look();
    expect(driver.of("NodePublishVolume")).toHaveLength(1);
    expect((await current()).status.capacity).toEqual({ storage: "2Gi" });
    await node.tearDown(needed);
  });

  test("NODE-50, RSZ-7: a Pod that has its volume goes on with it, and it is tried again after a while", async () => {
    const driver = await node.fresh();
    const { needed, current, look } = await growing(driver, {
      status: { phase: "Bound", capacity: { storage: "2Gi" } },
    });
    await node.setUp(needed);
    driver.fault = (method) => (method === "NodeExpandVolume" ? { when: "before", code: "Unavailable" } : undefined);
    const bigger = { capacity: { storage: "3Gi" } };
    const { againAfter = 0 } = await look(bigger);
    expect(againAfter).toBeGreaterThan(0);
    await look(bigger);
    expect(callsOf(driver)).toBe(1);
    node.clock.advance(againAfter);
    expect((await look(bigger)).againAfter).toBeGreaterThan(againAfter);
    expect([callsOf(driver), stateOf(await current())]).toEqual([2, "NodeResizeInProgress"]);
    driver.fault = () => undefined;
    node.clock.advance(120_000);
    expect((await look(bigger)).againAfter).toBeUndefined();
    expect((await current()).status.capacity).toEqual({ storage: "3Gi" });
  });

  test("NODE-50: a driver that wants the volume out of use for it keeps no Pod from what there is", async () => {
    const driver = await node.fresh();
    const { needed, current } = await growing(driver);
    driver.fault = (method) =>
      method === "NodeExpandVolume" ? { when: "before", code: "FailedPrecondition" } : undefined;
    expect((await node.setUp(needed)).againAfter).toBeGreaterThan(0);
    expect(stateOf(await current())).toBe("NodeResizeInProgress");
  });

  test("NODE-51: a driver that does nothing for it on the node is not called, and the claim is finished", async () => {
    const driver = await node.fresh({ attachRequired: false }, (one) => (one.capabilities = ["STAGE_UNSTAGE_VOLUME"]));
    const { needed, current } = await growing(driver);
    await node.setUp(needed);
    expect(callsOf(driver)).toBe(0);
    const { status } = await current();
    expect([status.capacity, stateOf(await current())]).toEqual([{ storage: "2Gi" }, undefined]);
  });

  test("NODE-52: a volume that is published read-only is not grown", async () => {
    const driver = await node.fresh();
    const { needed, current } = await growing(driver, { readOnly: true });
    await node.setUp(needed);
    expect([callsOf(driver), stateOf(await current())]).toEqual([0, "NodeResizePending"]);
  });
});

describe("block volumes", () => {
  test("NODE-44, NODE-45, NODE-16: staged and published at their own places, as a device with a link, without group, flags or label", async () => {
    const driver = await node.fresh({ attachRequired: false, fsGroupPolicy: "File" });
    const pod = node.pod({ spec: { securityContext: { fsGroup: 7 } } });
    const needed = node.persistent(pod, {
      name: "raw",
      mode: "Block",
      csi: { driver: driver.name, fsType: "ext4" },
      spec: { mountOptions: ["noatime"] },
    });
    const groups = node.groups.length;
    expect(await node.setUp(needed)).toEqual({ source: needed.path });
    const base = join(node.root, "plugins/kubernetes.io/csi/volumeDevices");
    const { uid } = pod.metadata;
    const [stage, publish] = [driver.of("NodeStageVolume")[0]!.request, driver.of("NodePublishVolume")[0]!.request];
    const hash = createHash("sha256").update(stage.volumeId).digest("hex");
    expect(stage.stagingTargetPath).toBe(join(base, "staging", driver.name, hash, "globalmount"));
    expect([publish.stagingTargetPath, publish.targetPath]).toEqual([
      stage.stagingTargetPath,
      join(base, "publish/raw", uid),
    ]);
    for (const { volumeCapability } of [stage, publish]) expect(volumeCapability!.accessType.case).toBe("block");
    expect(needed.path).toBe(join(node.root, "pods", uid, "volumeDevices/kubernetes.io~csi/raw"));
    expect(readlinkSync(needed.path)).toBe(publish.targetPath);
    expect(lstatSync(publish.targetPath).isFile()).toBe(true);
    expect(node.groups).toHaveLength(groups);
    const second = node.persistent(node.pod(), { name: "raw", mode: "Block", csi: { driver: driver.name } });
    await node.setUp(second);
    await node.restart();
    await node.until(() => driver.answers.length === 2);
    expect(node.foundVolumes().filter(({ mode }) => mode === "Block")).toHaveLength(2);
    await node.tearDown(needed);
    expect(driver.done.slice(3)).toEqual(["NodeUnpublishVolume"]);
    await node.tearDown(second);
    expect(driver.done.slice(4)).toEqual(["NodeUnpublishVolume", "NodeUnstageVolume"]);
    expect(node.left("volumeDevices")).toEqual([]);
  });

  test("NODE-44, NODE-17: a disk that two volumes name is staged once, and taken off the node when neither is used", async () => {
    const driver = await node.fresh();
    const csi = { driver: driver.name, volumeHandle: "one-disk" };
    const [first, second] = ["raw-a", "raw-b"].map((name) => node.persistent(node.pod(), { name, mode: "Block", csi }));
    await node.setUp(first!);
    await node.setUp(second!);
    expect(driver.done).toEqual(["NodeStageVolume", "NodePublishVolume", "NodePublishVolume"]);
    const staged = driver.of("NodeStageVolume")[0]!.request.stagingTargetPath;
    const published = driver.of("NodePublishVolume").map(({ request }) => request);
    expect(published.map(({ stagingTargetPath }) => stagingTargetPath)).toEqual([staged, staged]);
    expect(new Set(published.map(({ targetPath }) => targetPath)).size).toBe(2);
    await node.restart();
    await node.until(() => driver.answers.length === 2);
    await node.tearDown(first!);
    expect(driver.done.slice(3)).toEqual(["NodeUnpublishVolume"]);
    await node.tearDown(second!);
    expect(driver.done.slice(4)).toEqual(["NodeUnpublishVolume", "NodeUnstageVolume"]);
    expect(node.left("volumeDevices")).toEqual([]);
  });

  test("NODE-45: the link is there before the driver is called, so that a volume that was begun is found", async () => {
    const driver = await node.fresh();
    const needed = node.persistent(node.pod(), { name: "begun", mode: "Block", csi: { driver: driver.name } });
    driver.fault = (method) => (method === "NodePublishVolume" ? { when: "after", code: "Aborted" } : undefined);
    await expect(node.setUp(needed)).rejects.toThrow("Aborted");
    expect(node.foundVolumes().filter(({ name }) => name === "begun")).toHaveLength(1);
    await node.tearDown(needed);
    expect(node.left("begun")).toEqual([]);
    expect(existsSync(needed.path)).toBe(false);
  });

  test("NODE-46: a volume is not used as what it is not", async () => {
    const driver = await node.fresh();
    const csi = { driver: driver.name };
    const asFiles = node.persistent(node.pod(), { csi, spec: { volumeMode: "Block" } });
    await expect(node.setUp(asFiles)).rejects.toThrow("has the volumeMode Block and is listed in volumeMounts");
    const asDevice = node.persistent(node.pod(), { csi, mode: "Block", spec: { volumeMode: "Filesystem" } });
    await expect(node.setUp(asDevice)).rejects.toThrow("has the volumeMode Filesystem and is listed in volumeDevices");
    expect(driver.done).toEqual([]);
  });
});

describe("usage", () => {
  const signal = new AbortController().signal;

  test("NODE-53: numbers of GET_VOLUME_STATS, and an Event for a volume that is not well", async () => {
    const driver = await node.fresh(
      { attachRequired: false },
      (one) => (one.capabilities = ["STAGE_UNSTAGE_VOLUME", "GET_VOLUME_STATS", "VOLUME_CONDITION"]),
    );
    const needed = node.persistent(node.pod({ name: "watched" }), { csi: { driver: driver.name } });
    expect(await node.plugin.usage!(needed, signal)).toBeUndefined();
    await node.setUp(needed);
    driver.stats = {
      usage: [
        { unit: USAGE_UNIT.BYTES, used: 1n, available: 2n, total: 3n },
        { unit: USAGE_UNIT.INODES, used: 4n, available: 5n, total: 9n },
      ],
      volumeCondition: { abnormal: false, message: "fine" },
    };
    expect(await node.plugin.usage!(needed, signal)).toEqual({
      usedBytes: 1,
      availableBytes: 2,
      capacityBytes: 3,
      inodesUsed: 4,
      inodesFree: 5,
      inodes: 9,
    });
    expect(node.events.filter(({ reason }) => reason === "VolumeConditionAbnormal")).toEqual([]);
    expect(driver.of("NodeGetVolumeStats")[0]!.request).toMatchObject({
      volumePath: needed.path,
      stagingTargetPath: driver.of("NodeStageVolume")[0]!.request.stagingTargetPath,
    });
    driver.stats = { usage: [], volumeCondition: { abnormal: true, message: "a disk is gone" } };
    expect(await node.plugin.usage!(needed, signal)).toEqual({});
    expect(node.events.filter(({ reason }) => reason === "VolumeConditionAbnormal")).toEqual([
      { type: "Warning", about: "Pod watched", reason: "VolumeConditionAbnormal", note: "volume data: a disk is gone" },
    ]);
  });

  test("NODE-53: a driver without GET_VOLUME_STATS is not asked", async () => {
    const driver = await node.fresh({ attachRequired: false }, (one) => (one.capabilities = []));
    const needed = node.persistent(node.pod(), { csi: { driver: driver.name } });
    await node.setUp(needed);
    expect(await node.plugin.usage!(needed, signal)).toBeUndefined();
    expect(driver.of("NodeGetVolumeStats")).toEqual([]);
  });
});
