import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock, systemRandom } from "../../util/clock.ts";
import { newLog } from "../../util/log.ts";
import { openClusterClock, saveClusterClock } from "./cluster-clock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keelson-clock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A server that saves its time, on a clock of the system that is passed in. */
function started(clock: ManualClock, speed: number) {
  const directory = { file: (name: string) => join(folder, name) };
  const opened = new AsyncDisposableStack();
  const logged: string[] = [];
  const system = { clock, random: systemRandom, log: newLog((_level, message) => void logged.push(message)) };
  const clusterClock = openClusterClock({ speed }, directory, clock);
  saveClusterClock({ clusterClock, directory, system, opened, options: { speed, readOnly: false } });
  return { clusterClock, logged, close: () => opened.disposeAsync() };
}

test("after an orderly end the time goes on where it was", async () => {
  const clock = new ManualClock();
  const first = started(clock, 60);
  clock.advance(25_000);
  await first.close();
  expect(started(clock, 1).clusterClock.now()).toBe(first.clusterClock.now());
  expect(first.clusterClock.now() - clock.now()).toBe(25_000 * 59);
});

test.each([0, 5000, 9999, 29_999])(
  "after a crash in ms %i no later start sets it back, whatever its speed",
  (millis) => {
    const clock = new ManualClock();
    const first = started(clock, 3600);
    clock.advance(millis);
    expect(started(clock, 1).clusterClock.now()).toBeGreaterThanOrEqual(first.clusterClock.now());
  },
);

test("where the time cannot be saved, this is logged and tried again", () => {
  const clock = new ManualClock();
  const { logged } = started(clock, 60);
  rmSync(folder, { recursive: true });
  clock.advance(10_000);
  expect(logged).toEqual(["the time of the cluster could not be saved, will retry"]);
  clock.advance(10_000);
  expect(logged).toHaveLength(2);
  expect(() => readFileSync(join(folder, "clock.json"))).toThrow("ENOENT");
});
