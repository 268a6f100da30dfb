import {
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeWhole, writeWhole } from "./whole-file.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keelson-whole-"));
  file = join(directory, "f");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("a file has its text and mode 0600, and no other file is beside it", async () => {
  await writeWhole(file, "one");
  await writeWhole(file, "two");
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(["f"]);
});

test("leftovers of a killed writer do no harm", async () => {
  writeFileSync(`${file}.new`, "half");
  await writeWhole(file, "whole");
  expect(readFileSync(file, "utf8")).toBe("whole");
  writeFileSync(`${file}.new`, "half");
  await removeWhole(file);
  expect(readdirSync(directory)).toEqual([]);
});

test("links are replaced, not followed", async () => {
  const other = join(directory, "other");
  writeFileSync(other, "another file");
  symlinkSync(other, file);
  symlinkSync(other, `${file}.new`);
  await writeWhole(file, "ours");
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readFileSync(other, "utf8")).toBe("another file");
});

test("a missing directory is an error", async () => {
  await expect(writeWhole(join(directory, "missing/f"), "x")).rejects.toMatchObject({ code: "ENOENT" });
});
