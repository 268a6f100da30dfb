import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MARK_FILE, readMark, writeClosedMark } from "./mark.ts";
import { temporaryDirectory } from "./testing/directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

test("a mark is read as it was written, whatever follows it; without a file there is none", () => {
  expect(readMark(directory.path)).toBeUndefined();
  writeClosedMark(directory.path, 731);
  appendFileSync(join(directory.path, MARK_FILE), Buffer.alloc(100_000));
  expect(readMark(directory.path)).toEqual({ sequence: 1, state: "closed", floor: 731, ceiling: 731 });
});

test.skipIf(process.platform === "win32").each([
  ["a pipe", (file: string) => void execFileSync("mkfifo", [file])],
  ["a folder", (file: string) => mkdirSync(file)],
])("%s in its place does not hold up who reads it", (what, make) => {
  make(join(directory.path, MARK_FILE));
  expect(() => readMark(directory.path)).toThrow(`found ${what}`);
});
