import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Driver, openDriver } from "../csi/driver.ts";
import { ACCESS_MODE } from "../csi/terms.ts";
import { systemClock } from "../util/clock.ts";
import { type Feature, defaultFeatures } from "./directory-driver.ts";
import { FEATURES } from "./directory/settings.ts";
import { type TestDriver, type TestDriverOptions, startTestDriver } from "./testing/test-driver.ts";

const GI = 1n << 30n;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Started {
  readonly driver: Driver;
  readonly server: TestDriver;
  /** A path for a Pod's volume. */
  readonly target: (name: string) => string;
}

async function start(options: TestDriverOptions = {}): Promise<Started> {
  const server = await startTestDriver(options);
  const driver = openDriver(server.endpoint, { clock: systemClock });
  ends.push(
    () => server.close(),
    () => driver.close(),
  );
  return { driver, server, target: (name) => join(server.dir, "..", "pods", name) };
}

const features = (more: readonly Feature[], less: readonly Feature[] = []): Set<Feature> =>
  new Set([...defaultFeatures("directory"), ...more].filter((name) => !less.includes(name)));

const access = (mode: number = ACCESS_MODE.SINGLE_NODE_WRITER) => ({
  accessType: { case: "mount" as const, value: {} },
  accessMode: { mode },
});

const create = async (driver: Driver, name: string, more: object = {}): Promise<string> => {
  const request = { name, volumeCapabilities: [access()], capacityRange: { requiredBytes: GI }, ...more };
  return (await driver.controller.createVolume(request)).volume!.volumeId;
};

const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => "OK",
    (error: { code: unknown }) => error.code,
  );

/** Stages and publishes; resolves to the code. */
const publish = async (
  driver: Driver,
  volumeId: string,
  targetPath: string,
  more: object = {},
  mode?: number,
): Promise<unknown> => {
  const volumeCapability = access(mode);
  const stagingTargetPath = `${targetPath}-staging`;
  await driver.node.nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability }).catch(() => {});
  const { path } = { path: stagingTargetPath };
  return codeOf(
    driver.node.nodePublishVolume({ volumeId, targetPath, stagingTargetPath: path, volumeCapability, ...more }),
  );
};

const listed = async ({ controller }: Driver): Promise<string[]> =>
  (await controller.listVolumes({})).entries.map(({ volume }) => volume!.volumeId);

