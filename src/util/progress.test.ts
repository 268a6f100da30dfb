import { expect, test } from "vitest";
import { ManualClock } from "./clock.ts";
import { type ProgressNote, progressOn } from "./progress.ts";

function setUp(firstMillis = 2000, everyMillis = 10_000) {
  const clock = new ManualClock();
  const shown: string[] = [];
  const progress = progressOn(clock, {
    firstMillis,
    everyMillis,
    show: ({ text }) => void shown.push(text),
    done: (note: ProgressNote | undefined) => void shown.push(note ? `end: ${note.text}` : "end"),
  });
  return { clock, shown, progress };
}

test("work that is short is not shown", () => {
  const { clock, shown, progress } = setUp();
  progress.begin("restoring", "record", 100);
  for (let done = 1; done <= 100; done++) progress.at(done);
  clock.advance(1999);
  progress.end();
  clock.advance(60_000);
  expect(shown).toEqual(["end"]);
});

test("long work is shown first after two seconds, then each ten, with rate and rest", () => {
  const { clock, shown, progress } = setUp();
  progress.begin("restoring", "record", 1_000_000);
  for (let done = 0; done < 300_000; done += 1000) {
    progress.at(done);
    clock.advance(50);
  }
  progress.at(1_000_000);
  progress.end();
  expect(shown).toEqual([
    "restoring: 39,000 of 1,000,000 records (3 %), 19,500/s, 50 s left",
    "restoring: 239,000 of 1,000,000 records (23 %), 19,917/s, 39 s left",
    "end: restoring: 1,000,000 of 1,000,000 records (100 %), done in 15 s",
  ]);
});

test("work that waits is shown by a timer, with the time so far", () => {
  const { clock, shown, progress } = setUp();
  progress.begin("opening the store");
  clock.advance(12_500);
  expect(shown).toEqual(["opening the store, 2 s", "opening the store, 12 s"]);
  progress.begin("loading", "record", 10);
  clock.advance(9600);
  expect(shown.slice(2)).toEqual(["end: opening the store, done in 13 s", "loading: 0 of 10 records (0 %), 10 s"]);
});

test("work that does not return to the event loop is shown while it reports", () => {
  let now = 0;
  const shown: string[] = [];
  const clock = Object.assign(new ManualClock(), { steady: () => now });
  const display = { firstMillis: 200, everyMillis: 100, show: ({ text }: ProgressNote) => shown.push(text), done() {} };
  const progress = progressOn(clock, display);
  progress.begin("reading the store", "page", 1000);
  for (let page = 1; page <= 1000; page++) {
    now++;
    progress.at(page);
  }
  expect(shown).toHaveLength(9);
  expect(shown[0]).toBe("reading the store: 200 of 1,000 pages (20 %)");
});

test.each([
  ["byte", 1_500_000, undefined, "saving: 1.5 MB"],
  ["byte", 999, 2_000_000_000_000_000, "saving: 1.0 kB of 2000.0 TB (0 %)"],
  ["record", 1, undefined, "saving: 1 record"],
  ["key", 1234, undefined, "saving: 1,234 keys"],
  ["record", 5, 0, "saving: 5 of 0 records"],
] as const)("amounts in %ss: %s of %s", (unit, done, total, text) => {
  const { shown, progress } = setUp(0);
  progress.begin("saving", unit, total);
  progress.at(done);
  expect(shown).toEqual([text]);
});

test("a long rest is printed in minutes and hours", () => {
  const { clock, shown, progress } = setUp(2000, 2000);
  progress.begin("checking", "record", 1_000_000);
  clock.advance(1500);
  progress.at(10_000);
  clock.advance(500);
  expect(shown).toEqual(["checking: 10,000 of 1,000,000 records (1 %), 5,000/s, 3 min 18 s left"]);
  progress.at(100);
  clock.advance(2000);
  expect(shown[1]).toBe("checking: 100 of 1,000,000 records (0 %), 25/s, 11 h 6 min left");
});

test("what is reported after the end is not shown", () => {
  const { clock, shown, progress } = setUp();
  progress.begin("opening the store");
  progress.end();
  progress.begin("opening the store", "record", 10);
  progress.at(5);
  clock.advance(60_000);
  expect(shown).toEqual(["end"]);
  expect(clock.timers()).toEqual([]);
});
