import { expect, test } from "vitest";
import { rateLimitedLog } from "./rate-limited-log.ts";
import { ManualClock } from "./clock.ts";
import { type LogFacts, newLog } from "./log.ts";
import { bytesInUse } from "./testing/heap.ts";

/** A rate-limited log, and the lines that it wrote, each with its second. */
function world() {
  const clock = new ManualClock();
  const lines: [number, string, string, LogFacts | undefined][] = [];
  const log = rateLimitedLog(
    newLog((level, message, facts) => void lines.push([clock.steady() / 1000, level, message, facts])),
    clock,
  );
  return { clock, lines, log };
}

test("a cause is written at once, then once a minute with its repetitions and the last facts, then it expires", () => {
  const { clock, lines, log } = world();
  for (let i = 0; i < 1000; i++) log.warn("dropped", { client: i });
  expect(lines).toEqual([[0, "warn", "dropped", { client: 0 }]]);
  clock.advance(90_000);
  log.warn("dropped", { client: 7 });
  clock.advance(90_000);
  clock.advance(60_000);
  log.warn("dropped", { client: 8 });
  expect(lines.slice(1).map(([, , , facts]) => facts)).toEqual([
    { client: 999, repeated: 999 },
    { client: 7, repeated: 1 },
    { client: 8 },
  ]);
});

test("each level, message and subject is a cause of its own; debug is not limited", () => {
  const { lines, log } = world();
  for (const _ of [1, 2]) {
    log.warn("dropped", {}, "a");
    log.warn("dropped", {}, "b");
    log.error("dropped", {}, "a");
    log.info("ended");
    log.debug("looked");
  }
  expect(lines.map(([, level, message]) => `${level} ${message}`)).toEqual([
    "warn dropped",
    "warn dropped",
    "error dropped",
    "info ended",
    "debug looked",
    "debug looked",
  ]);
});

test("causes beyond the bound count as one", () => {
  const { clock, lines, log } = world();
  for (let i = 0; i < 5000; i++) log.warn("refused", {}, `client ${i}`);
  expect(lines).toHaveLength(1001);
  expect(lines.at(-1)).toEqual([0, "warn", "there are more causes than the log distinguishes", { last: "refused" }]);
  clock.advance(60_000);
  expect(lines.slice(1001).map(([, , , facts]) => facts)).toEqual([{ last: "refused", repeated: 3999 }]);
  clock.advance(60_000);
  log.warn("refused", {}, "client 1");
  expect(lines).toHaveLength(1003);
});

test("pending lines are written at the end, and no timer remains", () => {
  const { clock, lines, log } = world();
  log.error("failed", { try: 1 });
  log.error("failed", { try: 2 });
  log[Symbol.dispose]();
  expect(lines.map(([, , , facts]) => facts)).toEqual([{ try: 1 }, { try: 2, repeated: 1 }]);
  expect(clock.timers()).toEqual([]);
});

test("keeps a bounded number of bytes, whatever the lines contain", () => {
  const { log } = world();
  const before = bytesInUse();
  for (let i = 0; i < 200; i++) {
    const path = `${i}${"x".repeat(500_000)}`;
    log.warn("dropped", { path, user: path.slice(0, 200), names: [path] }, path);
    log.warn(path);
  }
  expect(bytesInUse() - before).toBeLessThan(10e6);
  log[Symbol.dispose]();
});
