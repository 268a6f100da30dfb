import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncFolder } from "./sync-folder.ts";

/** Files that record their calls; as on Windows, a folder cannot be opened where `code` is given. */
function files(code?: string) {
  const calls: string[] = [];
  return {
    calls,
    openSync(path: string) {
      calls.push(`open ${path}`);
      if (code !== undefined) throw Object.assign(new Error(`${code}: operation not permitted, open`), { code });
      return 7;
    },
    fsyncSync: (descriptor: number) => void calls.push(`fsync ${descriptor}`),
    closeSync: (descriptor: number) => void calls.push(`close ${descriptor}`),
  };
}

test("a folder is flushed and closed", () => {
  const found = files();
  syncFolder("/data", "linux", found);
  expect(found.calls).toEqual(["open /data", "fsync 7", "close 7"]);
  const folder = mkdtempSync(join(tmpdir(), "keelson-sync-"));
  syncFolder(folder);
  rmSync(folder, { recursive: true });
});

test("a folder that cannot be flushed is an error, and is closed", () => {
  const found = files();
  const failing = {
    ...found,
    fsyncSync: () => {
      throw new Error("EIO: i/o error, fsync");
    },
  };
  expect(() => syncFolder("/data", "darwin", failing)).toThrow("EIO: i/o error");
  expect(found.calls).toEqual(["open /data", "close 7"]);
  expect(() => syncFolder("/data", "linux", files("EPERM"))).toThrow("EPERM");
});

test("Windows, where a folder cannot be opened, is not asked to", () => {
  const found = files("EPERM");
  syncFolder(String.raw`C:\data`, "win32", found);
  expect(found.calls).toEqual([]);
});
