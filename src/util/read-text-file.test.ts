import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readTextFile } from "./read-text-file.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-read-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "a.yaml");

describe("readTextFile", () => {
  test.each([1, 65_535, 65_536, 65_537, 200_000])(
    "reads a file of %i bytes, and refuses one with a byte more",
    (size) => {
      const text = "é".repeat(size / 2) + (size % 2 === 1 ? "x" : "");
      writeFileSync(path, text);
      expect(readTextFile(path, size)).toBe(text);
      expect(() => readTextFile(path, size - 1)).toThrow(`expected at most ${size - 1} bytes in ${path}, found more`);
    },
  );

  test("reads an empty file", () => {
    writeFileSync(path, "");
    expect(readTextFile(path, 0)).toBe("");
  });

  test.runIf(process.platform === "linux")("reads a file of the system, which says that it is empty", () => {
    expect(readTextFile("/proc/self/status", 100_000)).toContain("Pid:");
  });

  test.skipIf(process.platform === "win32")("refuses what may have no end: a device, a pipe, a folder", () => {
    const pipe = join(folder, "pipe.yaml");
    execFileSync("mkfifo", [pipe]);
    expect(() => readTextFile(pipe, 100)).toThrow(`expected a file at ${pipe}, found a pipe`);
    expect(() => readTextFile("/dev/zero", 100)).toThrow("expected a file at /dev/zero, found a device");
    expect(() => readTextFile(folder, 100)).toThrow(`expected a file at ${folder}, found a folder`);
    expect(() => readTextFile(join(folder, "none"), 100)).toThrow("ENOENT");
  });
});
