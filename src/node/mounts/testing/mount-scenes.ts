/** Scenes with mounts of the machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { newLog } from "../../../util/log.ts";
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

/** A mount is listed with its type and options, and is a mount point until it is unmounted. */
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

/** A bind mount on the same device is a mount point, too, and read-only where requested. */
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
  const [file, target] = [join(directory, "file"), join(directory, "target")];
  writeFileSync(file, "bound");
  writeFileSync(target, "");
  await mounter.bind(file, target);
  assert.equal(await mounter.isMountPoint(target), true);
  assert.equal(readFileSync(target, "utf8"), "bound");
}

/** Two mounts at one path are both unmounted. */
export async function unmountsAllOfAPlace(directory: string): Promise<void> {
  const path = inside(directory, "twice");
  await mounter.mount({ type: "tmpfs", source: "one", path });
  await mounter.mount({ type: "tmpfs", source: "two", path });
  assert.equal((await mounter.mounts(path)).length, 2);
  await mounter.unmount(path);
  assert.equal((await mounter.mounts(path)).length, 0);
}

/** An open directory is bound, wherever its name leads then. */
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

/** A mount that is in use is not unmounted, with an error. */
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

/** An unmount that hangs is followed by a lazy one. */
export async function letsGoOfWhatHangs(directory: string): Promise<void> {
  const path = inside(directory, "hangs");
  const calls: string[] = [];
  const logged: string[] = [];
  const hanging = machineMounter({
    log: newLog((level, message) => void logged.push(`${level}: ${message}`)),
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
  assert.deepEqual(logged, ["warn: A mount did not end; it was detached from its path"]);
}

/** With the right to mount the mounter mounts, and the trial leaves nothing. */
export async function opensWithTheRight(directory: string): Promise<void> {
  const logged: string[] = [];
  const opened = await openMounter({ directory, log: newLog((_, message) => void logged.push(message)) });
  assert.equal(opened.canMount, true);
  assert.deepEqual(logged, []);
  assert.deepEqual(readdirSync(directory), []);
}

/** A tmpfs has the requested mode, group and size. */
export async function mountsInMemory(directory: string): Promise<void> {
  const path = inside(directory, "memory");
  await mountTmpfs(mounter, path, { mode: 0o3777, gid: 4321, size: 65_536n });
  const stats = statSync(path);
  assert.deepEqual([stats.mode & 0o7777, stats.gid], [0o3777, 4321]);
  assert.throws(() => writeFileSync(join(path, "big"), Buffer.alloc(100_000)), { code: "ENOSPC" });
}

/** Nothing is removed from a directory with a mount in it, nor from the mount. */
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

/** A mount that is missing in the table (it is newer) is not entered; a mounted file stays. */
export async function staysOutOfLateMounts(directory: string): Promise<void> {
  const blind = { mounts: () => Promise.resolve([]) };
  const [tree, data] = [inside(directory, "tree/a/b"), inside(directory, "data")];
  writeFileSync(join(data, "precious"), "");
  await mounter.bind(data, tree);
  await assert.rejects(removeTree(join(directory, "tree"), blind), StillMounted);
  assert.deepEqual(readdirSync(data), ["precious"]);
  const files = inside(directory, "files");
  writeFileSync(join(files, "target"), "");
  await mounter.bind(join(data, "precious"), join(files, "target"));
  await assert.rejects(removeTree(files, blind), StillMounted);
  assert.deepEqual(readdirSync(files), ["target"]);
}
