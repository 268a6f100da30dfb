/**
 * The tour of storage is played as its reader types it: with images of disks in a mount namespace of its own where the machine permits it,
 * and with directories by a user who may mount nothing.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findKubectls } from "../kubectl/kubectl.ts";
import { asSaid, unfold } from "./played.ts";
import { Shell, type ShellOptions } from "./shell.ts";

const root = new URL("../../", import.meta.url).pathname;
const kubectl = findKubectls().at(-1);
const isRoot = process.getuid?.() === 0;
/** Whether images of disks can be made, mounted and enlarged here. */
const hasDisks =
  isRoot &&
  spawnSync("unshare", [
    "--mount",
    "--propagation",
    "private",
    "sh",
    "-c",
    "mount -t tmpfs none /mnt && mkfs.xfs -V && losetup -f",
  ]).status === 0;
if (!hasDisks) console.log("the tour with images is left out: it needs root, mounts, loop devices and xfsprogs");

/** Plays the page, in a folder whose name has a blank; `change` says what a reader types in place of a command, undefined for nothing. */
async function play(change: (command: string) => string | undefined, options: Partial<ShellOptions>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "keelson tour-"));
  const bin = join(folder, ".bin");
  mkdirSync(bin);
  symlinkSync(kubectl!, join(bin, "kubectl"));
  writeFileSync(join(bin, "keelson"), `#!/bin/sh\nexec ${process.execPath} ${root}bin/keelson.js "$@"\n`);
  chmodSync(join(bin, "keelson"), 0o755);
  const PATH = [bin, "/usr/sbin", process.env["PATH"]].join(delimiter);
  const played = unfold(readFileSync(join(root, "docs/storage-tour.md"), "utf8"), folder);
  if (options.uid !== undefined) chownSync(folder, options.uid, options.uid);
  const shell = new Shell({ cwd: folder, env: { PATH, HOME: folder, KEELSON_PORT: "0" }, ...options });
  try {
    for (const { command, says } of played) {
      const typed = change(command);
      if (typed === undefined) continue;
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as they are typed
      const printed = await shell.run(typed);
      const expected =
        typed.includes("df ") || !command.includes("df ") ? says : says.split("\n").slice(0, 1).join("\n");
      expect(`$ ${typed}\n${asSaid(expected, printed)}`).toBe(`$ ${typed}\n${expected}`);
    }
  } finally {
    await shell.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return played.length;
}

test.skipIf(kubectl === undefined || !hasDisks)(
  "a disk grows under a process",
  { timeout: 400_000, concurrent: true },
  async () => {
    expect(await play((command) => command, { ownMounts: true })).toBe(10);
  },
);

test.skipIf(kubectl === undefined)(
  "without root the same is done with directories",
  { timeout: 400_000, concurrent: true },
  async () => {
    const withoutDisks = (command: string): string | undefined => {
      if (command.startsWith("df ")) return undefined;
      return command.replace("--backing image", "--backing directory --with node-expand").replace(/ && df .*$/, "");
    };
    expect(await play(withoutDisks, isRoot ? { uid: 65_534 } : {})).toBe(10);
  },
);
