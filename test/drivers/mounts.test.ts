/**
 * The driver of directories and images as a process that mounts, in a mount namespace of its own: nothing of it is seen
 * outside, and all of it goes with the process. What it sees is read by way of `/proc/PID/root`.
 *
 * Needs root on Linux, `unshare` and, for images, loop devices.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Driver, openDriver } from "../../src/csi/driver.ts";
import { ACCESS_MODE } from "../../src/csi/terms.ts";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { VolumeCapabilitySchema } from "../../src/csi/generated/csi_pb.js";
import { systemClock } from "../../src/util/clock.ts";
import { EXECUTABLE } from "../serve/keelson.ts";

const works = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1), { stdio: "ignore" }).status === 0;
const canMount = process.getuid?.() === 0 && works("unshare", "--mount", "true");
const canLoop = canMount && works("losetup", "--find") && works("mkfs.ext4", "-V");
if (!canLoop)
  console.log(`left out: ${canMount ? "images, there are no loop devices" : "mounts, which need root on Linux"}`);

const MI = 1n << 20n;
/** CAP_SYS_RESOURCE, which ext4 wants to grow while it is mounted. */
const hasResources =
  canLoop &&
  (BigInt(`0x${/^CapEff:\s+(\w+)$/m.exec(readFileSync("/proc/self/status", "utf8"))![1]}`) >> 24n) % 2n === 1n;
/** File systems that grow here while they are mounted, and with how much they begin. */
const GROWING: [string, bigint][] = [
  ...(hasResources ? [["ext4", 32n * MI] as [string, bigint]] : []),
  ...(canLoop && works("mkfs.xfs", "-V") ? [["xfs", 320n * MI] as [string, bigint]] : []),
];
if (canLoop && GROWING.length < 2)
  console.log("left out: growing of ext4, which needs CAP_SYS_RESOURCE, or of xfs, which needs xfsprogs");
let home: string;
let driver: Driver;
/** Keeps the namespace, so that a driver that is killed leaves its mounts behind for the next one. */
let keeper: ChildProcess;
let process_: ChildProcess | undefined;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "keelson-mounts-"));
  driver = openDriver(`unix://${home}/csi.sock`, { clock: systemClock });
  if (!canMount) return;
  keeper = spawn("unshare", ["--mount", "sh", "-c", "echo ready; exec sleep 600"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(keeper.stdout!, "data");
});
afterEach(async () => {
  await driver.close();
  await end("SIGTERM");
  if (canMount) {
    const gone = once(keeper, "exit");
    keeper.kill("SIGKILL");
    await gone;
  }
  rmSync(home, { recursive: true });
});

/** Starts the driver in the namespace. */
async function start(...flags: readonly string[]): Promise<void> {
  const socket = `unix://${home}/csi.sock`;
  const args = ["driver", "--socket", socket, "--dir", join(home, "dir"), ...flags];
  const inside = [`--mount=/proc/${keeper.pid}/ns/mnt`, "--", process.execPath, EXECUTABLE, ...args];
  process_ = spawn("nsenter", inside, { stdio: ["ignore", "pipe", "inherit"] });
  await once(process_.stdout!, "data");
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (!process_) return;
  const gone = once(process_, "exit");
  process_.kill(signal);
  await gone;
  process_ = undefined;
}

const target = (name: string): string => join(home, "pods", name);
/** The path as the namespace has it. */
const seen = (path: string): string => `/proc/${keeper.pid}/root${path}`;
const mountsThere = (): string[] =>
  readFileSync(`/proc/${keeper.pid}/mountinfo`, "utf8")
    .split("\n")
    .filter((line) => line.includes(home));

type Kind = { block?: boolean; mode?: (typeof ACCESS_MODE)[keyof typeof ACCESS_MODE]; fsType?: string; group?: string };

function capability({
  block = false,
  mode = ACCESS_MODE.SINGLE_NODE_WRITER,
  fsType = "",
  group = "",
}: Kind = {}): MessageInitShape<typeof VolumeCapabilitySchema> {
  const accessMode = { mode };
  if (block) return { accessMode, accessType: { case: "block", value: {} } };
  return { accessMode, accessType: { case: "mount", value: { fsType, volumeMountGroup: group } } };
}

async function create(name: string, kind: Kind = {}, requiredBytes = 32n * MI): Promise<string> {
  const request = { name, volumeCapabilities: [capability(kind)], capacityRange: { requiredBytes } };
  return (await driver.controller.createVolume(request)).volume!.volumeId;
}

async function publish(volumeId: string, name: string, kind: Kind = {}, readonly = false): Promise<void> {
  const volumeCapability = capability(kind);
  const stagingTargetPath = target("staging");
  await driver.node.nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability });
  await driver.node.nodePublishVolume({
    volumeId,
    stagingTargetPath,
    targetPath: target(name),
    volumeCapability,
    readonly,
  });
}

async function takeAway(volumeId: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target(name) });
  await driver.node.nodeUnstageVolume({ volumeId, stagingTargetPath: target("staging") });
}

