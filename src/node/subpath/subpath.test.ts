import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { linkingMounter } from "../mounts/linking-mounter.ts";
import { ManualMounter } from "../mounts/testing/manual-mounter.ts";
import { runScene, whyNoMounts } from "../testing/scene.ts";
import { elementsOf, expandSubPath } from "./expand.ts";
import { mountSubPath, subPathTarget, unmountSubPaths } from "./mount-sub-path.ts";
import { SubPathError, resolveSubPath } from "./resolve.ts";

const scenes = new URL("./testing/subpath-scenes.ts", import.meta.url).href;

let directory: string;
let volume: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "subpath-"));
  volume = join(directory, "volume");
  await mkdir(volume);
});
afterEach(() => rm(directory, { recursive: true }));

/** The path of the machine that a path in the volume leads to. */
async function leadsTo(subPath: string): Promise<string> {
  const part = await resolveSubPath(volume, subPath);
  const real = await readlink(part.path);
  await part.close();
  return real;
}

describe("expressions", () => {
  const variables = new Map([
    ["NAME", "web-0"],
    ["EMPTY", ""],
    ["A.B", "dots"],
  ]);
  test.each([
    ["$(NAME)/logs", "web-0/logs"],
    ["$(NAME)$(NAME)", "web-0web-0"],
    ["a$(EMPTY)b", "ab"],
    ["$(A.B)", "dots"],
    ["$$(NAME)", "$(NAME)"],
    ["$$$(NAME)", "$web-0"],
    ["$NAME", "$NAME"],
    ["$(NAME", "$(NAME"],
    ["cost$", "cost$"],
  ])("NODE-68: subPathExpr %s is %s", (expression, path) => {
    expect(expandSubPath(expression, variables)).toBe(path);
  });

  test("NODE-68: an unknown variable is named", () => {
    expect(() => expandSubPath("a/$(MISSING)", variables)).toThrow("the container has no variable MISSING");
  });

  test("NODE-68: a path that is absolute or goes up is refused, one with doubled slashes is not", () => {
    expect(elementsOf("./a//b/")).toEqual(["a", "b"]);
    expect(elementsOf("a..b/..c")).toEqual(["a..b", "..c"]);
    for (const path of ["/etc", "..", "a/../b", "a/..", "a\0b"]) expect(() => elementsOf(path)).toThrow("must not");
  });
});

describe("the resolution of a path", () => {
  test("NODE-68: directories and files in the volume", async () => {
    await mkdir(join(volume, "a/b"), { recursive: true });
    await writeFile(join(volume, "a/file"), "");
    expect(await leadsTo("a/b")).toBe(join(volume, "a/b"));
    expect(await leadsTo("a/file")).toBe(join(volume, "a/file"));
    expect(await leadsTo("")).toBe(volume);
    await expect(leadsTo("a/file/below")).rejects.toThrow("file is not a directory");
  });

  test("NODE-68: missing directories are created with the mode of the volume's root and any umask", async () => {
    await chmod(volume, 0o2777);
    const before = process.umask(0o077);
    try {
      expect(await leadsTo("new/deeper")).toBe(join(volume, "new/deeper"));
    } finally {
      process.umask(before);
    }
    for (const made of ["new", "new/deeper"]) expect((await stat(join(volume, made))).mode & 0o7777).toBe(0o2777);
  });

  test.skipIf(process.getuid?.() !== 0)("NODE-68: a created directory has the group of its volume", async () => {
    await chown(volume, 0, 4321);
    await chmod(volume, 0o2775);
    await leadsTo("new");
    expect((await stat(join(volume, "new"))).gid).toBe(4321);
  });

  test("NODE-68: links inside of the volume are followed", async () => {
    await mkdir(join(volume, "..2026/sub"), { recursive: true });
    await writeFile(join(volume, "..2026/key"), "");
    await symlink("..2026", join(volume, "..data"));
    await symlink("..data/key", join(volume, "key"));
    await symlink("../../..2026/./sub", join(volume, "..2026/sub/round"));
    await symlink(join(volume, "..data"), join(volume, "absolute"));
    expect(await leadsTo("key")).toBe(join(volume, "..2026/key"));
    expect(await leadsTo("..data/sub/round/round")).toBe(join(volume, "..2026/sub"));
    expect(await leadsTo("absolute/key")).toBe(join(volume, "..2026/key"));
  });

  test.each([
    ["an absolute link", "/etc"],
    ["a link that goes up", "../outside"],
    ["a link that goes up and comes back", "../volume/inside"],
    ["a link to a path that only begins alike", "VOLUME-2"],
    ["a link to all of the machine", "/"],
    ["a link to itself", "link"],
    ["a link through the numbers of open files", "/proc/self/cwd"],
  ])("NODE-68: %s is refused, and nothing is created outside", async (_, target) => {
    await mkdir(join(volume, "inside"));
    await mkdir(join(directory, "outside"));
    await mkdir(`${volume}-2`);
    await symlink(target.replace("VOLUME", volume), join(volume, "link"));
    for (const path of ["link", "link/new", "inside/../link"]) {
      await expect(resolveSubPath(volume, path)).rejects.toThrow(SubPathError);
    }
    expect(await readdir(join(directory, "outside"))).toEqual([]);
    expect(await readdir(`${volume}-2`)).toEqual([]);
  });

  test("NODE-68: the missing target of a link inside is created", async () => {
    await symlink("later/on", join(volume, "link"));
    expect(await leadsTo("link")).toBe(join(volume, "later/on"));
  });

  test("nothing stays open", async () => {
    const open = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
    await symlink("/etc", join(volume, "link"));
    const before = await open();
    await leadsTo("a/b/c");
    await writeFile(join(volume, "a/file"), "");
    await leadsTo("a/file");
    await expect(leadsTo("a/b/../link")).rejects.toThrow(SubPathError);
    await expect(leadsTo("link")).rejects.toThrow(SubPathError);
    expect(await open()).toBe(before);
  });
});