describe("volumes", () => {
  test("a repeated request returns the same volume, also after a restart; one that differs is refused", async () => {
    const { driver, server } = await start();
    const id = await create(driver, "claim");
    expect(await create(driver, "claim")).toBe(id);
    await server.restart();
    expect(await create(driver, "claim")).toBe(id);
    expect(await codeOf(create(driver, "claim", { capacityRange: { requiredBytes: 2n * GI } }))).toBe("AlreadyExists");
    expect(await codeOf(create(driver, "claim", { parameters: { other: "1" } }))).toBe("AlreadyExists");
    await driver.controller.deleteVolume({ volumeId: id });
    await driver.controller.deleteVolume({ volumeId: id });
    expect(await listed(driver)).toEqual([]);
    expect(readdirSync(join(server.dir, "volumes"))).toEqual([]);
  });

  test("a volume that was half created in a crash does not exist, and is created again", async () => {
    const { driver, server } = await start();
    const id = await create(driver, "claim");
    const directory = join(server.dir, "volumes", id);
    rmSync(join(directory, "record.json"));
    writeFileSync(join(directory, "data", "left"), "");
    mkdirSync(join(server.dir, "volumes", ".gone-vol-x", "data"), { recursive: true });
    await server.restart();
    expect(existsSync(join(server.dir, "volumes", ".gone-vol-x"))).toBe(false);
    expect(await listed(driver)).toEqual([]);
    expect(await create(driver, "claim")).toBe(id);
    expect(readdirSync(join(directory, "data"))).toEqual([]);
  });

  test("an invalid request is refused with the code of the protocol", async () => {
    const { driver } = await start({ maxVolumeSize: 10n * GI, capacity: 11n * GI });
    const codes = (more: object): Promise<unknown> => codeOf(create(driver, "claim", more));
    expect(await codes({ volumeCapabilities: [] })).toBe("InvalidArgument");
    expect(
      await codes({ volumeCapabilities: [{ accessType: { case: "block", value: {} }, accessMode: { mode: 1 } }] }),
    ).toBe("InvalidArgument");
    expect(await codes({ capacityRange: { requiredBytes: 11n * GI } })).toBe("OutOfRange");
    expect(await codes({ capacityRange: { requiredBytes: 2n, limitBytes: 1n } })).toBe("InvalidArgument");
    const source = { type: { case: "snapshot", value: { snapshotId: "snap-none" } } };
    expect(await codes({ volumeContentSource: source })).toBe("NotFound");
    expect(await codes({ name: "x".repeat(129) })).toBe("InvalidArgument");
    await create(driver, "first", { capacityRange: { requiredBytes: 8n * GI } });
    expect(await codes({ capacityRange: { requiredBytes: 4n * GI } })).toBe("ResourceExhausted");
    expect((await driver.controller.getCapacity({})).availableCapacity).toBe(3n * GI);
    const volumeId = await create(driver, "second");
    expect(
      await codeOf(driver.controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 9n * GI } })),
    ).toBe("ResourceExhausted");
    for (const id of ["../../etc", "vol-none", ".."]) {
      expect(await codeOf(driver.controller.controllerGetVolume({ volumeId: id }))).toBe("NotFound");
      expect(await codeOf(driver.controller.deleteVolume({ volumeId: id }))).toBe("OK");
    }
  });

  test("a volume grows and never shrinks", async () => {
    const { driver } = await start();
    const volumeId = await create(driver, "claim");
    const grow = (requiredBytes: bigint, limitBytes = 0n) =>
      driver.controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes, limitBytes } });
    expect(await grow(2n * GI)).toMatchObject({ capacityBytes: 2n * GI, nodeExpansionRequired: false });
    expect(await grow(GI)).toMatchObject({ capacityBytes: 2n * GI });
    expect(await codeOf(grow(GI, GI))).toBe("OutOfRange");
    const { volume } = await driver.controller.controllerGetVolume({ volumeId });
    expect(volume!.capacityBytes).toBe(2n * GI);
  });

  test("a driver that expands only offline refuses while the volume is on a node", async () => {
    const { driver, target } = await start({ features: features(["offline-expand"]) });
    const volumeId = await create(driver, "claim");
    const grow = () =>
      codeOf(driver.controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 2n * GI } }));
    await publish(driver, volumeId, target("a"));
    expect(await grow()).toBe("FailedPrecondition");
    await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("a") });
    await driver.node.nodeUnstageVolume({ volumeId, stagingTargetPath: `${target("a")}-staging` });
    expect(await grow()).toBe("OK");
    expect(await driver.pluginCapabilities()).toContain("VOLUME_EXPANSION_OFFLINE");
  });

  test("VAC-5: mutable parameters of a volume can be modified, and only known ones", async () => {
    const { driver, server } = await start();
    const volumeId = await create(driver, "claim", { mutableParameters: { iops: "100" } });
    const modify = (mutableParameters: Record<string, string>) =>
      codeOf(driver.controller.controllerModifyVolume({ volumeId, mutableParameters }));
    expect(await modify({ iops: "200", tier: "gold" })).toBe("OK");
    expect(await modify({ colour: "red" })).toBe("InvalidArgument");
    expect(await modify({ iops: "many" })).toBe("InvalidArgument");
    const record = JSON.parse(readFileSync(join(server.dir, "volumes", volumeId, "record.json"), "utf8"));
    expect(record.mutable).toEqual({ iops: "200", tier: "gold" });
    expect(await codeOf(create(driver, "other", { mutableParameters: { colour: "red" } }))).toBe("InvalidArgument");
  });

  test("a list in pages has volumes that were created between two pages, and continues after a deleted one", async () => {
    const { driver } = await start();
    const ids = [await create(driver, "a"), await create(driver, "b"), await create(driver, "c")];
    const first = await driver.controller.listVolumes({ maxEntries: 2 });
    expect(first.entries.map(({ volume }) => volume!.volumeId)).toEqual(ids.slice(0, 2));
    await driver.controller.deleteVolume({ volumeId: ids[1]! });
    await driver.controller.deleteVolume({ volumeId: ids[2]! });
    const late = await create(driver, "d");
    const rest = await driver.controller.listVolumes({ startingToken: first.nextToken });
    expect(rest.entries.map(({ volume }) => volume!.volumeId)).toEqual([late]);
    expect(rest.nextToken).toBe("");
    expect(await codeOf(driver.controller.listVolumes({ startingToken: "7" }))).toBe("Aborted");
  });
});

