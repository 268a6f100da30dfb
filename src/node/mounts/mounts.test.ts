import { mkdtemp, readFile, readdir, readlink, rm, stat, symlink, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { newLog } from "../../util/log.ts";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { linkingMounter } from "./linking-mounter.ts";
import { openMounter } from "./open-mounter.ts";
import { parseMountTable } from "../../util/mount-table.ts";
import { MissingProgram, ProgramTimeout, findProgram, runProgram, runWell } from "./run-program.ts";

const scenes = new URL("./testing/mount-scenes.ts", import.meta.url).href;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mounts-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("the table of mounts", () => {
  const table = [
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro",
    String.raw`41 22 0:35 / /a\040b\011c\134d rw,nosuid - tmpfs tmpfs rw,size=64k`,
    String.raw`42 22 0:36 /sub /a/data ro,relatime shared:4 master:2 - nfs server:/x\040y rw,vers=4`,
    "43 42 0:37 / /a/data/deeper rw - proc proc rw",
    "44 22 0:38 / /a/database rw - proc proc rw",
    "a line that is none",
    "",
  ].join("\n");

  test("escaped characters of paths and sources are read", () => {
    expect(parseMountTable(table).map(({ path, source }) => [path, source])).toEqual([
      ["/", "/dev/sda1"],
      ["/a b\tc\\d", "tmpfs"],
      ["/a/data", "server:/x y"],
      ["/a/data/deeper", "proc"],
      ["/a/database", "proc"],
    ]);
  });

  test("only mounts at a path or below it are listed, not those of a longer name", () => {
    expect(parseMountTable(table, "/a/data").map(({ path }) => path)).toEqual(["/a/data", "/a/data/deeper"]);
    expect(parseMountTable(table, "/a b\tc\\d").map(({ path }) => path)).toEqual(["/a b\tc\\d"]);
    expect(parseMountTable(table, "/b")).toEqual([]);
  });

  test("a mount is read-only when it is itself, whatever its file system is", () => {
    expect(parseMountTable(table, "/a/data/deeper")[0]?.options).toEqual(["rw"]);
    expect(parseMountTable(table, "/a/data")[0]?.options).toEqual(["ro", "relatime", "vers=4"]);
  });
});

describe("programs", () => {
  test("the error output of a program is reported with its exit code, and only the beginning of it", async () => {
    const { code, output, errors } = await runProgram("sh", ["-c", "echo out; echo err >&2; exit 3"]);
    expect({ code, output, errors }).toEqual({ code: 3, output: "out", errors: "err" });
    await expect(runWell("sh", ["-c", "echo why >&2; exit 3"])).rejects.toThrow("ended with code 3: why");
    expect((await runProgram("sh", ["-c", "head -c 1000000 /dev/zero | tr '\\0' x"])).output).toHaveLength(8192);
  });

  test("a program that takes too long is killed, and not waited for", async () => {
    const clock = new ManualClock();
    const run = runProgram("sleep", ["1000"], { clock, timeout: 500 });
    const failed = run.catch((error: unknown) => error);
    clock.advance(500);
    expect(await failed).toBeInstanceOf(ProgramTimeout);
    expect(clock.timers()).toEqual([]);
  });

  test("a missing program is named", async () => {
    await expect(runProgram("no-such-program", [])).rejects.toThrow(MissingProgram);
    expect(await findProgram("no-such-program")).toBeUndefined();
    expect(await findProgram("sh")).toMatch(/\/sh$/);
  });

  test("an aborted run of a program is not waited for", async () => {
    const stop = new AbortController();
    const run = runProgram("sleep", ["1000"], { clock: new ManualClock(), signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
  });
});

describe("a mounter without the right to mount", () => {
  const mounter = linkingMounter({ mounts: () => Promise.resolve([]) });

  test("bind mounts are links that replace an empty directory or file", async () => {
    const from = join(directory, "from");
    await mkdir(from);
    await mkdir(join(directory, "to"));
    await writeFile(join(directory, "file"), "");
    for (const name of ["to", "file", "nothing"]) {
      const to = join(directory, name);
      expect(await mounter.isMountPoint(to)).toBe(false);
      await mounter.bind(from, to);
      expect(await readlink(to)).toBe(from);
      expect(await mounter.isMountPoint(to)).toBe(true);
      expect(await mounter.mounts(to)).toEqual([{ path: to, type: "link", source: from, options: [] }]);
      await mounter.unmount(to);
      await mounter.unmount(to);
      expect(await mounter.isMountPoint(to)).toBe(false);
    }
  });

  test("a link does not replace files with content", async () => {
    const file = join(directory, "file");
    await writeFile(file, "written");
    await mkdir(join(directory, "full/of"), { recursive: true });
    await expect(mounter.bind("/", file)).rejects.toThrow("not empty");
    await expect(mounter.bind("/", join(directory, "full"))).rejects.toThrow("ENOTEMPTY");
    expect(await readFile(file, "utf8")).toBe("written");
  });

  test("a tmpfs is a directory with its mode, and a second mount changes nothing else", async () => {
    const path = join(directory, "memory");
    const mount = (...options: string[]) => mounter.mount({ type: "tmpfs", source: "tmpfs", path, options });
    await mount();
    expect((await stat(path)).mode & 0o7777).toBe(0o700);
    await mount("size=1", "mode=1777");
    expect((await stat(path)).mode & 0o7777).toBe(0o1777);
    await mounter.unmount(path);
    await expect(mounter.mount({ type: "nfs", source: "a:/b", path })).rejects.toThrow("type nfs");
  });
});

test("a machine that refuses the first mount gets links and one warning, and the trial leaves nothing", async () => {
  const logged: string[] = [];
  const mounter = await openMounter({
    directory,
    log: newLog((level, message) => void logged.push(`${level}: ${message}`)),
    run: (program) => Promise.reject(new Error(`${program}: permission denied`)),
  });
  expect(mounter.canMount).toBe(false);
  await mounter.bind(directory, join(directory, "link"));
  await mounter.bind(directory, join(directory, "other"), { readOnly: true });
  expect(await readdir(directory)).toEqual(["link", "other"]);
  expect(logged).toEqual([
    expect.stringMatching(/^warn: This agent cannot mount: binds are links, .* never read-only/),
  ]);
});

describe.skipIf(whyNoMounts !== undefined)("mounts of this machine", () => {
  test("a mount is made, listed and unmounted, whatever its name", () => runScene(scenes, "mountsAndUnmounts"));
  test("bind mounts of directories and files, read-only where requested", () => runScene(scenes, "bindsReadOnly"));
  test("all mounts of one path are unmounted", () => runScene(scenes, "unmountsAllOfAPlace"));
  test("an open directory is bound, wherever its name leads", () => runScene(scenes, "bindsWhatIsHeld"));
  test("a mount in use stays, with an error", () => runScene(scenes, "tellsThatItIsBusy"));
  test("an unmount that hangs is followed by a lazy one, with a warning", () => runScene(scenes, "letsGoOfWhatHangs"));
  test("the right to mount is found out by a trial", () => runScene(scenes, "opensWithTheRight"));
  test("a tmpfs has its mode, group and size", () => runScene(scenes, "mountsInMemory"));
});

test("a link to a directory is no mount point of the machine", async () => {
  const { machineMounter } = await import("./machine-mounter.ts");
  await symlink("/", join(directory, "link"));
  expect(await machineMounter().isMountPoint(join(directory, "link"))).toBe(false);
  expect(await machineMounter().isMountPoint("/")).toBe(true);
});
