import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { newLog } from "../../util/log.ts";
import { RetryLater, WatchedFile, stampOf } from "./watched-file.ts";

let home: string;
let file: string;
let used: string[];
let told: string[];
const clock = new ManualClock();
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keelson-watched-"));
  file = join(home, "file");
  writeFileSync(file, "first");
  used = [];
  told = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const watched = (use: (text: string) => void | Promise<void> = (text) => void used.push(text)): WatchedFile =>
  new WatchedFile({
    file,
    what: "some configuration",
    text: Buffer.from("first"),
    intervalMs: 20_000,
    clock,
    log: newLog((level, message, facts) => told.push(`${level}: ${message} ${JSON.stringify(facts)}`)),
    use: (text) => use(text.toString()),
  });

test("a changed file is used once, and nothing is logged while it is unchanged", async () => {
  using it = watched();
  await it.check();
  writeFileSync(join(home, "new"), "first");
  renameSync(join(home, "new"), file);
  await it.check();
  expect(used).toEqual([]);
  writeFileSync(file, "second");
  await it.check();
  await it.check();
  expect(used).toEqual(["second"]);
  expect(told).toEqual([expect.stringMatching(/^info: .*"what":"some configuration".*"hash":"sha256:[0-9a-f]{64}"/)]);
  expect(it.reloads).toEqual({ success: 1, failure: 0 });
});

test("an invalid file is logged once, and the previous content stays in use", async () => {
  using it = watched((text) => {
    if (text === "wrong") throw new Error("expected something else");
    used.push(text);
  });
  writeFileSync(file, "wrong");
  await it.check();
  await it.check();
  expect(told).toEqual([expect.stringMatching(/^error: .*expected something else/)]);
  writeFileSync(file, "first");
  await it.check();
  writeFileSync(file, "second");
  await it.check();
  expect(used).toEqual(["second"]);
  expect(it.reloads).toEqual({ success: 1, failure: 1 });
});

test("a text that cannot be used yet is retried with each check", async () => {
  let tries = 0;
  using it = watched(async () => {
    if (++tries < 3) throw new RetryLater("the plugin is unwell");
  });
  writeFileSync(file, "second");
  for (let i = 0; i < 4; i++) await it.check();
  expect(tries).toBe(3);
  expect(it.reloads).toEqual({ success: 1, failure: 2 });
});

test("a missing file counts as a failure; the same content afterwards is not a change", async () => {
  using it = watched();
  rmSync(file);
  await it.check();
  expect(told).toEqual([expect.stringContaining("to be readable, found no such file or directory (ENOENT)")]);
  writeFileSync(file, "first");
  await it.check();
  expect(it.reloads).toEqual({ success: 0, failure: 1 });
});

test("checks the file by its clock until it is disposed of", async () => {
  const it = watched();
  writeFileSync(file, "second");
  clock.advance(19_999);
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(used).toEqual([]);
  clock.advance(1);
  await expect.poll(() => used).toEqual(["second"]);
  await expect.poll(() => clock.timers().length).toBe(1);
  expect(clock.timers()[0]).toMatchObject({ owner: "some configuration", upkeep: true });
  it[Symbol.dispose]();
  expect(clock.timers()).toEqual([]);
});

test("a stamp changes with the file, and is empty without one", () => {
  const before = stampOf(file);
  expect(stampOf(file)).toBe(before);
  writeFileSync(join(home, "new"), "other");
  renameSync(join(home, "new"), file);
  expect(stampOf(file)).not.toBe(before);
  rmSync(file);
  expect(stampOf(file)).toBe("");
});
