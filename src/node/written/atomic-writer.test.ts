import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ManualClock, systemClock } from "../../util/clock.ts";
import type { Slice } from "../../util/loop.ts";
import { writeVolume } from "./atomic-writer.ts";
import { Killed, TestDirectory, filesUntil, payloadOf } from "./testing/volume.ts";
import { makeVolumeDirectory } from "./volume-directory.ts";
import { systemFiles } from "./writer-files.ts";

const AT = Date.UTC(2026, 10, 25, 22, 30, 1, 123);
const clock = new ManualClock(AT);

test("PROJ-49: a directory named after the time of the write, a link to it, and one for each first element", async () => {
  using directory = new TestDirectory();
  expect(await writeVolume(directory.path, payloadOf({ a: "A", "d/b": "B", "d/e/c": "C" }), { clock })).toBe(true);
  const name = "..2026_11_25_22_30_01.123000000";
  expect(directory.names()).toEqual([name, "..data", "a", "d"]);
  const target = (path: string): string => readlinkSync(`${directory.path}/${path}`);
  expect([target("..data"), target("a"), target("d")]).toEqual([name, "..data/a", "..data/d"]);
  expect(directory.seen()).toEqual({ a: "A", "d/b": "B", "d/e/c": "C" });
});

test("PROJ-51, PROJ-50: a later write replaces the link, removes links of removed names and the old directory", async () => {
  using directory = new TestDirectory();
  await writeVolume(directory.path, payloadOf({ a: "A", b: "B", "d/x": "1" }), { clock });
  expect(await writeVolume(directory.path, payloadOf({ a: "A2", c: "C" }), { clock })).toBe(true);
  expect(directory.names()).toEqual(["..2026_11_25_22_30_01.123000001", "..data", "a", "c"]);
  expect(directory.seen()).toEqual({ a: "A2", c: "C" });
});

test("the name of a write is different from the one before, also when the clock stands still", async () => {
  using directory = new TestDirectory();
  const names = new Set<string>();
  for (let i = 0; i < 5; i++) {
    await writeVolume(directory.path, payloadOf({ a: String(i) }), { clock });
    names.add(readlinkSync(`${directory.path}/..data`));
  }
  expect(names.size).toBe(5);
});

test("a file becomes a directory and a directory a file; readers see one or the other", async () => {
  using directory = new TestDirectory();
  for (const texts of [{ x: "file" }, { "x/y": "below" }, { x: "file again" }]) {
    await writeVolume(directory.path, payloadOf(texts), { clock });
    expect(directory.seen()).toEqual(texts);
  }
});

test("PROJ-52: without a change nothing is written, but a missing link is created", async () => {
  using directory = new TestDirectory();
  const payload = payloadOf({ a: "A", "d/b": "B" });
  await writeVolume(directory.path, payload, { clock });
  const before = directory.names();
  unlinkSync(`${directory.path}/a`);
  unlinkSync(`${directory.path}/d`);
  symlinkSync("elsewhere", `${directory.path}/d`);
  expect(await writeVolume(directory.path, payload, { clock })).toBe(false);
  expect(directory.names()).toEqual(before);
  expect(directory.seen()).toEqual({ a: "A", "d/b": "B" });
});

test.each([
  ["a file was changed", (data: string) => writeFileSync(`${data}/a`, "x")],
  ["a file was removed", (data: string) => unlinkSync(`${data}/a`)],
  ["a file was added", (data: string) => writeFileSync(`${data}/more`, "x")],
  ["a directory was added", (data: string) => mkdirSync(`${data}/empty`)],
  ["a file became a link", (data: string) => (unlinkSync(`${data}/a`), symlinkSync("/etc/passwd", `${data}/a`))],
])("PROJ-52: the content is written again where %s", async (_what, change) => {
  using directory = new TestDirectory();
  const payload = payloadOf({ a: "A", "d/b": "B" });
  await writeVolume(directory.path, payload, { clock });
  change(`${directory.path}/..data`);
  expect(await writeVolume(directory.path, payload, { clock })).toBe(true);
  expect(directory.seen()).toEqual({ a: "A", "d/b": "B" });
  expect(readdirSync(`${directory.path}/..data`).toSorted()).toEqual(["a", "d"]);
});

