/** Scenes of plain volumes that need mounts and devices. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { PersistentVolume } from "../../../client/kinds/index.ts";
import type { NeededVolume, VolumePlugin } from "../../contract.ts";
import { machineMounter } from "../../mounts/machine-mounter.ts";
import { findProgram, runProgram } from "../../mounts/run-program.ts";
import { emptyDirPlugin } from "../empty-dir.ts";
import type { PlainContext, PlainOptions } from "../plain-context.ts";
import { imagePlugin } from "../image.ts";
import { iscsiPlugin } from "../iscsi.ts";
import { localPlugin } from "../local.ts";
import { found, going, needed, testContext } from "./context.ts";

const mounter = machineMounter();
const programs = {
  run: (program: string, args: readonly string[]) => runProgram(program, args),
  find: findProgram,
};
const context = (root: string, options: PlainOptions = {}): PlainContext =>
  testContext({ root, mounter, programs, ...options });

const run = (program: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, `${program} ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
};

/** A disk of a size: its device is removed when nothing uses it any more, at the latest with this process. */
function disk(directory: string, name = "disk", size = 32 << 20): string {
  const file = join(directory, name);
  writeFileSync(file, "");
  truncateSync(file, size);
  const device = run("losetup", "--find", "--show", file);
  openSync(device, "r");
  run("losetup", "--detach", device);
  return device;
}

/** A tmpfs is full at its limit, keeps its files at later reconciles, and leaves no mount and no directory. */
export async function memoryIsLimited(root: string): Promise<void> {
  const plugin = emptyDirPlugin(context(root));
  const volume = needed(root, plugin.kind, { volume: { emptyDir: { medium: "Memory", sizeLimit: "64Ki" } } });
  await plugin.setUp(volume, going);
  assert.equal(statSync(volume.path).mode & 0o7777, 0o1777);
  writeFileSync(join(volume.path, "file"), Buffer.alloc(32_768));
  assert.throws(() => writeFileSync(join(volume.path, "big"), Buffer.alloc(65_536)), { code: "ENOSPC" });
  await emptyDirPlugin(context(root)).setUp(volume, going);
  assert.equal((await mounter.mounts(volume.path)).length, 1);
  assert.equal(statSync(join(volume.path, "file")).size, 32_768);
  const usage = await plugin.usage!(volume, going);
  assert.equal(usage?.capacityBytes, 65_536);
  assert.equal(usage?.usedBytes, 65_536);
  await plugin.tearDown(found(volume, plugin), going);
  assert.equal((await mounter.mounts(volume.path)).length, 0);
  assert.equal(existsSync(volume.path), false);
}

/** Huge pages are mounted with the requested size, writable for all users. */
export async function hugePagesAreMounted(root: string): Promise<void> {
  const plugin = emptyDirPlugin(context(root, { system: "/sys" }));
  const volume = needed(root, plugin.kind, { volume: { emptyDir: { medium: "HugePages-2Mi" } } });
  await plugin.setUp(volume, going);
  await plugin.setUp(volume, going);
  const [mount, ...more] = await mounter.mounts(volume.path);
  assert.deepEqual([mount?.type, more], ["hugetlbfs", []]);
  assert.ok(mount?.options.includes("pagesize=2M"));
  assert.equal(statSync(volume.path).mode & 0o777, 0o777);
  await plugin.tearDown(found(volume, plugin), going);
  assert.equal(existsSync(volume.path), false);
}

const local = (
  root: string,
  path: string,
  more: Parameters<typeof needed>[2] & { fsType?: string } = {},
): NeededVolume => {
  const { fsType, ...what } = more;
  const persistent: Partial<PersistentVolume["spec"]> = { local: { path, ...(fsType && { fsType }) } };
  return needed(root, "kubernetes.io~local-volume", { ...what, persistent });
};

/** A directory is bound, gets the group of the Pod once, and keeps its files when the volume is torn down. */
export async function localDirectory(root: string): Promise<void> {
  const data = join(root, "data");
  mkdirSync(data, { mode: 0o755 });
  writeFileSync(join(data, "file"), "text", { mode: 0o600 });
  const plugin = localPlugin(context(root));
  const volume = local(root, data, { pod: { securityContext: { fsGroup: 4321 } } as never });
  assert.deepEqual(await plugin.setUp(volume, going), { source: volume.path });
  assert.equal(readFileSync(join(volume.path, "file"), "utf8"), "text");
  assert.deepEqual([statSync(data).gid, statSync(data).mode & 0o7777], [4321, 0o2775]);
  assert.deepEqual([statSync(join(data, "file")).gid, statSync(join(data, "file")).mode & 0o777], [4321, 0o660]);
  await plugin.setUp(volume, going);
  assert.equal((await mounter.mounts(volume.path)).length, 1);
  await plugin.tearDown(found(volume, plugin), going);
  await plugin.tearDown(found(volume, plugin), going);
  assert.equal(existsSync(volume.path), false);
  assert.deepEqual(readdirSync(data), ["file"]);
  const reading = local(root, data, { readOnly: true });
  await plugin.setUp(reading, going);
  assert.throws(() => writeFileSync(join(reading.path, "new"), ""), { code: "EROFS" });
  await plugin.tearDown(found(reading, plugin), going);
}