describe("copies", () => {
  test("a snapshot keeps the data; volumes are created from it and from other volumes", async () => {
    const { driver, server } = await start();
    const volumeId = await create(driver, "claim");
    const dataOf = (id: string) => join(server.dir, "volumes", id, "data", "file");
    writeFileSync(dataOf(volumeId), "old");
    const snap = async () =>
      (await driver.controller.createSnapshot({ name: "s", sourceVolumeId: volumeId })).snapshot!;
    const { snapshotId, readyToUse, sizeBytes } = await snap();
    expect({ readyToUse, sizeBytes }).toEqual({ readyToUse: true, sizeBytes: GI });
    writeFileSync(dataOf(volumeId), "new");
    expect((await snap()).snapshotId).toBe(snapshotId);
    const from = (type: object) => ({ volumeContentSource: { type } });
    const restored = await create(driver, "r", from({ case: "snapshot", value: { snapshotId } }));
    const cloned = await create(driver, "c", from({ case: "volume", value: { volumeId } }));
    expect([readFileSync(dataOf(restored), "utf8"), readFileSync(dataOf(cloned), "utf8")]).toEqual(["old", "new"]);
    const small = { ...from({ case: "volume", value: { volumeId } }), capacityRange: { requiredBytes: 1n } };
    expect(await codeOf(create(driver, "small", small))).toBe("OutOfRange");
    expect(await codeOf(driver.controller.createSnapshot({ name: "s", sourceVolumeId: cloned }))).toBe("AlreadyExists");
    await driver.controller.deleteVolume({ volumeId });
    expect((await driver.controller.listSnapshots({ sourceVolumeId: volumeId })).entries).toHaveLength(1);
    await driver.controller.deleteSnapshot({ snapshotId });
    await driver.controller.deleteSnapshot({ snapshotId });
    expect((await driver.controller.listSnapshots({})).entries).toEqual([]);
  });
});

