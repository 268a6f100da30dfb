import { expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { progressOn } from "../util/progress.ts";
import { ChangingLine, progressDisplay } from "./progress-line.ts";

function setUp(columns: number | undefined) {
  const clock = new ManualClock();
  const told: string[] = [];
  const line = new ChangingLine((text) => void told.push(text));
  const display = progressDisplay({ line, columns: () => columns });
  return { clock, told, line, progress: progressOn(clock, display) };
}

test("on a terminal one line is rewritten at most ten times a second, cut to its width, and removed", () => {
  const { clock, told, progress } = setUp(30);
  progress.begin("restoring", "record", 1000);
  for (let done = 1; done <= 1000; done++) {
    clock.advance(1);
    progress.at(done);
  }
  progress.end();
  expect(told).toHaveLength(10);
  expect(told[0]).toBe("\r\u001b[Krestoring: 199 of 1,000 recor");
  expect(told.every((text) => text.length <= 30 - 1 + 4)).toBe(true);
  expect(told.at(-1)).toBe("\r\u001b[K");
});

test("elsewhere there are whole lines, and the last one says how long it took", () => {
  const { clock, told, progress } = setUp(undefined);
  progress.begin("restoring", "record", 10);
  progress.at(5);
  clock.advance(2500);
  progress.end();
  expect(told).toEqual([
    "restoring: 5 of 10 records (50 %), 3/s, 2 s left\n",
    "restoring: 5 of 10 records (50 %), done in 3 s\n",
  ]);
});

test("other lines, such as those of a log, stand above the line, which is drawn again", () => {
  const { clock, told, line, progress } = setUp(80);
  line.write("before\n");
  progress.begin("opening the store", "record", 10);
  clock.advance(200);
  line.write("warn: between\n");
  progress.end();
  line.write("after\n");
  const clear = "\r\u001b[K";
  const shown = "opening the store: 0 of 10 records (0 %)";
  expect(told).toEqual(["before\n", clear + shown, `${clear}warn: between\n${shown}`, clear, "after\n"]);
});
