/** Scenes of mounts and of directories in which some are. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { logOf } from "../../../util/log.ts";
import { HeldDirectory } from "../held-directory.ts";
import { machineMounter } from "../machine-mounter.ts";
import { openMounter } from "../open-mounter.ts";
import { StillMounted, removeTree } from "../remove-tree.ts";
import { ProgramTimeout } from "../run-program.ts";
import { mountTmpfs } from "../tmpfs.ts";

const mounter = machineMounter();

const inside = (directory: string, name: string): string => {
  const path = join(directory, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** A mount is listed with its type and options, is a mount point, and is not any more once it was taken away. */
export async function mountsAndUnmounts(directory: string): Promise<void> {
  const path = inside(directory, "a name\twith \\ and # in\nit");
  assert.equal(await mounter.isMountPoint(path), false);
  await mounter.mount({ type: "tmpfs", source: "tmpfs", path, options: ["size=64k", "mode=0711"] });
  assert.equal(await mounter.isMountPoint(path), true);
  const [mount, ...others] = await mounter.mounts(path);
  assert.deepEqual(others, []);
  assert.deepEqual({ path: mount?.path, type: mount?.type }, { path, type: "tmpfs" });
  assert.ok(mount?.options.includes("size=64k"));
  assert.equal(statSync(path).mode & 0o7777, 0o711);
  assert.deepEqual(
    (await mounter.mounts(directory)).map((found) => found.path).toSorted(),
    [directory, path].toSorted(),
  );
  await mounter.unmount(path);
  assert.equal(await mounter.isMountPoint(path), false);
  await mounter.unmount(path);
  await mounter.unmount(join(directory, "never there"));
}

/** A bind on the same device is a mount point, too, and read-only where that was asked. */
export async function bindsReadOnly(directory: string): Promise<void> {
  const [from, to, writable] = [inside(directory, "from"), inside(directory, "to"), inside(directory, "writable")];
  await mounter.bind(from, to, { readOnly: true });
  await mounter.bind(from, writable);
  assert.equal(await mounter.isMountPoint(to), true);
  assert.throws(() => writeFileSync(join(to, "file"), "no"), { code: "EROFS" });
  writeFileSync(join(writable, "file"), "yes");
  assert.equal(readFileSync(join(to, "file"), "utf8"), "yes");
  const mounted = await mounter.mounts(to);
  assert.ok(mounted[0]?.options.includes("ro"));
  assert.ok(!mounted[0]?.options.includes("rw"));
  // A file is bound at a file.
  const [file, place] = [join(directory, "file"), join(directory, "place")];
  writeFileSync(file, "bound");
  writeFileSync(place, "");
  await mounter.bind(file, place);
  assert.equal(await mounter.isMountPoint(place), true);
  assert.equal(readFileSync(place, "utf8"), "bound");
}

/** Two mounts on one place are both taken away. */
export async function unmountsAllOfAPlace(directory: string): Promise<void> {
  const path = inside(directory, "twice");
  await mounter.mount({ type: "tmpfs", source: "one", path });
  await mounter.mount({ type: "tmpfs", source: "two", path });
  assert.equal((await mounter.mounts(path)).length, 2);
  await mounter.unmount(path);
  assert.equal((await mounter.mounts(path)).length, 0);
}

/** What was opened is bound, whatever its name leads to by then. */
export async function bindsWhatIsHeld(directory: string): Promise<void> {
  const [from, to, other] = [inside(directory, "from"), inside(directory, "to"), inside(directory, "other")];
  writeFileSync(join(from, "mine"), "");
  const held = await HeldDirectory.open(from);
  spawnSync("mv", [from, join(directory, "moved")]);
  symlinkSync(other, from);
  await mounter.bind(`/proc/${process.pid}/fd/${held.descriptor}`, to);
  await held.close();
  assert.deepEqual(readdirSync(to), ["mine"]);
}

