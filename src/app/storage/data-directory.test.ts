import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../meta/dialect.ts";
import { DataDirectory, writeNamedFile } from "./data-directory.ts";

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "keelson-directory-")), "deep", "data");
});
afterEach(() => rmSync(join(path, "..", ".."), { recursive: true, force: true }));

const mode = (name: string): string => (statSync(join(path, name)).mode & 0o777).toString(8);

describe("DataDirectory", () => {
  test("is created with mode 0700, and has no description before it is claimed", () => {
    const directory = DataDirectory.open(path, neutral);
    expect(mode(".")).toBe("700");
    expect(directory.describe()).toBeUndefined();
    directory.claim(neutral);
    expect(directory.describe()).toEqual({ format: 1, dialect: "neutral" });
  });

  test("writes secrets when they are saved, with mode 0600", async () => {
    const directory = DataDirectory.open(path, neutral);
    directory.pki.write("ca.key", "secret");
    directory.pki.write("admin.token", "token");
    directory.pki.write("server.key", "early");
    expect([existsSync(join(path, "pki")), directory.pki.read("ca.key")]).toEqual([false, "secret"]);
    directory.claim(neutral);
    const saved = directory.save();
    directory.pki.write("server.key", "late");
    await saved;
    expect(directory.read("pki/server.key")).toBe("early");
    await directory.save();
    expect(directory.read("pki/server.key")).toBe("late");
    expect([mode("pki"), mode("pki/ca.key"), mode("pki/server.key"), mode("admin.token")]).toEqual([
      "700",
      "600",
      "600",
      "600",
    ]);
    expect(["ca.key", "server.key", "admin.token"].map((name) => directory.pki.read(name))).toEqual([
      "secret",
      "late",
      "token",
    ]);
    expect(directory.pki.read("nothing")).toBeUndefined();
  });

  test("is refused with another dialect, also if another process has claimed it meanwhile", () => {
    const late = DataDirectory.open(path, neutral);
    late.pki.write("ca.key", "mine");
    DataDirectory.open(path, kubernetes).claim(kubernetes);
    expect(() => late.claim(neutral)).toThrow("expected --dialect kubernetes");
    expect(existsSync(join(path, "pki"))).toBe(false);
    expect(() => DataDirectory.open(path, neutral)).toThrow("expected --dialect kubernetes");
    expect(() => DataDirectory.open(path, kubernetes)).not.toThrow();
  });

  test.each(["", "{", "[]", "{}", '{"format":"1","dialect":"neutral"}', "null"])(
    "with the description %j is refused",
    (text) => {
      DataDirectory.open(path, neutral).claim(neutral);
      writeFileSync(join(path, "keelson.json"), text);
      expect(() => DataDirectory.open(path, neutral)).toThrow("keelson.json to name format and dialect");
    },
  );

  test.skipIf(process.platform === "win32")("is refused with a pipe, a device or a folder in place of a file", () => {
    const file = join(path, "keelson.json");
    for (const [make, kind] of [
      [() => void execFileSync("mkfifo", [file]), "found a pipe"],
      [() => symlinkSync("/dev/zero", file), "found a device"],
      [() => mkdirSync(file), "found a folder"],
    ] as const) {
      DataDirectory.open(path, neutral).claim(neutral);
      rmSync(file, { recursive: true });
      make();
      expect(() => DataDirectory.open(path, neutral)).toThrow(kind);
      rmSync(file, { recursive: true });
    }
  });

  test.skipIf(process.platform === "win32")("is refused where it cannot be known whether it has a description", () => {
    mkdirSync(join(path, ".."), { recursive: true });
    symlinkSync(path, path);
    expect(() => new DataDirectory(path).describe()).toThrow(`expected ${path}/keelson.json to be readable, found`);
    rmSync(path);
    writeFileSync(path, "");
    expect(new DataDirectory(path).describe()).toBeUndefined();
  });

  test("of another program is refused with a short error", () => {
    DataDirectory.open(path, neutral).claim(neutral);
    writeFileSync(join(path, "keelson.json"), "x".repeat(100_000));
    expect(() => DataDirectory.open(path, neutral)).toThrow(/got x{100,197}\.\.\.$/);
  });

  test("is refused with a newer format", () => {
    DataDirectory.open(path, neutral).claim(neutral);
    writeFileSync(join(path, "keelson.json"), '{"format":2,"dialect":"neutral"}');
    expect(() => DataDirectory.open(path, neutral)).toThrow("format 1 or older, got 2");
  });

  test("writes the kubeconfig atomically with mode 0600", () => {
    const directory = DataDirectory.open(path, neutral);
    writeFileSync(join(path, "admin.kubeconfig"), "old", { mode: 0o644 });
    const file = directory.writeKubeconfig("new")!;
    expect([readFileSync(file, "utf8"), mode("admin.kubeconfig")]).toEqual(["new", "600"]);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test("keeps an equal kubeconfig; on a full disk it overwrites another one or writes none", () => {
    const directory = DataDirectory.open(path, neutral);
    const file = directory.writeKubeconfig("same")!;
    utimesSync(file, 1, 1);
    directory.writeKubeconfig("same")!;
    expect(statSync(file).mtimeMs).toBe(1000);
    symlinkSync("/dev/full", `${file}.new`);
    expect(directory.writeKubeconfig("new")).toBe(file);
    expect([readFileSync(file, "utf8"), existsSync(`${file}.new`)]).toEqual(["new", false]);
    rmSync(file);
    symlinkSync("/dev/full", `${file}.new`);
    expect([directory.writeKubeconfig("other"), existsSync(file)]).toEqual([undefined, false]);
  });

  test("a full disk for server.json is not an error", () => {
    const directory = DataDirectory.open(path, neutral);
    symlinkSync("/dev/full", directory.file("server.json.new"));
    directory.writeRunning({ pid: 42, version: "1", addresses: [], dialect: "neutral", started: "now" });
    expect(directory.running()).toBeUndefined();
  });

  test("knows its dialect", () => {
    expect(DataDirectory.open(path).dialect).toBeUndefined();
    DataDirectory.open(path, kubernetes).claim(kubernetes);
    expect(DataDirectory.open(path).dialect).toBe(kubernetes);
    writeFileSync(join(path, "keelson.json"), '{"format":1,"dialect":"other"}');
    expect(() => DataDirectory.open(path)).toThrow("to be of a known dialect, got other");
  });

  test("has server.json while a server runs", () => {
    const directory = DataDirectory.open(path, neutral);
    const info = { pid: 42, version: "1", addresses: ["https://x"], dialect: "neutral", started: "now" } as const;
    expect(directory.running()).toBeUndefined();
    directory.writeRunning(info);
    expect(directory.running()).toEqual(info);
    directory.clearRunning();
    directory.clearRunning();
    expect(directory.running()).toBeUndefined();
  });

  test.each(["", "{", "{}", '{"pid":"x"}'])("ignores a server.json of %j", (text) => {
    const directory = DataDirectory.open(path, neutral);
    writeFileSync(join(path, "server.json"), text);
    expect(directory.running()).toBeUndefined();
  });
});

test.skipIf(process.platform === "win32")(
  "a file that a user names may be a pipe, which stays; a reader must be there",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "keelson-named-"));
    try {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      expect(() => writeNamedFile(pipe, "text", 0o600)).toThrow(`expected ${pipe} to be writable, found`);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      writeNamedFile(pipe, "text", 0o600);
      expect([readFileSync(reader, "utf8"), statSync(pipe).isFIFO()]).toEqual(["text", true]);
      closeSync(reader);
      const file = join(folder, "file");
      writeNamedFile(file, "text", 0o600);
      expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["text", 0o600]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