describe.skipIf(!canMount)("directories that are mounted", () => {
  test("a volume is at several paths, also read-only, and at none when it was taken away", async () => {
    await start();
    const volumeId = await create("claim");
    await publish(volumeId, "a");
    await publish(volumeId, "b", {}, true);
    writeFileSync(seen(join(target("a"), "file")), "hello");
    expect(readFileSync(seen(join(target("b"), "file")), "utf8")).toBe("hello");
    expect(() => writeFileSync(seen(join(target("b"), "file")), "no")).toThrow("EROFS");
    // Nothing of it is seen outside of the namespace.
    expect(readdirSync(target("a"))).toEqual([]);
    await takeAway(volumeId, "a", "b");
    expect(mountsThere()).toEqual([]);
    expect(existsSync(seen(target("a")))).toBe(false);
  });

  test("NODE-5: a driver that was killed finds what is mounted, and takes it away", async () => {
    await start();
    const volumeId = await create("claim");
    await publish(volumeId, "a");
    writeFileSync(seen(join(target("a"), "file")), "kept");
    const before = mountsThere();
    await end("SIGKILL");
    await start();
    await publish(volumeId, "a");
    expect(mountsThere()).toEqual(before);
    expect(readFileSync(seen(join(target("a"), "file")), "utf8")).toBe("kept");
    await takeAway(volumeId, "a");
    expect(mountsThere()).toEqual([]);
  });

  test("NODE-41: a driver with VOLUME_MOUNT_GROUP gives the volume its group", async () => {
    await start("--with", "mount-group");
    const volumeId = await create("claim");
    await publish(volumeId, "a", { group: "4711" });
    const { gid, mode } = statSync(seen(target("a")));
    expect([gid, (mode & 0o7777).toString(8)]).toEqual([4711, "2777"]);
    await takeAway(volumeId, "a");
  });
});

describe.skipIf(!canLoop)("images of disks", { timeout: 120_000 }, () => {
  const total = (path: string): bigint => {
    const { blocks, bsize } = statfsSync(seen(path), { bigint: true });
    return blocks * bsize;
  };
  const looped = (): string => spawnSync("losetup", ["--all"], { encoding: "utf8" }).stdout;

  test.each(GROWING)(
    "NODE-47: a volume has the size that it says, and a larger one as soon as it was expanded on its node: %s",
    async (fsType, first) => {
      await start("--backing", "image");
      const volumeId = await create("claim", { fsType }, first);
      await publish(volumeId, "a", { fsType });
      const small = total(target("a"));
      expect(small).toBeGreaterThan(first / 2n);
      expect(small).toBeLessThan(first);
      writeFileSync(seen(join(target("a"), "file")), "kept");
      const capacityRange = { requiredBytes: 4n * first };
      const grown = await driver.controller.controllerExpandVolume({ volumeId, capacityRange });
      expect(grown).toMatchObject({ capacityBytes: 4n * first, nodeExpansionRequired: true });
      expect(total(target("a"))).toBe(small);
      await driver.node.nodeExpandVolume({ volumeId, volumePath: target("a"), capacityRange });
      expect(total(target("a"))).toBeGreaterThan(3n * first);
      const { usage } = await driver.node.nodeGetVolumeStats({ volumeId, volumePath: target("a") });
      expect(usage[0]!.total).toBe(total(target("a")));
      expect(readFileSync(seen(join(target("a"), "file")), "utf8")).toBe("kept");
      await takeAway(volumeId, "a");
      expect(looped()).not.toContain(home);
    },
  );

  test("NODE-47: ext4 that was not expanded while it was mounted is when it is staged again", async () => {
    await start("--backing", "image");
    const volumeId = await create("claim");
    await publish(volumeId, "a");
    await takeAway(volumeId, "a");
    await driver.controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 128n * MI } });
    await publish(volumeId, "a");
    expect(total(target("a"))).toBeGreaterThan(100n * MI);
    await takeAway(volumeId, "a");
  });

  test("a copy of a volume in use has its files, and the size that was asked for", async () => {
    await start("--backing", "image");
    const volumeId = await create("claim");
    await publish(volumeId, "a");
    writeFileSync(seen(join(target("a"), "file")), "copied");
    const { snapshot } = await driver.controller.createSnapshot({ name: "s", sourceVolumeId: volumeId });
    await takeAway(volumeId, "a");
    const { volume } = await driver.controller.createVolume({
      name: "restored",
      volumeCapabilities: [capability()],
      capacityRange: { requiredBytes: 64n * MI },
      volumeContentSource: { type: { case: "snapshot", value: { snapshotId: snapshot!.snapshotId } } },
    });
    await publish(volume!.volumeId, "b");
    expect(readFileSync(seen(join(target("b"), "file")), "utf8")).toBe("copied");
    expect(total(target("b"))).toBeGreaterThan(40n * MI);
    await takeAway(volume!.volumeId, "b");
  });

  test("NODE-44, NODE-62: a device holds what was written, and is not formatted by another type", async () => {
    await start("--backing", "image");
    const volumeId = await create("claim", { block: true });
    await publish(volumeId, "a", { block: true });
    expect(statSync(seen(target("a"))).isBlockDevice()).toBe(true);
    await end("SIGKILL");
    await start("--backing", "image");
    await publish(volumeId, "a", { block: true });
    await takeAway(volumeId, "a");
    expect(looped()).not.toContain(home);
    const other = await create("other", { fsType: "ext3" });
    await publish(other, "b", { fsType: "ext3" });
    await takeAway(other, "b");
    await expect(publish(other, "b", { fsType: "ext4" })).rejects.toThrow("expected a disk with ext4, found ext3");
  });

  test("without staging a volume is mounted for its first path, and let go with its last", async () => {
    await start("--backing", "image", "--without", "stage");
    const volumeId = await create("claim");
    const one = (name: string) =>
      driver.node.nodePublishVolume({ volumeId, targetPath: target(name), volumeCapability: capability() });
    await one("a");
    await one("b");
    writeFileSync(seen(join(target("a"), "file")), "shared");
    expect(readFileSync(seen(join(target("b"), "file")), "utf8")).toBe("shared");
    await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("a") });
    expect(readFileSync(seen(join(target("b"), "file")), "utf8")).toBe("shared");
    await driver.node.nodeUnpublishVolume({ volumeId, targetPath: target("b") });
    expect(mountsThere()).toEqual([]);
    expect(looped()).not.toContain(home);
  });
});