describe("on a node", () => {
  test("a volume is linked where nothing can be mounted; its files stay after unpublishing", async () => {
    const { driver, server, target } = await start();
    const volumeId = await create(driver, "claim");
    expect(await publish(driver, volumeId, target("a"))).toBe("OK");
    expect(readlinkSync(target("a"))).toBe(join(server.dir, "volumes", volumeId, "data"));
    writeFileSync(join(target("a"), "file"), "kept");
    await server.restart();
    expect(await publish(driver, volumeId, target("a"))).toBe("OK");
    await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("a") });
    await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("a") });
    expect(existsSync(target("a"))).toBe(false);
    expect(await publish(driver, volumeId, target("a"))).toBe("OK");
    expect(readFileSync(join(target("a"), "file"), "utf8")).toBe("kept");
  });

  test("a volume that is not staged is not published", async () => {
    const { driver, target } = await start();
    const volumeId = await create(driver, "claim");
    const request = { volumeId, targetPath: target("a"), volumeCapability: access() };
    expect(await codeOf(driver.node.nodePublishVolume(request))).toBe("FailedPrecondition");
    const other = { ...request, stagingTargetPath: target("elsewhere") };
    expect(await codeOf(driver.node.nodePublishVolume(other))).toBe("FailedPrecondition");
  });

  test("a driver without staging needs none, and responds Unimplemented", async () => {
    const { driver, target } = await start({ features: features([], ["stage"]) });
    const volumeId = await create(driver, "claim");
    expect(await publish(driver, volumeId, target("a"))).toBe("OK");
    const stage = { volumeId, stagingTargetPath: target("s"), volumeCapability: access() };
    expect(await codeOf(driver.node.nodeStageVolume(stage))).toBe("Unimplemented");
  });

  test("a volume has to be attached first, to one node at a time, and is not deleted while it is", async () => {
    const { driver, server, target } = await start({ features: features(["attach"]), nodeId: "one", maxVolumes: 1 });
    const second = await start({ dir: server.dir, nodeId: "two", features: features(["attach"]) });
    const volumeId = await create(driver, "claim");
    expect(await publish(driver, volumeId, target("a"))).toBe("FailedPrecondition");
    const attach = (nodeId: string, id = volumeId) =>
      driver.controller.controllerPublishVolume({ volumeId: id, nodeId, volumeCapability: access() });
    const { publishContext } = await attach("one");
    expect(await codeOf(attach("two"))).toBe("FailedPrecondition");
    expect(await codeOf(attach("three"))).toBe("NotFound");
    expect(await codeOf(attach("one", await create(driver, "another")))).toBe("ResourceExhausted");
    const stagingTargetPath = `${target("a")}-staging`;
    const stage = { volumeId, stagingTargetPath, volumeCapability: access(), publishContext };
    await driver.node.nodeStageVolume(stage);
    expect(await codeOf(second.driver.node.nodeStageVolume(stage))).toBe("FailedPrecondition");
    expect(await publish(driver, volumeId, target("a"), { publishContext })).toBe("OK");
    expect(await codeOf(driver.controller.deleteVolume({ volumeId }))).toBe("FailedPrecondition");
    const { status } = await driver.controller.controllerGetVolume({ volumeId });
    expect(status).toMatchObject({ publishedNodeIds: ["one"], volumeCondition: { abnormal: false } });
    await driver.controller.controllerUnpublishVolume({ volumeId, nodeId: "one" });
    expect(await codeOf(attach("two"))).toBe("OK");
  });

  test("a volume for one writer is published at one path, others at several", async () => {
    const { driver, target } = await start({ features: features([], ["stage"]) });
    const volumeId = await create(driver, "claim");
    const alone = ACCESS_MODE.SINGLE_NODE_SINGLE_WRITER;
    expect(await publish(driver, volumeId, target("a"), {}, alone)).toBe("OK");
    expect(await publish(driver, volumeId, target("b"), {}, alone)).toBe("FailedPrecondition");
    expect(await publish(driver, volumeId, target("a"), { readonly: true }, alone)).toBe("AlreadyExists");
    await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("a") });
    const several = ACCESS_MODE.SINGLE_NODE_MULTI_WRITER;
    expect(await publish(driver, volumeId, target("a"), {}, several)).toBe("OK");
    expect(await publish(driver, volumeId, target("b"), {}, several)).toBe("OK");
  });

  test("a volume is accessible from its topology, and created in the requested one", async () => {
    const topology = { "example.com/rack": "a" };
    const { driver, server, target } = await start({ topology, nodeId: "one" });
    expect((await driver.node.nodeGetInfo({})).accessibleTopology!.segments).toEqual(topology);
    const near = { requisite: [{ segments: { "example.com/rack": "b" } }] };
    expect(await codeOf(create(driver, "b", { accessibilityRequirements: near }))).toBe("ResourceExhausted");
    const central = await start({ dir: server.dir, topology, central: true, nodeId: "controller" });
    const volumeId = await create(central.driver, "b", { accessibilityRequirements: near });
    const { volume } = await central.driver.controller.controllerGetVolume({ volumeId });
    expect(volume!.accessibleTopology[0]!.segments).toEqual({ "example.com/rack": "b" });
    expect(await publish(driver, volumeId, target("a"))).toBe("FailedPrecondition");
    const there = { accessibleTopology: { segments: { "example.com/rack": "b" } } };
    expect((await driver.controller.getCapacity(there)).availableCapacity).toBe(0n);
    expect((await central.driver.controller.getCapacity(there)).availableCapacity).toBeGreaterThan(0n);
  });

  test("usage has the size of the data, and the condition says when data is lost", async () => {
    const { driver, server, target } = await start();
    const volumeId = await create(driver, "claim", { capacityRange: { requiredBytes: 1n << 20n } });
    await publish(driver, volumeId, target("a"));
    const ask = () => driver.node.nodeGetVolumeStats({ volumeId, volumePath: target("a") });
    writeFileSync(join(target("a"), "file"), Buffer.alloc(300_000, 1));
    const { usage, volumeCondition } = await ask();
    expect(usage[0]).toMatchObject({ total: 1n << 20n, unit: 1 });
    expect(Number(usage[0]!.used)).toBeGreaterThanOrEqual(300_000);
    expect(usage[0]!.used + usage[0]!.available).toBe(1n << 20n);
    expect(volumeCondition!.abnormal).toBe(false);
    writeFileSync(join(target("a"), "file"), Buffer.alloc(1_500_000, 1));
    expect((await ask()).volumeCondition).toMatchObject({
      abnormal: true,
      message: "the volume holds more than its size",
    });
    rmSync(join(server.dir, "volumes", volumeId, "data"), { recursive: true });
    expect((await ask()).volumeCondition).toMatchObject({
      abnormal: true,
      message: "the directory with the data is gone",
    });
    expect(await codeOf(driver.node.nodeGetVolumeStats({ volumeId, volumePath: "/elsewhere" }))).toBe("NotFound");
  });

  test("another directory at the path is never removed", async () => {
    const { driver, target } = await start();
    const volumeId = await create(driver, "claim");
    mkdirSync(join(target("a"), "other"), { recursive: true });
    expect(await codeOf(driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("a") }))).toBe("Internal");
    expect(lstatSync(join(target("a"), "other")).isDirectory()).toBe(true);
  });
});