describe("without the right to mount", () => {
  test("NODE-68: a part is a link to its path", async () => {
    const mounter = linkingMounter({ mounts: () => Promise.resolve([]) });
    await mkdir(join(volume, "part"));
    await writeFile(join(volume, "part/file"), "text");
    const [first, second] = [0, 1].map((number) => subPathTarget(directory, "uid", ["volume", "container", number]));
    await mountSubPath({ volume, subPath: "part", target: first! }, mounter);
    await mountSubPath({ volume, subPath: "part/file", target: second! }, mounter);
    await mountSubPath({ volume, subPath: "part", target: first! }, mounter);
    expect(await readlink(first!)).toBe(join(volume, "part"));
    expect(await readFile(second!, "utf8")).toBe("text");
    await unmountSubPaths(directory, "uid", mounter);
    expect(await readdir(join(directory, "pods/uid"))).toEqual([]);
    expect(await readdir(join(volume, "part"))).toEqual(["file"]);
  });

  test("NODE-69: a file keeps its content until the next start of the container", async () => {
    const mounter = linkingMounter({ mounts: () => Promise.resolve([]) });
    for (const version of ["..1", "..2"]) {
      await mkdir(join(volume, version));
      await writeFile(join(volume, version, "key"), version);
    }
    await symlink("..1", join(volume, "..data"));
    await symlink("..data/key", join(volume, "key"));
    const target = subPathTarget(directory, "uid", ["volume", "container", 0]);
    await mountSubPath({ volume, subPath: "key", target }, mounter);
    await unlink(join(volume, "..data"));
    await symlink("..2", join(volume, "..data"));
    await rm(join(volume, "..1"), { recursive: true });
    expect(await readFile(target, "utf8")).toBe("..1");
    await mountSubPath({ volume, subPath: "key", target }, mounter);
    expect(await readFile(target, "utf8")).toBe("..2");
    await writeFile(target, "written");
    expect(await readFile(join(volume, "key"), "utf8")).toBe("written");
    // A directory replaces the file, and the other way round.
    await mountSubPath({ volume, subPath: "part", target }, mounter);
    expect(await readlink(target)).toBe(join(volume, "part"));
    await rm(join(volume, "part"), { recursive: true });
    await mkdir(join(volume, "part/deeper"), { recursive: true });
    await mountSubPath({ volume, subPath: "part/deeper", target }, mounter);
    expect(await readlink(target)).toBe(join(volume, "part/deeper"));
    await mountSubPath({ volume, subPath: "key", target }, mounter);
    expect(await readFile(target, "utf8")).toBe("written");
    await unmountSubPaths(directory, "uid", mounter);
    expect(await readdir(join(directory, "pods/uid"))).toEqual([]);
    expect(await readFile(join(volume, "key"), "utf8")).toBe("written");
  });
});

test("a part that cannot be unmounted stays, with its content", async () => {
  const mounter = new ManualMounter();
  const target = subPathTarget(directory, "uid", ["volume", "container", 0]);
  await mountSubPath({ volume, subPath: "part", target }, mounter);
  await writeFile(join(target, "precious"), "");
  mounter.fail(/unmount/, "target is busy");
  await expect(unmountSubPaths(directory, "uid", mounter)).rejects.toThrow("target is busy");
  await expect(unmountSubPaths(directory, "uid", mounter)).rejects.toThrow("is not empty: it stays");
  expect(await readdir(target)).toEqual(["precious"]);
});

describe.skipIf(whyNoMounts !== undefined)("with mounts", () => {
  test("NODE-68: directories and files are mounted and unmounted", () => runScene(scenes, "mountsParts"));
  test("NODE-69: a container keeps the file of its start, and its next start has the file of that time", () =>
    runScene(scenes, "keepsTheFileOfAStart"));
  test("NODE-68: links that are swapped in all the time do not lead out", () => runScene(scenes, "isNotLedOut"));
  test("NODE-68: a mount stays when its name leads elsewhere", () => runScene(scenes, "staysWhereItWas"));
});
