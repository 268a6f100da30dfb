import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { removeTree } from "./remove-tree.ts";
import { ManualMounter } from "./testing/manual-mounter.ts";

const scenes = new URL("./testing/mount-scenes.ts", import.meta.url).href;
const mounter = new ManualMounter();

let directory: string;
let tree: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trees-"));
  tree = join(directory, "tree");
  await mkdir(tree);
});
const run = promisify(execFile);
afterEach(() => run("rm", ["-r", directory]));

test("a tree is removed with hidden files, names that are no text, links and locked directories", async () => {
  await mkdir(join(tree, ".hidden/deeper"), { recursive: true });
  await writeFile(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe, 0x0a])]), "");
  await writeFile(join(tree, ".hidden/deeper/file"), "");
  await symlink("nowhere", join(tree, "dangling"));
  await mkdir(join(tree, "locked"), { mode: 0 });
  await removeTree(tree, mounter);
  expect(existsSync(tree)).toBe(false);
  await removeTree(tree, mounter);
});

test("links are removed, never followed", async () => {
  const other = join(directory, "other");
  await mkdir(other);
  await writeFile(join(other, "precious"), "");
  await symlink(other, join(tree, "link"));
  await symlink(other, join(directory, "link"));
  await removeTree(tree, mounter);
  await removeTree(join(directory, "link"), mounter);
  expect(await readdir(directory)).toEqual(["other"]);
  expect(await readdir(other)).toEqual(["precious"]);
});

test("NODE-9: a directory with a mount below it stays as it is, whole", async () => {
  await mkdir(join(tree, "a/mount"), { recursive: true });
  await writeFile(join(tree, "file"), "");
  const mounted = new ManualMounter();
  mounted.put({ path: join(tree, "a/mount"), type: "nfs" });
  await expect(removeTree(tree, mounted)).rejects.toThrow(`nfs is mounted at ${tree}/a/mount`);
  expect((await readdir(tree)).toSorted()).toEqual(["a", "file"]);
});

test("a tree that is deeper than any path is removed, too", async () => {
  // Each level is made inside of the one before, which then is moved into a new one: no path becomes long.
  let top = join(directory, "d0");
  await mkdir(top);
  for (let depth = 1; depth <= 250; depth++) {
    const next = join(directory, `d${depth}`);
    await mkdir(next);
    await rename(top, join(next, "a name of 20 letters"));
    top = next;
  }
  await rename(top, join(tree, "deep"));
  await removeTree(tree, mounter);
  expect(existsSync(tree)).toBe(false);
});

test("a directory that is swapped for a link all the time does not lead the removal out", async () => {
  const other = join(directory, "other");
  await mkdir(other);
  for (let file = 0; file < 50; file++) await writeFile(join(other, `precious${file}`), "");
  let isOver = false;
  const swapping = (async () => {
    while (!isOver) {
      const path = join(tree, "swapped");
      await mkdir(path, { recursive: true }).catch(() => {});
      await rmdir(path).catch(() => {});
      await symlink(other, path).catch(() => {});
      await unlink(path).catch(() => {});
    }
  })();
  for (let round = 0; round < 60; round++) {
    await mkdir(join(tree, "more/of/it"), { recursive: true });
    await removeTree(tree, mounter).catch(() => {});
  }
  isOver = true;
  await swapping;
  expect(await readdir(other)).toHaveLength(50);
});

test("a file that cannot be removed is named", async ({ skip }) => {
  const path = join(tree, "sub/immutable");
  await mkdir(join(tree, "sub"));
  await writeFile(path, "");
  await run("chattr", ["+i", path]).catch(() => skip("the file system has no immutable files"));
  try {
    await expect(removeTree(tree, mounter)).rejects.toThrow(`${path} is not removed: EPERM`);
  } finally {
    await run("chattr", ["-i", path]);
  }
});

test("an aborted removal ends between two files", async () => {
  const stop = new AbortController();
  await writeFile(join(tree, "file"), "");
  stop.abort(new Error("enough"));
  await expect(removeTree(tree, mounter, stop.signal)).rejects.toThrow("enough");
  await rm(join(tree, "file"));
});

describe.skipIf(whyNoMounts !== undefined)("with mounts", () => {
  test("NODE-9: a mount keeps its files, and so does the directory around it", () =>
    runScene(scenes, "keepsWhatIsMounted"));
  test("NODE-9: a mount that is newer than the table is not entered", () => runScene(scenes, "staysOutOfLateMounts"));
});
