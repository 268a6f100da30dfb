import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock, systemClock } from "../../util/clock.ts";
import { progressOn } from "../../util/progress.ts";
import { temporaryDirectory } from "./testing/directory.ts";
import { checkStore } from "./check.ts";
import { openSqliteStore } from "./store.ts";

test("SQLite's own check runs in a thread, so that the time it has taken is shown", async () => {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  const store = await openSqliteStore({ directory: directory.path, clock: systemClock });
  await store.write({ type: "create", key: "/a", value: Buffer.from("a") });
  await store.close();
  const clock = new ManualClock();
  const shown: string[] = [];
  const display = {
    firstMillis: 1000,
    everyMillis: 1000,
    show: ({ text }: { readonly text: string }) => void shown.push(text),
    done() {},
  };
  const progress = progressOn(clock, display);
  let isChecked = false;
  const checking = checkStore(directory.path, progress).finally(() => (isChecked = true));
  // The thread has not begun when the clock first moves.
  for (; !isChecked; await pause(1)) clock.advance(1000);
  progress.end();
  expect((await checking).findings).toEqual([]);
  expect(shown.slice(0, 2)).toEqual(["checking trees and indexes, 1 s", "checking trees and indexes, 2 s"]);
});