describe.each(["csi.storage.k8s.io", "csi.storage.svc.io"])("ephemeral volumes, with context keys of %s", (prefix) => {
  const podInfo = (more: Record<string, string> = {}) => ({
    [`${prefix}/ephemeral`]: "true",
    [`${prefix}/pod.name`]: "web",
    [`${prefix}/pod.namespace`]: "default",
    [`${prefix}/pod.uid`]: "42",
    [`${prefix}/serviceAccount.name`]: "builder",
    ...more,
  });
  const inline = (driver: Driver, targetPath: string, volumeContext: Record<string, string>, secrets = {}) =>
    codeOf(
      driver.node.nodePublishVolume({
        volumeId: "csi-1",
        targetPath,
        volumeCapability: access(),
        volumeContext,
        secrets,
      }),
    );
  const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

  test("CSID-15, CSID-39: the driver reads known keys about the Pod, and ignores unknown ones", async () => {
    const { driver, target } = await start();
    const context = podInfo({ show: "pod", [`${prefix}/pod.colour`]: "red" });
    expect(await inline(driver, target("a"), context)).toBe("OK");
    expect(json(join(target("a"), "pod.json"))).toEqual({
      name: "web",
      namespace: "default",
      uid: "42",
      account: "builder",
    });
    expect(await listed(driver)).toEqual([]);
  });

  test("CSID-15: invalid information about a Pod is refused", async () => {
    const { driver, target } = await start();
    expect(await inline(driver, target("a"), podInfo({ [`${prefix}/ephemeral`]: "yes" }))).toBe("InvalidArgument");
    expect(await inline(driver, target("a"), podInfo({ [`${prefix}/pod.uid`]: "" }))).toBe("InvalidArgument");
    expect(await inline(driver, target("a"), podInfo({ [`${prefix}/serviceAccount.tokens`]: "abc" }))).toBe(
      "InvalidArgument",
    );
    expect(await inline(driver, target("a"), { [`${prefix}/ephemeral`]: "true", show: "pod" })).toBe("InvalidArgument");
    expect(await inline(driver, target("a"), podInfo({ size: "large" }))).toBe("InvalidArgument");
    expect(existsSync(target("a"))).toBe(false);
  });

  test("CSID-18: a repeated publication changes contents and nothing else", async () => {
    const { driver, target } = await start();
    const tokens = (token: string) => JSON.stringify({ vault: { token, expirationTimestamp: "2026-01-01T00:00:00Z" } });
    const key = `${prefix}/serviceAccount.tokens`;
    const path = target("a");
    expect(await inline(driver, path, podInfo({ show: "tokens", [key]: tokens("first") }))).toBe("OK");
    const { ino } = lstatSync(path);
    writeFileSync(join(path, "file"), "of the Pod");
    expect(json(join(path, "tokens.json"))).toMatchObject({ vault: { token: "first" } });
    // CSID-21: tokens may be in the secrets.
    expect(await inline(driver, path, podInfo({ show: "tokens" }), { [key]: tokens("second") })).toBe("OK");
    expect(json(join(path, "tokens.json"))).toMatchObject({ vault: { token: "second" } });
    expect(lstatSync(path).ino).toBe(ino);
    expect(readFileSync(join(path, "file"), "utf8")).toBe("of the Pod");
  });

  test("unpublishing deletes the volume with its data", async () => {
    const { driver, server, target } = await start();
    expect(await inline(driver, target("a"), podInfo())).toBe("OK");
    expect(readdirSync(join(server.dir, "volumes"))).toEqual(["csi-1"]);
    const taken = { volumeId: "csi-1", targetPath: target("a") };
    expect(await codeOf(driver.node.nodeUnpublishVolume(taken))).toBe("OK");
    expect(readdirSync(join(server.dir, "volumes"))).toEqual([]);
    expect(await codeOf(driver.node.nodeUnpublishVolume(taken))).toBe("OK");
  });
});