/** A mount that is in use is not taken away, and says so. */
export async function tellsThatItIsBusy(directory: string): Promise<void> {
  const path = inside(directory, "busy");
  await mounter.mount({ type: "tmpfs", source: "tmpfs", path });
  const file = await open(join(path, "file"), "w");
  await assert.rejects(mounter.unmount(path), /busy/);
  assert.equal(await mounter.isMountPoint(path), true);
  await file.close();
  await mounter.unmount(path);
  assert.equal(await mounter.isMountPoint(path), false);
}

/** An unmount that hangs is followed by one that only lets go. */
export async function letsGoOfWhatHangs(directory: string): Promise<void> {
  const path = inside(directory, "hangs");
  const calls: string[] = [];
  const told: string[] = [];
  const hanging = machineMounter({
    log: logOf((level, message) => void told.push(`${level}: ${message}`)),
    run: async (program, args, options) => {
      calls.push([program, ...args].join(" "));
      if (program === "umount" && !args.includes("--lazy")) throw new ProgramTimeout("umount took longer than 1 ms");
      const { runWell } = await import("../run-program.ts");
      return runWell(program, args, options);
    },
  });
  await hanging.mount({ type: "tmpfs", source: "tmpfs", path });
  await hanging.unmount(path);
  assert.equal(await hanging.isMountPoint(path), false);
  assert.deepEqual(calls.slice(1), [
    `umount --no-canonicalize ${path}`,
    `umount --no-canonicalize --force --lazy ${path}`,
  ]);
  assert.deepEqual(told, ["warn: A mount did not end; it was detached from its place"]);
}

/** A mounter that was opened with the right to mount mounts, and leaves nothing of its trial. */
export async function opensWithTheRight(directory: string): Promise<void> {
  const told: string[] = [];
  const opened = await openMounter({ directory, log: logOf((_, message) => void told.push(message)) });
  assert.equal(opened.canMount, true);
  assert.deepEqual(told, []);
  assert.deepEqual(readdirSync(directory), []);
}

/** A file system in memory has the mode, the group and the size that were asked for. */
export async function mountsInMemory(directory: string): Promise<void> {
  const path = inside(directory, "memory");
  await mountTmpfs(mounter, path, { mode: 0o3777, gid: 4321, size: 65_536n });
  const stats = statSync(path);
  assert.deepEqual([stats.mode & 0o7777, stats.gid], [0o3777, 4321]);
  assert.throws(() => writeFileSync(join(path, "big"), Buffer.alloc(100_000)), { code: "ENOSPC" });
}

/** Nothing is removed of a directory in which something is mounted, nor of what is mounted. */
export async function keepsWhatIsMounted(directory: string): Promise<void> {
  const [tree, data] = [inside(directory, "tree/a/b"), inside(directory, "data")];
  writeFileSync(join(data, "precious"), "");
  writeFileSync(join(directory, "tree/first"), "");
  await mounter.bind(data, tree);
  await assert.rejects(removeTree(join(directory, "tree"), mounter), StillMounted);
  await assert.rejects(removeTree(tree, mounter), StillMounted);
  assert.deepEqual(readdirSync(join(directory, "tree")).toSorted(), ["a", "first"]);
  assert.deepEqual(readdirSync(data), ["precious"]);
  await mounter.unmount(tree);
  await removeTree(join(directory, "tree"), mounter);
  assert.equal(existsSync(join(directory, "tree")), false);
  assert.deepEqual(readdirSync(data), ["precious"]);
}

/** A mount that the table did not show (it came later) is not gone into either; a file that is one stays. */
export async function staysOutOfLateMounts(directory: string): Promise<void> {
  const blind = { mounts: () => Promise.resolve([]) };
  const [tree, data] = [inside(directory, "tree/a/b"), inside(directory, "data")];
  writeFileSync(join(data, "precious"), "");
  await mounter.bind(data, tree);
  await assert.rejects(removeTree(join(directory, "tree"), blind), StillMounted);
  assert.deepEqual(readdirSync(data), ["precious"]);
  const files = inside(directory, "files");
  writeFileSync(join(files, "place"), "");
  await mounter.bind(join(data, "precious"), join(files, "place"));
  await assert.rejects(removeTree(files, blind), StillMounted);
  assert.deepEqual(readdirSync(files), ["place"]);
}
