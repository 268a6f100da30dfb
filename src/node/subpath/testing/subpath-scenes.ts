/** Scenes with parts of volumes that are mounted for containers. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { machineMounter } from "../../mounts/machine-mounter.ts";
import { mountSubPath, subPathTarget, unmountSubPaths } from "../mount-sub-path.ts";

const mounter = machineMounter();

const volumeIn = (directory: string): string => {
  const volume = join(directory, "volume");
  mkdirSync(volume, { mode: 0o755 });
  return volume;
};

/** Directories and files are mounted, twice without harm, and unmounted so that the volume keeps its files. */
export async function mountsParts(directory: string): Promise<void> {
  const volume = volumeIn(directory);
  mkdirSync(join(volume, "a/b"), { recursive: true });
  writeFileSync(join(volume, "a/b/file"), "text");
  const target = (number: number): string => subPathTarget(directory, "uid", ["volume", "container", number]);
  assert.equal(target(0), join(directory, "pods/uid/volume-subpaths/volume/container/0"));
  assert.equal(await mountSubPath({ volume, subPath: "a/b", target: target(0) }, mounter), target(0));
  await mountSubPath({ volume, subPath: "a/b", target: target(0) }, mounter);
  await mountSubPath({ volume, subPath: "a/b/file", target: target(1), readOnly: true }, mounter);
  assert.equal((await mounter.mounts(target(0))).length, 1);
  assert.deepEqual(readdirSync(target(0)), ["file"]);
  assert.equal(readFileSync(target(1), "utf8"), "text");
  writeFileSync(join(target(0), "new"), "");
  assert.throws(() => writeFileSync(target(1), "no"), { code: "EROFS" });
  await unmountSubPaths(directory, "uid", mounter);
  await unmountSubPaths(directory, "uid", mounter);
  assert.deepEqual(readdirSync(join(directory, "pods/uid")), []);
  assert.deepEqual(readdirSync(join(volume, "a/b")).toSorted(), ["file", "new"]);
}

/** A container keeps the file that a link led to when it started, until its next start. */
export async function keepsTheFileOfAStart(directory: string): Promise<void> {
  const volume = volumeIn(directory);
  for (const version of ["..1", "..2"]) {
    mkdirSync(join(volume, version));
    writeFileSync(join(volume, version, "key"), version);
  }
  symlinkSync("..1", join(volume, "..data"));
  symlinkSync("..data/key", join(volume, "key"));
  const target = subPathTarget(directory, "uid", ["config", "container", 0]);
  await mountSubPath({ volume, subPath: "key", target }, mounter);
  symlinkSync("..2", join(volume, "..data_tmp"));
  renameSync(join(volume, "..data_tmp"), join(volume, "..data"));
  rmSync(join(volume, "..1"), { recursive: true });
  assert.equal(readFileSync(join(volume, "key"), "utf8"), "..2");
  assert.equal(readFileSync(target, "utf8"), "..1");
  for (let start = 0; start < 2; start++) {
    await mountSubPath({ volume, subPath: "key", target }, mounter);
    assert.equal(readFileSync(target, "utf8"), "..2");
    assert.equal((await mounter.mounts(target)).length, 1);
  }
  // A directory replaces a file.
  rmSync(join(volume, "key"));
  mkdirSync(join(volume, "key"));
  await mountSubPath({ volume, subPath: "key", target }, mounter);
  assert.deepEqual(readdirSync(target), []);
  await unmountSubPaths(directory, "uid", mounter);
  assert.equal(existsSync(target), false);
}

/** A directory is swapped for a link to a secret directory all the time, which is never mounted, nor written to. */
export async function isNotLedOut(directory: string): Promise<void> {
  const volume = volumeIn(directory);
  const outside = join(directory, "outside");
  mkdirSync(join(outside, "part"), { recursive: true });
  writeFileSync(join(outside, "part/secret"), "");
  mkdirSync(join(volume, "real/part"), { recursive: true });
  writeFileSync(join(volume, "real/part/mine"), "");
  symlinkSync(outside, join(directory, "link"));
  // Renames as fast as a process can.
  const swap = `
    const fs = require("node:fs");
    const [volume, outside] = process.argv.slice(1);
    const path = volume + "/swapped";
    const attempt = (work) => { try { work(); } catch {} };
    for (;;) {
      attempt(() => fs.renameSync(volume + "/real", path));
      attempt(() => fs.renameSync(path, volume + "/real"));
      attempt(() => fs.symlinkSync(outside, path));
      attempt(() => fs.unlinkSync(path));
      // Removes a directory that was created meanwhile, but never the target of a link.
      attempt(() => fs.lstatSync(path).isDirectory() && fs.rmSync(path, { recursive: true }));
    }`;
  const swapper = spawn(process.execPath, ["-e", swap, volume, outside], { stdio: "inherit" });
  let [mounted, refused] = [0, 0];
  try {
    for (let round = 0; round < 200; round++) {
      const target = subPathTarget(directory, "uid", ["volume", "container", round]);
      try {
        await mountSubPath({ volume, subPath: `swapped/part/${round % 2 === 0 ? "" : "new"}`, target }, mounter);
        mounted++;
      } catch {
        refused++;
        continue;
      }
      assert.equal(existsSync(join(target, "secret")), false, "the directory outside of the volume was mounted");
      await mounter.unmount(target);
    }
  } finally {
    swapper.kill("SIGKILL");
  }
  assert.deepEqual(readdirSync(outside), ["part"]);
  assert.deepEqual(readdirSync(join(outside, "part")), ["secret"]);
  assert.equal(mounted + refused, 200);
  assert.ok(refused > 0, "no swap happened during a resolution");
}

/** A subPath mount stays the same when its name leads elsewhere afterwards. */
export async function staysWhereItWas(directory: string): Promise<void> {
  const volume = volumeIn(directory);
  mkdirSync(join(volume, "part"));
  writeFileSync(join(volume, "part/mine"), "");
  const target = subPathTarget(directory, "uid", ["volume", "container", 0]);
  await mountSubPath({ volume, subPath: "part", target }, mounter);
  renameSync(join(volume, "part"), join(volume, "old"));
  symlinkSync("/", join(volume, "part"));
  assert.deepEqual(readdirSync(target), ["mine"]);
  unlinkSync(join(volume, "part"));
  assert.equal(statSync(join(target, "mine")).size, 0);
}
