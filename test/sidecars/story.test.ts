/**
 * A whole life of a volume with nothing but this project: the server and its controllers, the driver of directories over its socket,
 * and the sidecars that are built in. Scheduler and node agent are played by requests.
 */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../src/client/kinds/index.ts";
import { type Driver, openDriver } from "../../src/csi/driver.ts";
import { type SocketServer, serveDriver } from "../../src/csi/serve.ts";
import { defaultFeatures, directoryDriver } from "../../src/drivers/directory-driver.ts";
import type { StorageDriver } from "../../src/sidecars/contract.ts";
import { storageDriver } from "../../src/sidecars/csi-driver.ts";
import { snapshotKinds } from "../../src/sidecars/snapshot/kinds.ts";
import { systemClock } from "../../src/util/clock.ts";
import { DiskWorld, PLACE } from "./disk-world.ts";
import { DRIVER } from "./made-up-driver.ts";

const kinds = snapshotKinds("snapshot.storage.k8s.io");
const SELECTED = "volume.kubernetes.io/selected-node";

let folder: string;
let server: SocketServer;
let driver: Driver;
let disks: DiskWorld<StorageDriver>;

const openDisks = (node: string) =>
  directoryDriver({
    dir: join(folder, "disks"),
    clock: systemClock,
    name: DRIVER,
    nodeId: `id-of-${node}`,
    topology: { [PLACE]: node },
    central: true,
    features: new Set([...defaultFeatures("directory"), "attach", "node-expand"]),
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "keelson-story-"));
  const clock = systemClock;
  // The second node has a driver of its own, which need not be called here.
  await openDisks("two");
  const services = await openDisks("one");
  server = await serveDriver(join(folder, "csi.sock"), services, { clock });
  driver = openDriver(`unix://${server.socket}`, { clock });
  disks = await DiskWorld.create(await storageDriver(driver));
  await disks.makeNodes("one", "two");
  await disks.installSnapshots();
  await disks.start({ capacity: { namespace: "default" }, extraCreateMetadata: true });
});
afterAll(async () => {
  await disks?.[Symbol.asyncDispose]();
  await driver?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Where the driver keeps the files of a volume. */
const filesOf = async (claim: string): Promise<string> => {
  const { csi } = (await disks.volumeOf(claim)).spec;
  const isOf = (path: string): boolean => path.includes(csi!.volumeHandle);
  const found = readdirSync(join(folder, "disks"), { recursive: true, encoding: "utf8" }).filter(isOf);
  const data = found.find((path) => path.endsWith("/data")) ?? found[0]!;
  return join(folder, "disks", data);
};

test("SUP-18, PVC-8, VAC-5, NODE-70: provisioned, bound, attached, grown, modified, photographed, restored, cloned, deleted, with nothing left", async () => {
  await disks.makeClass("fast", { volumeBindingMode: "WaitForFirstConsumer" });
  await disks.makeClass("at-once");
  await disks.makeAttributes("slow", { parameters: { tier: "slow" } });
  await disks.makeAttributes("quick", { parameters: { tier: "quick" } });
  const rooms = (await disks.resource(CSIStorageCapacity).list()).items;
  expect(
    rooms.map(({ nodeTopology }) => nodeTopology?.matchLabels?.[PLACE] ?? "").toSorted((a, b) => (a < b ? -1 : 1)),
  ).toEqual(["one", "two"]);

  // The scheduler has chosen a node.
  await disks.makeClaim("data", { volumeAttributesClassName: "slow" });
  expect((await disks.claim("data")).status.phase).toBe("Pending");
  await disks.patchClaim("data", { metadata: { annotations: { [SELECTED]: "two" } } });
  expect((await disks.claim("data")).status).toMatchObject({
    phase: "Bound",
    currentVolumeAttributesClassName: "slow",
  });
  const { spec, metadata } = await disks.volumeOf("data");
  expect(JSON.stringify(spec.nodeAffinity)).toContain('"two"');
  const file = join(await filesOf("data"), "greeting");
  writeFileSync(file, "hello");

  // A Pod is there: its volume is attached.
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  await disks.resource(Node).patch({ name: "two" }, { metadata: { annotations } });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  await disks.create(Pod, {
    metadata: { namespace: "default", name: "p" },
    spec: { nodeName: "two", containers: [{ name: "c", image: "i" }], volumes },
  });
  const attached = async () => (await disks.resource(Node).get({ name: "two" })).status.volumesAttached?.length ?? 0;
  expect(await attached()).toBe(1);
  const [attachment] = (await disks.resource(VolumeAttachment).list()).items;
  expect(attachment!.status.attached).toBe(true);

  // It grows, the rest on its node.
  await disks.patchClaim("data", { spec: { resources: { requests: { storage: "2Gi" } } } });
  expect((await disks.claim("data")).status).toMatchObject({
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
  });
  const done = { capacity: { storage: "2Gi" }, conditions: null, allocatedResourceStatuses: null };
  await disks.resource(PersistentVolumeClaim).status.patch({ namespace: "default", name: "data" }, { status: done });
  await disks.settled();

  await disks.patchClaim("data", { spec: { volumeAttributesClassName: "quick" } });
  expect((await disks.claim("data")).status.currentVolumeAttributesClassName).toBe("quick");

  // A snapshot, a volume of it, and a clone, each with the file.
  await disks.create(kinds.class, { metadata: { name: "pictures" }, driver: DRIVER, deletionPolicy: "Delete" });
  await disks.create(kinds.snapshot, {
    metadata: { namespace: "default", name: "s" },
    spec: { volumeSnapshotClassName: "pictures", source: { persistentVolumeClaimName: "data" } },
  });
  expect((await disks.world.resource(kinds.snapshot).get({ namespace: "default", name: "s" })).status).toMatchObject({
    readyToUse: true,
  });
  writeFileSync(file, "changed");
  const size = { storageClassName: "at-once", resources: { requests: { storage: "2Gi" } } };
  const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" };
  await disks.makeClaim("restored", { ...size, dataSource });
  await disks.makeClaim("copy", { ...size, dataSource: { kind: "PersistentVolumeClaim", name: "data" } });
  expect(readFileSync(join(await filesOf("restored"), "greeting"), "utf8")).toBe("hello");
  expect(readFileSync(join(await filesOf("copy"), "greeting"), "utf8")).toBe("changed");

  // Everything goes: the claim while the Pod is there, and the Pod last.
  await disks.world.resource(kinds.snapshot).delete({ namespace: "default", name: "s" });
  for (const claim of ["restored", "copy", "data"]) await disks.deleteClaim(claim);
  expect(existsSync(file)).toBe(true);
  await disks.resource(Pod).delete({ namespace: "default", name: "p" }, { gracePeriodSeconds: 0 });
  await disks.settled();
  await disks.world.advance("1m");
  expect(await attached()).toBe(0);
  expect(existsSync(file)).toBe(false);
  expect(await disks.resource(PersistentVolume).find({ name: metadata.name })).toBeUndefined();
  expect(await disks.volumes()).toEqual([]);
  expect((await disks.resource(VolumeAttachment).list()).items).toEqual([]);
  expect((await disks.world.resource(kinds.content).list()).items).toEqual([]);
  const left = await driver.controller.listVolumes({});
  expect([left.entries, (await driver.controller.listSnapshots({})).entries]).toEqual([[], []]);
});

test("a driver that goes away for a while is asked again when it is back", async () => {
  await disks.makeClass("patient");
  const { socket } = server;
  await server.close();
  await disks.makeClaim("waits", { storageClassName: "patient" });
  expect(await disks.told("waits")).toContain("Warning ProvisioningFailed");
  const services = await openDisks("one");
  server = await serveDriver(socket, services, { clock: systemClock });
  await disks.world.advance("10s");
  expect((await disks.claim("waits")).status.phase).toBe("Bound");
  await disks.deleteClaim("waits");
  expect(await disks.volumes()).toEqual([]);
});