describe("the capabilities of a driver", () => {
  test("SUP-18: every capability has its methods, and no other method exists", async () => {
    const all = await start({ features: new Set(Object.keys(FEATURES) as Feature[]) });
    const controller = [...(await all.driver.controllerCapabilities())].toSorted();
    expect(controller).toEqual([
      "CLONE_VOLUME",
      "CREATE_DELETE_SNAPSHOT",
      "CREATE_DELETE_VOLUME",
      "EXPAND_VOLUME",
      "GET_CAPACITY",
      "GET_SNAPSHOT",
      "GET_VOLUME",
      "LIST_SNAPSHOTS",
      "LIST_VOLUMES",
      "LIST_VOLUMES_PUBLISHED_NODES",
      "MODIFY_VOLUME",
      "PUBLISH_READONLY",
      "PUBLISH_UNPUBLISH_VOLUME",
      "SINGLE_NODE_MULTI_WRITER",
      "VOLUME_CONDITION",
    ]);
    const none = await start({ features: new Set<Feature>() });
    expect([...(await none.driver.controllerCapabilities())]).toEqual(["CREATE_DELETE_VOLUME"]);
    expect([...(await none.driver.nodeCapabilities())]).toEqual([]);
    const methods = [
      ["controllerPublishVolume", "controllerUnpublishVolume", "listVolumes", "getCapacity", "createSnapshot"],
      ["deleteSnapshot", "listSnapshots", "controllerExpandVolume", "controllerGetVolume", "controllerModifyVolume"],
    ].flat() as (keyof Driver["controller"])[];
    for (const method of methods) {
      expect([method, await codeOf(none.driver.controller[method]({} as never))]).toEqual([method, "Unimplemented"]);
      expect([method, await codeOf(all.driver.controller[method]({} as never))]).not.toEqual([method, "Unimplemented"]);
    }
    const nodes = ["nodeStageVolume", "nodeUnstageVolume", "nodeGetVolumeStats", "nodeExpandVolume"] as const;
    for (const method of nodes) {
      expect([method, await codeOf(none.driver.node[method]({}))]).toEqual([method, "Unimplemented"]);
      expect([method, await codeOf(all.driver.node[method]({}))]).toEqual([method, "InvalidArgument"]);
    }
  });

  test("invalid settings are refused", async () => {
    await expect(startTestDriver({ name: "no spaces" })).rejects.toThrow("expected the name of a driver");
    await expect(startTestDriver({ backing: "image" })).rejects.toThrow("cannot be linked");
    await expect(startTestDriver({ dir: "relative" })).rejects.toThrow("absolute path");
  });
});
