import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NeededVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { hostPathPlugin } from "./host-path.ts";
import { found, going, needed, testContext } from "./testing/context.ts";

let root: string;
let host: string;
let plugin: VolumePlugin;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "plain-"));
  host = join(root, "host");
  await mkdir(host);
  plugin = hostPathPlugin(testContext({ root }));
});
afterEach(() => rm(root, { recursive: true }));

const hostPath = (name: string, type = "", pod = {}): NeededVolume =>
  needed(root, plugin.kind, { volume: { hostPath: { path: join(host, name), type } }, pod });
const setUp = async (name: string, type: string): Promise<string> =>
  (await plugin.setUp(hostPath(name, type), going)).source;
const mode = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o7777).toString(8);

test("NODE-57: a path without a type is not checked, and nothing is created", async () => {
  expect(await setUp("nothing", "")).toBe(join(host, "nothing"));
  expect(await readdir(host)).toEqual([]);
});

test("PVS-4, NODE-58: a link is followed", async () => {
  await mkdir(join(host, "target"));
  await symlink("target", join(host, "link"));
  expect(await setUp("link", "Directory")).toBe(join(host, "target"));
});

test("PVS-6, NODE-57: DirectoryOrCreate creates what is missing, 0755, with parents, and changes nothing else", async () => {
  await mkdir(join(host, "there"));
  await chmod(join(host, "there"), 0o700);
  const before = process.umask(0o077);
  try {
    expect(await setUp("there/a/b", "DirectoryOrCreate")).toBe(join(host, "there/a/b"));
  } finally {
    process.umask(before);
  }
  expect(await Promise.all(["there", "there/a", "there/a/b"].map((name) => mode(join(host, name))))).toEqual([
    "700",
    "755",
    "755",
  ]);
  expect(await readdir(join(host, "there/a/b"))).toEqual([]);
});

test("PVS-7, NODE-57: FileOrCreate creates an empty file, 0644, without parents", async () => {
  const before = process.umask(0o077);
  try {
    await setUp("file", "FileOrCreate");
  } finally {
    process.umask(before);
  }
  expect(await mode(join(host, "file"))).toBe("644");
  expect((await lstat(join(host, "file"))).size).toBe(0);
  await writeFile(join(host, "file"), "text");
  await chmod(join(host, "file"), 0o600);
  await setUp("file", "FileOrCreate");
  expect((await lstat(join(host, "file"))).size).toBe(4);
  expect(await mode(join(host, "file"))).toBe("600");
  await expect(setUp("no/file", "FileOrCreate")).rejects.toThrow("hostPath type check failed");
  expect(await readdir(host)).toEqual(["file"]);
});

test.each([
  ["Directory", "file", "is not a directory"],
  ["DirectoryOrCreate", "file", "is not a directory"],
  ["File", "directory", "is not a file"],
  ["FileOrCreate", "directory", "is not a file"],
  ["Socket", "file", "is not a socket"],
  ["CharDevice", "file", "is not a character device"],
  ["BlockDevice", "file", "is not a block device"],
  ["Directory", "nothing", "does not exist"],
  ["File", "file/below", "does not exist"],
  ["Socket", "dangling", "does not exist"],
  ["Unknown", "file", "Unknown is an invalid volume type"],
])("NODE-57: type %s with %s: the type check fails", async (type, name, message) => {
  await writeFile(join(host, "file"), "");
  await mkdir(join(host, "directory"));
  await symlink("nowhere", join(host, "dangling"));
  await expect(setUp(name, type)).rejects.toThrow(VolumeError);
  await expect(setUp(name, type)).rejects.toThrow(/hostPath type check failed: /);
  await expect(setUp(name, type)).rejects.toThrow(message);
});

test("NODE-57: sockets and devices pass their checks", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(host, "socket"), resolve));
  expect(await setUp("socket", "Socket")).toBe(join(host, "socket"));
  await new Promise((resolve) => server.close(resolve));
  await symlink("/dev/null", join(host, "null"));
  expect(await setUp("null", "CharDevice")).toBe("/dev/null");
});

test("NODE-58: no group is applied, and at the end nothing is removed", async () => {
  await mkdir(join(host, "directory"), { mode: 0o750 });
  await writeFile(join(host, "directory/file"), "");
  const before = await lstat(join(host, "directory"));
  const volume = hostPath("directory", "Directory", { securityContext: { fsGroup: 4321 } });
  await plugin.setUp(volume, going);
  await plugin.tearDown(found(volume, plugin), going);
  const after = await lstat(join(host, "directory"));
  expect([after.gid, after.mode]).toEqual([before.gid, before.mode]);
  expect(await readdir(join(host, "directory"))).toEqual(["file"]);
});

test("NODE-57: a PersistentVolume of a path is the path as well", async () => {
  const volume = needed(root, plugin.kind, { persistent: { hostPath: { path: host, type: "Directory" } } });
  expect(plugin.makes(volume)).toBe(true);
  expect(await plugin.setUp(volume, going)).toEqual({ source: host });
});

test("a path that goes up is refused", async () => {
  const volume = needed(root, plugin.kind, {
    volume: { hostPath: { path: `${host}/../x`, type: "DirectoryOrCreate" } },
  });
  await expect(plugin.setUp(volume, going)).rejects.toThrow('without an element ".."');
  expect(await readdir(root)).toEqual(["host"]);
});
