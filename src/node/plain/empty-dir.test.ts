import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, link, lstat, mkdir, mkdtemp, readdir, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Pod } from "../../client/kinds/index.ts";
import type { NeededVolume, VolumePlugin } from "../contract.ts";
import { linkingMounter } from "../mounts/linking-mounter.ts";
import { ManualMounter } from "../mounts/testing/manual-mounter.ts";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { emptyDirPlugin } from "./empty-dir.ts";
import { memorySize } from "./memory-size.ts";
import { found, going, needed, testContext } from "./testing/context.ts";

const scenes = new URL("./testing/plain-scenes.ts", import.meta.url).href;
const isRoot = process.getuid?.() === 0;

let root: string;
let mounter: ManualMounter;
let plugin: VolumePlugin;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "plain-"));
  mounter = new ManualMounter();
  plugin = emptyDirPlugin(testContext({ root, mounter, allocatable: () => ({ memory: "8Gi" }) }));
});
afterEach(() => promisify(execFile)("rm", ["-r", root]));

const emptyDir = (source: object = {}, pod: Partial<Pod["spec"]> = {}): NeededVolume =>
  needed(root, plugin.kind, { volume: { emptyDir: source }, pod });

const modeAndGroup = async (path: string): Promise<string> => {
  const { mode, gid } = await lstat(path);
  return `${(mode & 0o7777).toString(8)} ${gid}`;
};

describe("on disk", () => {
  test("NODE-54: a directory of mode 0777 with any umask, empty, and removed with its Pod", async () => {
    const volume = emptyDir();
    const before = process.umask(0o077);
    try {
      expect(await plugin.setUp(volume, going)).toEqual({ source: volume.path });
    } finally {
      process.umask(before);
    }
    expect(volume.path).toBe(join(root, "pods/uid/volumes/kubernetes.io~empty-dir/volume"));
    expect((await lstat(volume.path)).mode & 0o7777).toBe(0o777);
    expect(await readdir(volume.path)).toEqual([]);
    await writeFile(join(volume.path, "file"), "");
    await plugin.tearDown(found(volume, plugin), going);
    await plugin.tearDown(found(volume, plugin), going);
    expect(existsSync(volume.path)).toBe(false);
    expect(mounter.calls).toEqual([]);
  });

  test("NODE-54: files, and a mode that a container has set, survive reconciles and restarts", async () => {
    const volume = emptyDir();
    await plugin.setUp(volume, going);
    await writeFile(join(volume.path, "file"), "");
    await chmod(volume.path, 0o700);
    const restarted = emptyDirPlugin(testContext({ root, mounter }));
    await restarted.setUp(volume, going);
    expect(await readdir(volume.path)).toEqual(["file"]);
    expect((await lstat(volume.path)).mode & 0o7777).toBe(0o700);
  });

  test("NODE-54: a directory that was half created is finished", async () => {
    const volume = emptyDir();
    await mkdir(volume.path, { recursive: true });
    await chmod(volume.path, 0o1000);
    await plugin.setUp(volume, going);
    expect((await lstat(volume.path)).mode & 0o7777).toBe(0o777);
  });

  test.skipIf(!isRoot)("NODE-54: with a group it has the group and mode 2777", async () => {
    const volume = emptyDir({}, { securityContext: { fsGroup: 4321 } } as never);
    await plugin.setUp(volume, going);
    expect(await modeAndGroup(volume.path)).toBe("2777 4321");
  });

  test("a block device is refused", async () => {
    await expect(plugin.setUp({ ...emptyDir(), mode: "Block" }, going)).rejects.toThrow(
      "emptyDir volumes are directories",
    );
  });

  test("NODE-56: the limit of a volume on disk, and its usage: blocks, and files with several names once", async () => {
    const volume = emptyDir({ sizeLimit: "1Mi" });
    await plugin.setUp(volume, going);
    expect(plugin.maxBytes!(volume)).toBe(1 << 20);
    const file = join(volume.path, "sub/file");
    await mkdir(join(volume.path, "sub"));
    const before = await plugin.usage!(volume, going);
    await writeFile(file, Buffer.alloc(100_000, 1));
    await link(file, join(volume.path, "second-name"));
    await symlink("/", join(volume.path, "link"));
    const { usedBytes, inodesUsed } = (await plugin.usage!(volume, going))!;
    const grown = usedBytes! - before!.usedBytes!;
    expect(grown).toBeGreaterThanOrEqual(100_000);
    expect(grown).toBeLessThan(150_000);
    expect(inodesUsed).toBe(before!.inodesUsed! + 2);
    // A hole takes nothing.
    await writeFile(join(volume.path, "hole"), "");
    await truncate(join(volume.path, "hole"), 1e9);
    expect((await plugin.usage!(volume, going))!.usedBytes).toBeLessThan(usedBytes! + 50_000);
  });

  test.each([
    ["no limit", {}],
    ["a limit of 0", { sizeLimit: "0" }],
    ["a volume in memory, which cannot grow beyond it", { medium: "Memory", sizeLimit: "1Mi" }],
  ])("NODE-56: %s bounds nothing on disk", (_, source) => {
    expect(plugin.maxBytes!(emptyDir(source))).toBeUndefined();
  });
});