/** An empty device is formatted with ext4 and mounted; files stay for the next Pod; read-only for a second Pod while the first one writes. */
export async function localDevice(root: string): Promise<void> {
  const device = disk(root);
  const plugin = localPlugin(context(root));
  const volume = local(root, device);
  await plugin.setUp(volume, going);
  const [mount] = await mounter.mounts(volume.path);
  assert.deepEqual([mount?.type, mount?.source], ["ext4", device]);
  writeFileSync(join(volume.path, "file"), "kept");
  const second: NeededVolume = { ...local(root, device, { readOnly: true }), path: `${volume.path}-2` };
  await plugin.setUp(second, going);
  assert.throws(() => writeFileSync(join(second.path, "new"), ""), { code: "EROFS" });
  writeFileSync(join(volume.path, "new"), "");
  await plugin.tearDown(found(second, plugin), going);
  await plugin.tearDown(found(volume, plugin), going);
  assert.equal(existsSync(volume.path), false);
  await plugin.setUp(volume, going);
  assert.equal(readFileSync(join(volume.path, "file"), "utf8"), "kept");
  await plugin.tearDown(found(volume, plugin), going);
}

const refuses = async (plugin: VolumePlugin, volume: NeededVolume, message: RegExp): Promise<void> => {
  await assert.rejects(plugin.setUp(volume, going), message);
  assert.equal((await mounter.mounts(volume.path)).length, 0);
};

/** Other content of a device than the requested file system stays. */
export async function neverFormatsData(root: string): Promise<void> {
  const plugin = localPlugin(context(root));
  const device = disk(root);
  run("mkfs.ext4", "-q", device);
  const before = run("sha256sum", device);
  await refuses(plugin, local(root, device, { fsType: "xfs" }), /expected the file system xfs on .*, found ext4/);
  assert.equal(run("sha256sum", device), before);

  const partitioned = disk(root, "partitioned");
  writeFileSync(partitioned, tableOfPartitions(), { flag: "r+" });
  await refuses(plugin, local(root, partitioned), /found a table of partitions \(dos\)/);

  const other = disk(root, "swap");
  run("mkswap", other);
  await refuses(plugin, local(root, other), /found swap/);

  for (const [name, offset] of Object.entries({ first: 100_000, middle: 16 << 20, last: (32 << 20) - 5000 })) {
    const garbage = disk(root, `garbage-${name}`);
    run("dd", "if=/etc/hostname", `of=${garbage}`, "bs=1", `seek=${offset}`, "count=2", "conv=notrunc");
    await refuses(plugin, local(root, garbage), /found unknown content: it is not formatted/);
  }
}