test("other files beside the links stay; one in the place of a link is an error", async () => {
  using directory = new TestDirectory();
  writeFileSync(`${directory.path}/other`, "kept");
  symlinkSync("/etc", `${directory.path}/link`);
  await writeVolume(directory.path, payloadOf({ a: "A" }), { clock });
  expect(directory.names()).toContain("other");
  expect(readlinkSync(`${directory.path}/link`)).toBe("/etc");
  const inTheWay = writeVolume(directory.path, payloadOf({ a: "A", other: "B" }), { clock });
  await expect(inTheWay).rejects.toThrow("expected nothing but a link to ..data/other");
});

test("PROJ-53: a failed first write leaves nothing that readers see, a later one the old content", async () => {
  using directory = new TestDirectory();
  const failing = {
    ...systemFiles,
    makeFile: () => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    },
  };
  await expect(writeVolume(directory.path, payloadOf({ a: "A" }), { clock, files: failing })).rejects.toThrow(
    "no space",
  );
  expect(directory.names()).toEqual([]);
  await writeVolume(directory.path, payloadOf({ a: "A" }), { clock });
  const before = directory.names();
  await expect(writeVolume(directory.path, payloadOf({ a: "B" }), { clock, files: failing })).rejects.toThrow(
    "no space",
  );
  expect([directory.names(), directory.seen()]).toEqual([before, { a: "A" }]);
});

const OLD = { a: "old a", b: "old b", "d/x": "old x", "gone/y": "old y" };
const NEW = { a: "new a", c: "new c", "d/x/z": "new z", b: "old b" };

test.each([false, true])(
  "PROJ-54: killed between any two steps, the old or the new content is there, and the next write cleans up (partly done: %s)",
  async (partly) => {
    const counted = filesUntil(Infinity);
    {
      using directory = new TestDirectory();
      await writeVolume(directory.path, payloadOf(OLD), { clock: systemClock });
      await writeVolume(directory.path, payloadOf(NEW), { clock: systemClock, files: counted.files });
    }
    const outcomes = new Set<string>();
    expect(counted.made()).toBeGreaterThan(12);
    for (let step = 0; step < counted.made(); step++) {
      for (const next of [NEW, OLD]) {
        using directory = new TestDirectory();
        await writeVolume(directory.path, payloadOf(OLD), { clock: systemClock });
        const { files } = filesUntil(step, partly);
        await expect(writeVolume(directory.path, payloadOf(NEW), { clock: systemClock, files })).rejects.toThrow(
          Killed,
        );
        // A name of only one of both may exist or not; its content is of one write.
        const seen = directory.seen();
        const isNew = Object.values(seen).some((text) => text.startsWith("new"));
        outcomes.add(isNew ? "new" : "old");
        const whole = isNew ? NEW : OLD;
        expect(whole).toMatchObject(seen);
        expect([seen["b"], seen["a"]]).toEqual(["old b", isNew ? "new a" : "old a"]);
        await writeVolume(directory.path, payloadOf(next), { clock: systemClock });
        expect(directory.seen()).toEqual(next);
        expect(directory.names().filter((name) => name.startsWith(".."))).toHaveLength(2);
        expect(directory.names().filter((name) => !name.startsWith(".."))).toEqual(
          [...new Set(Object.keys(next).map((path) => path.split("/")[0]!))].toSorted(),
        );
      }
    }
    expect(outcomes).toEqual(new Set(["old", "new"]));
  },
);

