import { execFile } from "node:child_process";
import { chmod, chown, lstat, mkdir, mkdtemp, rename, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectNoLongSlice } from "../../util/testing/slices.ts";
import { applyGroup } from "./apply-group.ts";
import { amount } from "../../util/testing/amount.ts";

const ROUNDS = amount("ROUNDS", 20, 100);

/** Groups are given away by root only. */
const isRoot = process.getuid?.() === 0;
const GROUP = 4321;
const OTHER = 9876;

const run = promisify(execFile);

let directory: string;
let volume: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "groups-"));
  volume = join(directory, "volume");
  await mkdir(volume, { mode: 0o755 });
});
afterEach(() => run("rm", ["-r", directory]));

const file = async (name: string, mode: number, group = 0): Promise<string> => {
  const path = join(volume, name);
  await writeFile(path, "");
  await chown(path, 0, group);
  await chmod(path, mode);
  return path;
};

/** Group and permission bits, a link not followed. */
const groupAndMode = async (path: string): Promise<string> => {
  const { gid, mode } = await lstat(path);
  return `${gid} ${(mode & 0o7777).toString(8)}`;
};

describe.skipIf(!isRoot)("the group of a volume", () => {
  test("NODE-39: files gain 0660, directories also 0110 and the set-group bit, and bits are only added", async () => {
    await mkdir(join(volume, "directory"), { mode: 0o700 });
    const paths = [
      await file("plain", 0o600),
      await file("directory/deeper", 0o444),
      await file("open", 0o777),
      await file("program", 0o4755),
    ];
    await applyGroup(volume, { gid: GROUP });
    expect(await Promise.all(paths.map(groupAndMode))).toEqual([
      `${GROUP} 660`,
      `${GROUP} 664`,
      `${GROUP} 777`,
      `${GROUP} 4775`,
    ]);
    expect(await groupAndMode(volume)).toBe(`${GROUP} 2775`);
    expect(await groupAndMode(join(volume, "directory"))).toBe(`${GROUP} 2770`);
  });

  test("NODE-39: on a read-only volume the group gets no right to write", async () => {
    const path = await file("plain", 0o600);
    await applyGroup(volume, { gid: GROUP, readOnly: true });
    expect(await groupAndMode(path)).toBe(`${GROUP} 640`);
    expect(await groupAndMode(volume)).toBe(`${GROUP} 2755`);
  });

  test("NODE-39: a link itself gets the group, its target does not", async () => {
    const outside = join(directory, "outside");
    await writeFile(outside, "", { mode: 0o600 });
    await symlink(outside, join(volume, "link"));
    await applyGroup(volume, { gid: GROUP });
    expect((await lstat(join(volume, "link"))).gid).toBe(GROUP);
    expect(await groupAndMode(outside)).toBe("0 600");
  });

  test("NODE-39: a volume that is one file gets the group", async () => {
    const path = await file("alone", 0o600);
    await applyGroup(path, { gid: GROUP });
    expect(await groupAndMode(path)).toBe(`${GROUP} 660`);
  });

  test("NODE-40: with OnRootMismatch nothing is read where the root has group, bits and set-group bit", async () => {
    const path = await file("foreign", 0o600, OTHER);
    await chown(volume, 0, GROUP);
    await chmod(volume, 0o2770);
    await applyGroup(volume, { gid: GROUP, changePolicy: "OnRootMismatch" });
    expect(await groupAndMode(path)).toBe(`${OTHER} 600`);
    await applyGroup(volume, { gid: GROUP, changePolicy: "Always" });
    expect(await groupAndMode(path)).toBe(`${GROUP} 660`);
  });

  test.each([
    ["another group", OTHER, 0o2770],
    ["a bit is missing", GROUP, 0o2750],
    ["no set-group bit", GROUP, 0o770],
  ])("NODE-40: with OnRootMismatch all is changed where the root differs: %s", async (_, group, mode) => {
    const path = await file("foreign", 0o600, OTHER);
    await chown(volume, 0, group);
    await chmod(volume, mode);
    await applyGroup(volume, { gid: GROUP, changePolicy: "OnRootMismatch" });
    expect(await groupAndMode(path)).toBe(`${GROUP} 660`);
  });

  test("NODE-40: without a policy all is changed every time", async () => {
    await applyGroup(volume, { gid: GROUP });
    const path = await file("later", 0o600, OTHER);
    await applyGroup(volume, { gid: GROUP });
    expect(await groupAndMode(path)).toBe(`${GROUP} 660`);
  });

  test("NODE-42: a failure names the file, and leaves the root as it was, so that the next attempt continues", async ({
    skip,
  }) => {
    await mkdir(join(volume, "sub"));
    const path = await file("sub/immutable", 0o600);
    await run("chattr", ["+i", path]).catch(() => skip("the file system has no immutable files"));
    try {
      await expect(applyGroup(volume, { gid: GROUP })).rejects.toThrow(`the group of ${path} was not changed: EPERM`);
      expect((await stat(volume)).gid).toBe(0);
    } finally {
      await run("chattr", ["-i", path]);
    }
    await applyGroup(volume, { gid: GROUP, changePolicy: "OnRootMismatch" });
    expect(await groupAndMode(path)).toBe(`${GROUP} 660`);
  });

  test("a Pod that swaps directories and files for links does not lead the change out of its volume", async () => {
    const outside = join(directory, "outside");
    await mkdir(outside, { mode: 0o700 });
    await writeFile(join(outside, "shadow"), "", { mode: 0o600 });
    let isOver = false;
    const swap = async (name: string, target: string, make: (path: string) => Promise<unknown>): Promise<void> => {
      const [path, link] = [join(volume, name), join(directory, `link-${name}`)];
      while (!isOver) {
        await make(path).catch(() => {});
        await symlink(target, link).catch(() => {});
        await run("rm", ["-rf", path]).catch(() => {});
        await rename(link, path).catch(() => {});
        await unlink(path).catch(() => {});
      }
    };
    const makeDirectory = async (path: string): Promise<void> => {
      await mkdir(path);
      await writeFile(join(path, "shadow"), "");
    };
    const swapping = [
      swap("directory", outside, makeDirectory),
      swap("file", join(outside, "shadow"), (path) => writeFile(path, "", { flag: "wx" })),
    ];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await chown(volume, 0, 0);
        await applyGroup(volume, { gid: GROUP });
      }
    } finally {
      isOver = true;
      await Promise.all(swapping);
    }
    expect(await groupAndMode(outside)).toBe("0 700");
    expect(await groupAndMode(join(outside, "shadow"))).toBe("0 600");
  });

  test("NODE-39: thousands of files are changed without holding the event loop", async () => {
    const fill = async (): Promise<void> => {
      for (let each = 0; each < 20; each++) {
        await mkdir(join(volume, `d${each}`), { recursive: true });
        for (let at = 0; at < 250; at++) await writeFile(join(volume, `d${each}`, `f${at}`), "");
      }
    };
    await fill();
    let group = GROUP;
    await expectNoLongSlice(
      () => Promise.resolve(),
      () => applyGroup(volume, { gid: ++group }),
    );
  });
});

test("an aborted change ends between two files", async () => {
  const stop = new AbortController();
  await writeFile(join(volume, "file"), "");
  stop.abort(new Error("enough"));
  await expect(applyGroup(volume, { gid: GROUP }, { signal: stop.signal })).rejects.toThrow("enough");
});

test("a volume that does not exist is named", async () => {
  await expect(applyGroup(join(directory, "nothing"), { gid: GROUP })).rejects.toThrow(join(directory, "nothing"));
});
