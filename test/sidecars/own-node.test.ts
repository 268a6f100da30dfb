import { afterEach, beforeEach, expect, test } from "vitest";
import { CSIStorageCapacity } from "../../src/client/kinds/index.ts";
import { nameFor } from "../../src/sidecars/own-node.ts";
import { DiskWorld, PLACE } from "./disk-world.ts";

const SELECTED = "volume.kubernetes.io/selected-node";
const LATE = { volumeBindingMode: "WaitForFirstConsumer" };
const PARTS = ["provisioner", "attacher", "resizer", "modifier"] as const;

let disks: DiskWorld;
const start = (name: string) =>
  disks.start({ node: { name, segments: { [PLACE]: name } }, capacity: { namespace: "default" } }, PARTS);
beforeEach(async () => {
  disks = await DiskWorld.create();
  await disks.makeNodes("one", "two");
  await disks.makeClass("fast", LATE);
});
afterEach(() => disks[Symbol.asyncDispose]());

test("beside a driver that has the disks of one node, only what is for that node is done", async () => {
  await start("one");
  await disks.makeClass("at-once");
  await disks.makeClaim("now", { storageClassName: "at-once" });
  for (const name of ["one", "two"]) await disks.makeClaim(`on-${name}`, {}, { annotations: { [SELECTED]: name } });
  const phases = async () =>
    Promise.all(["now", "on-one", "on-two"].map(async (name) => (await disks.claim(name)).status.phase));
  expect(await phases()).toEqual(["Pending", "Bound", "Pending"]);
  const places = async () =>
    (await disks.resource(CSIStorageCapacity).list()).items.map(
      ({ nodeTopology }) => nodeTopology?.matchLabels?.[PLACE],
    );
  expect(await places()).toEqual(["one"]);
  disks.manager.crash();

  // Those of the other node leave the first one's alone.
  await start("two");
  expect(await phases()).toEqual(["Pending", "Bound", "Bound"]);
  expect(new Set(await places())).toEqual(new Set(["one", "two"]));
  const { metadata } = await disks.volumeOf("on-one");
  await disks.attach("x", metadata.name, "one");
  await disks.patchClaim("on-one", { spec: { resources: { requests: { storage: "2Gi" } } } });
  await disks.deleteClaim("on-one");
  await disks.world.advance("10m");
  expect([disks.driver.asked("deleteVolume"), disks.driver.asked("controllerExpandVolume")]).toEqual([[], []]);
  expect(disks.driver.asked("controllerPublishVolume")).toEqual([]);
  await disks.detach("x");
  disks.manager.crash();
  await start("one");
  expect(disks.driver.asked("deleteVolume")).toHaveLength(1);
});

test("a claim that was begun on one node is not ended by another", async () => {
  await start("one");
  disks.driver.fail("createVolume", { code: 14, isAfter: true });
  await disks.makeClaim("a", {}, { annotations: { [SELECTED]: "one" } });
  disks.manager.crash();
  disks.driver.fail("createVolume", undefined);
  await start("two");
  const before = disks.driver.asked("createVolume").length;
  await disks.deleteClaim("a");
  await disks.world.advance("10m");
  expect(disks.driver.asked("createVolume")).toHaveLength(before);
  disks.manager.crash();
  await start("one");
  await disks.world.advance("1m");
  expect(await disks.findClaim("a")).toBeUndefined();
  expect(disks.driver.disks.size).toBe(0);
});

test("names of a node are names, however long that of the node is", () => {
  expect(nameFor("a", undefined)).toBe("a");
  expect(nameFor("a", { name: "n.example.com", segments: {} })).toBe("a-n.example.com");
  const long = nameFor("external-provisioner", { name: "n".repeat(253), segments: {} });
  expect(long).toMatch(/^external-provisioner-[0-9a-f]{16}$/);
  expect(nameFor("x".repeat(63), { name: "n", segments: {} })).toHaveLength(63);
});