test.each([false, true])(
  "PROJ-54: killed between any two steps of the first write, the next one finishes it (partly done: %s)",
  async (partly) => {
    const counted = filesUntil(Infinity);
    {
      using directory = new TestDirectory();
      await writeVolume(directory.path, payloadOf(OLD), { clock, files: counted.files });
    }
    for (let step = 0; step < counted.made(); step++) {
      using directory = new TestDirectory();
      const { files } = filesUntil(step, partly);
      await expect(writeVolume(directory.path, payloadOf(OLD), { clock, files })).rejects.toThrow(Killed);
      expect(OLD).toMatchObject(directory.seen());
      await writeVolume(directory.path, payloadOf(OLD), { clock });
      expect(directory.seen()).toEqual(OLD);
      expect(directory.names().filter((name) => name.startsWith(".."))).toHaveLength(2);
    }
  },
);

test("PROJ-39: files have the requested modes with any umask; directories 0755, the volume 0777", async () => {
  using directory = new TestDirectory();
  const before = process.umask(0o077);
  try {
    const volume = `${directory.path}/pods/u/volume`;
    makeVolumeDirectory(volume, {});
    const payload = new Map([
      ["d/a", { bytes: Buffer.from("A"), mode: 0o666 }],
      ["b", { bytes: Buffer.from("B"), mode: 0 }],
    ]);
    await writeVolume(volume, payload, { clock });
    const mode = (path: string): string => (lstatSync(`${volume}/${path}`).mode & 0o7777).toString(8);
    expect(["", "..data/", "..data/d", "..data/d/a", "..data/b"].map(mode)).toEqual(["777", "755", "755", "666", "0"]);
    chmodSync(volume, 0o700);
    makeVolumeDirectory(volume, {});
    expect(mode("")).toBe("777");
  } finally {
    process.umask(before);
  }
});

test.runIf(process.getuid?.() === 0)("PROJ-47: everything gets the group and its bits; a file its user", async () => {
  using directory = new TestDirectory();
  const options = { clock, group: 4711 };
  makeVolumeDirectory(directory.path, options);
  await writeVolume(directory.path, new Map([["d/a", { bytes: Buffer.from("A"), mode: 0o600, uid: 1000 }]]), options);
  const facts = (path: string): string => {
    const { uid, gid, mode } = lstatSync(`${directory.path}/${path}`);
    return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
  };
  expect(["", "..data/", "..data/d", "..data/d/a"].map(facts)).toEqual([
    "0:4711 2777",
    "0:4711 2755",
    "0:4711 2755",
    "1000:4711 640",
  ]);
  expect(["d", "..data"].map((path) => facts(path).split(" ")[0])).toEqual(["0:4711", "0:4711"]);
});

test("the event loop can run between any two files that are written, compared or linked", async () => {
  using directory = new TestDirectory();
  const payload = payloadOf(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, "x"])));
  let pauses = 0;
  const turns = { isOver: false, pause: () => void pauses++ } as unknown as Slice;
  await writeVolume(directory.path, payload, { clock, turns });
  expect(pauses).toBeGreaterThanOrEqual(100);
  pauses = 0;
  await writeVolume(directory.path, payload, { clock, turns });
  expect(pauses).toBeGreaterThanOrEqual(100);
});

test.skipIf(process.platform === "win32").each([
  ["a pipe without a writer", (path: string) => void execFileSync("mkfifo", [path])],
  ["a link to elsewhere", (path: string) => symlinkSync("/dev/zero", path)],
  ["a file that is larger than memory", (path: string) => (writeFileSync(path, "A"), truncateSync(path, 2 ** 40))],
  ["a directory", (path: string) => mkdirSync(path)],
  ["nothing", () => {}],
])("what a container puts in the place of a file is not read, but replaced: %s", async (_, put) => {
  using directory = new TestDirectory();
  const payload = payloadOf({ a: "A" });
  await writeVolume(directory.path, payload, { clock });
  const path = `${directory.path}/..data/a`;
  unlinkSync(path);
  put(path);
  // As if it were swapped during the comparison.
  expect(systemFiles.holds(path, Buffer.from("A"))).toBe(false);
  await writeVolume(directory.path, payload, { clock });
  expect(directory.seen()).toEqual({ a: "A" });
});