describe("in memory", () => {
  const limited = (...limits: (string | undefined)[]): Partial<Pod["spec"]> =>
    ({ containers: limits.map((memory) => ({ resources: memory ? { limits: { memory } } : {} })) }) as never;

  test("NODE-55: the size of a tmpfs is the minimum of limit, memory of the Pod and memory of the node", async () => {
    await plugin.setUp(emptyDir({ medium: "Memory", sizeLimit: "1Mi" }), going);
    const { path } = emptyDir();
    expect(mounter.calls).toEqual([`mount tmpfs tmpfs ${path} mode=1777,size=1048576,noswap`]);
    await plugin.setUp(emptyDir({ medium: "Memory", sizeLimit: "1Mi" }), going);
    expect(mounter.calls).toHaveLength(1);
  });

  test.each([
    ["the limit of the volume", { sizeLimit: "1Mi" }, limited("1Gi"), 1n << 20n],
    ["the limits of all containers", { sizeLimit: "1Gi" }, limited("1Mi", "2Mi"), 3n << 20n],
    ["the node, where a container has no limit", {}, limited("1Mi", undefined), 8n << 30n],
    ["the node, where no one limits it", {}, {}, 8n << 30n],
    ["the node, where the limit is 0", { sizeLimit: "0" }, {}, 8n << 30n],
    ["the limit of the Pod itself", {}, { resources: { limits: { memory: "5Mi" } }, ...limited("1Mi") }, 5n << 20n],
    [
      "an init container that needs more than the others together",
      {},
      { ...limited("1Mi"), initContainers: [{ resources: { limits: { memory: "4Mi" } } }] },
      4n << 20n,
    ],
    [
      "an init container that goes on running beside the others",
      {},
      { ...limited("1Mi"), initContainers: [{ restartPolicy: "Always", resources: { limits: { memory: "4Mi" } } }] },
      5n << 20n,
    ],
  ])("NODE-55: its size is that of %s", (_, source, spec, size) => {
    const { pod, volume } = emptyDir({ medium: "Memory", ...source }, spec as never);
    expect(memorySize(pod, volume, { memory: "8Gi" })).toBe(size);
  });

  test("NODE-55: without any limit the system decides", async () => {
    const { pod, volume } = emptyDir({ medium: "Memory" });
    expect(memorySize(pod, volume, {})).toBeUndefined();
  });

  test.skipIf(!isRoot)("NODE-55: with a group it is mounted with the group", async () => {
    const volume = emptyDir({ medium: "Memory" }, { securityContext: { fsGroup: 4321 } } as never);
    await plugin.setUp(volume, going);
    expect(mounter.calls[0]).toBe(`mount tmpfs tmpfs ${volume.path} mode=3777,gid=4321,size=8589934592,noswap`);
  });

  test("NODE-9: it is unmounted, and nothing is removed where that fails", async () => {
    const volume = emptyDir({ medium: "Memory" });
    await plugin.setUp(volume, going);
    await writeFile(join(volume.path, "file"), "");
    mounter.fail(/^unmount/, "target is busy");
    await expect(plugin.tearDown(found(volume, plugin), going)).rejects.toThrow("busy");
    expect(await readdir(volume.path)).toEqual(["file"]);
    // Files below the mount stay, too: only an empty directory is removed.
    await expect(plugin.tearDown(found(volume, plugin), going)).rejects.toThrow("ENOTEMPTY");
  });

  test("without the right to mount it is a directory on disk", async () => {
    const links = linkingMounter({ mounts: () => Promise.resolve([]) });
    plugin = emptyDirPlugin(testContext({ root, mounter: links }));
    const volume = emptyDir({ medium: "Memory" });
    await plugin.setUp(volume, going);
    expect((await lstat(volume.path)).mode & 0o7777).toBe(0o1777);
    await chmod(volume.path, 0o700);
    await plugin.setUp(volume, going);
    expect((await lstat(volume.path)).mode & 0o7777).toBe(0o700);
    await writeFile(join(volume.path, "file"), "");
    await plugin.tearDown(found(volume, plugin), going);
    expect(existsSync(volume.path)).toBe(false);
  });
});

describe("of huge pages", () => {
  const asking = (...names: string[]): Partial<Pod["spec"]> =>
    ({ containers: names.map((name) => ({ resources: { requests: { [name]: "4Mi" } } })) }) as never;

  beforeEach(async () => {
    await mkdir(join(root, "sys/kernel/mm/hugepages/hugepages-2048kB"), { recursive: true });
    plugin = emptyDirPlugin(testContext({ root, mounter, system: join(root, "sys") }));
  });

  test.each([
    ["with the page size of the medium", "HugePages-2Mi", {}],
    ["with the only page size that its containers request", "HugePages", asking("hugepages-2Mi", "cpu")],
  ])("NODE-55: a hugetlbfs %s", async (_, medium, spec) => {
    const volume = emptyDir({ medium }, spec);
    await plugin.setUp(volume, going);
    expect(mounter.calls).toEqual([`mount hugetlbfs nodev ${volume.path} pagesize=2097152,mode=777`]);
  });

  test.each([
    ["a size that the machine does not have", "HugePages-1Gi", {}, "no huge pages of 1Gi; it has 2048kB"],
    ["no size", "HugePages", {}, "the containers request no huge pages"],
    ["two sizes", "HugePages", asking("hugepages-2Mi", "hugepages-1Gi"), "got 2Mi and 1Gi"],
    ["an invalid size", "HugePages-big", {}, "expected a page size, got big"],
  ])("NODE-55: %s is refused", async (_, medium, spec, message) => {
    await expect(plugin.setUp(emptyDir({ medium }, spec), going)).rejects.toThrow(message);
    expect(mounter.calls).toEqual([]);
  });
});

describe.skipIf(whyNoMounts !== undefined)("with mounts", () => {
  test("NODE-55: a volume in memory is full at its limit, survives a restart and leaves nothing", () =>
    runScene(scenes, "memoryIsLimited"));
  test.skipIf(!existsSync("/sys/kernel/mm/hugepages/hugepages-2048kB"))(
    "NODE-55: huge pages are mounted with their size",
    () => runScene(scenes, "hugePagesAreMounted"),
  );
});