/** The first sector of a disk with one partition of Linux, from 1 MiB on, of 4 MiB. */
function tableOfPartitions(): Buffer {
  const sector = Buffer.alloc(512);
  sector[446 + 4] = 0x83;
  sector.writeUInt32LE(2048, 446 + 8);
  sector.writeUInt32LE(8192, 446 + 12);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

/** Without blkid only a device of zeros is formatted; a missing mkfs is reported. */
export async function formatsOnlyWithPrograms(root: string): Promise<void> {
  const device = disk(root);
  const without = (missing: string): PlainContext =>
    context(root, {
      programs: {
        find: (program) => (program === missing ? Promise.resolve(undefined) : findProgram(program)),
        run: (program, args) => runProgram(program === missing ? "no-such-program" : program, args),
      },
    });
  await refuses(
    localPlugin(without("mkfs.ext4")),
    local(root, device),
    /the empty device .* needs the program mkfs.ext4, which is not installed/,
  );
  const plugin = localPlugin(without("blkid"));
  const volume = local(root, device);
  await plugin.setUp(volume, going);
  await plugin.tearDown(found(volume, plugin), going);
  await refuses(plugin, volume, /found unknown content: it is not formatted/);
}

/** A block volume is a link, which is removed with the volume; the device stays. */
export async function localBlock(root: string): Promise<void> {
  const device = disk(root);
  const plugin = localPlugin(context(root));
  const volume = local(root, device, { mode: "Block" });
  assert.deepEqual(await plugin.setUp(volume, going), { source: device });
  await plugin.setUp(volume, going);
  assert.equal(readlinkSync(volume.path), device);
  await plugin.tearDown(found(volume, plugin), going);
  await plugin.tearDown(found(volume, plugin), going);
  assert.equal(existsSync(volume.path), false);
  assert.ok(lstatSync(device).isBlockDevice());
  await assert.rejects(plugin.setUp(local(root, root, { mode: "Block" }), going), /is no block device/);
}

/** The files of an image are read-only, and a running Pod keeps those of its start. */
export async function imageIsReadOnly(root: string): Promise<void> {
  const images = join(root, "images");
  for (const version of ["v1", "v2"]) {
    mkdirSync(join(images, "registry", version), { recursive: true });
    writeFileSync(join(images, "registry", version, "file"), version);
  }
  symlinkSync("v1", join(images, "registry/tools:latest"));
  const plugin = imagePlugin(context(root), images);
  const volume = needed(root, plugin.kind, {
    volume: { image: { reference: "registry/tools" } },
    pod: { securityContext: { fsGroup: 4321, fsGroupChangePolicy: "Always" } } as never,
  });
  const read = (): string => readFileSync(join(volume.path, "file"), "utf8");
  await plugin.setUp(volume, going);
  assert.equal(read(), "v1");
  assert.throws(() => writeFileSync(join(volume.path, "file"), "no"), { code: "EROFS" });
  assert.equal(statSync(join(images, "registry/v1/file")).gid, 0);
  symlinkSync("v2", join(images, "new"));
  renameSync(join(images, "new"), join(images, "registry/tools:latest"));
  await plugin.setUp(volume, going);
  assert.equal(read(), "v1");
  await plugin.tearDown(found(volume, plugin), going);
  await plugin.setUp(volume, going);
  assert.equal(read(), "v2");
  await plugin.tearDown(found(volume, plugin), going);
  assert.deepEqual(readdirSync(join(images, "registry/v1")), ["file"]);
}

/** A unit gets a login, is formatted and mounted, and is logged out with its last volume; with a fake iscsiadm. */
export async function iscsiWithAStandIn(root: string): Promise<void> {
  const device = disk(root);
  const calls: string[] = [];
  const byPath = join(root, "dev/disk/by-path");
  mkdirSync(byPath, { recursive: true });
  const standIn: PlainOptions["programs"] = {
    find: (program) => (program === "iscsiadm" ? Promise.resolve("/sbin/iscsiadm") : findProgram(program)),
    run: async (program, args) => {
      if (program !== "iscsiadm") return runProgram(program, args);
      calls.push(args.join(" "));
      const link = join(byPath, "ip-10.0.0.1:3260-iscsi-iqn.test-lun-0");
      if (args.includes("--login") && !existsSync(link)) symlinkSync(device, link);
      return { code: args.includes("--login") ? 15 : 0, output: "", errors: "" };
    },
  };
  const plugin = iscsiPlugin(context(root, { programs: standIn, devices: join(root, "dev") }));
  const iscsi = { targetPortal: "10.0.0.1", iqn: "iqn.test", lun: 0, iscsiInterface: "default" };
  const volume = needed(root, plugin.kind, { volume: { iscsi } });
  await plugin.setUp(volume, going);
  const [mount] = await mounter.mounts(volume.path);
  assert.equal(mount?.type, "ext4");
  assert.ok(mount?.options.includes("rw"));
  writeFileSync(join(volume.path, "file"), "");
  const login = "-m node -p 10.0.0.1:3260 -T iqn.test -I default";
  assert.deepEqual(calls.splice(0), [
    "-m discoverydb -t sendtargets -p 10.0.0.1:3260 -I default --discover",
    `${login} --login`,
  ]);
  await plugin.setUp(volume, going);
  assert.deepEqual(calls, []);
  // A second volume of the target keeps the session.
  const other: NeededVolume = {
    ...volume,
    volume: { name: "other", iscsi: { ...iscsi, readOnly: true } },
    path: `${volume.path}-2`,
  };
  await plugin.tearDown(found(volume, plugin), going);
  assert.deepEqual(calls.splice(0), [`${login} --logout`]);
  await plugin.setUp(other, going);
  assert.throws(() => writeFileSync(join(other.path, "new"), ""), { code: "EROFS" });
  await plugin.tearDown({ ...found(other, plugin), name: "other" }, going);
  assert.equal(calls.at(-1), `${login} --logout`);
  // After a restart of the agent, without any object: the record is enough.
  await plugin.setUp(volume, going);
  await iscsiPlugin(context(root, { programs: standIn, devices: join(root, "dev") })).tearDown(
    found(volume, plugin),
    going,
  );
  assert.equal(calls.at(-1), `${login} --logout`);
  assert.deepEqual(readdirSync(join(root, "plugins/kubernetes.io/iscsi")), []);
}
