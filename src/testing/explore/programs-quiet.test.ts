import { expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { Quiet, QuietWindow } from "./programs-quiet.ts";

function begin(longestPause = 100) {
  const clock = new ManualClock();
  const window = new QuietWindow();
  window.learn(longestPause);
  const work = new Set<string>();
  return { clock, window, work, quiet: new Quiet(clock, window, () => work.size > 0) };
}

const pass = async (clock: ManualClock, ms: number): Promise<void> => {
  await clock.advanceSettled(ms, async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  });
};

test("the window is twice the longest pause of clean runs, within bounds", () => {
  const window = new QuietWindow();
  expect(window.millis).toBe(1000);
  window.learn(10);
  expect(window.millis).toBe(250);
  window.learn(300);
  window.learn(200);
  expect(window.millis).toBe(600);
  window.learn(60_000);
  expect(window.millis).toBe(2000);
});

test("programs are at rest when nothing has stirred for a window", async () => {
  const { clock, quiet } = begin();
  expect(quiet.isQuiet).toBe(false);
  clock.advance(250);
  expect(quiet.isQuiet).toBe(true);
  quiet.stir();
  let rest: unknown;
  void quiet.rest(10_000).then((found) => (rest = found));
  await pass(clock, 200);
  quiet.stir();
  await pass(clock, 240);
  expect(rest).toBeUndefined();
  await pass(clock, 40);
  expect(rest).toBe("quiet");
});

test("work of the server holds it, whatever time passes; so does the end of a long read", () => {
  const { clock, quiet, work } = begin();
  const end = quiet.request(false);
  work.add("GET");
  clock.advance(60_000);
  expect(quiet.isQuiet).toBe(false);
  end();
  work.clear();
  clock.advance(249);
  expect(quiet.isQuiet).toBe(false);
  clock.advance(1);
  expect(quiet.isQuiet).toBe(true);
});

test("reads without end are polling; writes are not", async () => {
  const { clock, quiet } = begin();
  const ask = (isWrite: boolean): void => {
    quiet.request(isWrite)();
    clock.after(100, () => ask(isWrite));
  };
  ask(false);
  clock.advance(900);
  expect(quiet.isQuiet).toBe(false);
  clock.advance(200);
  expect(quiet.isQuiet).toBe(true);
  ask(true);
  let rest: unknown;
  void quiet.rest(5000).then((found) => (rest = found));
  await pass(clock, 5100);
  expect(rest).toBe("restless");
});

test("what is expected holds it until it has come, or its time is over", () => {
  const { clock, quiet } = begin();
  const came = quiet.expect(5000);
  quiet.expect(3000);
  clock.advance(2000);
  came();
  clock.advance(500);
  expect(quiet.isQuiet).toBe(false);
  clock.advance(500);
  expect(quiet.isQuiet).toBe(true);
});

test("the longest pause before a write is measured, but not one before a step of the user", () => {
  const { clock, quiet } = begin();
  clock.advance(5000);
  quiet.stir();
  clock.advance(120);
  const end = quiet.request(true);
  clock.advance(700);
  end();
  clock.advance(80);
  quiet.request(true)();
  expect(quiet.longestPause).toBe(120);
});

test("waiting ends when it is aborted", async () => {
  const { quiet } = begin();
  const abort = new AbortController();
  const rest = quiet.rest(60_000, abort.signal);
  abort.abort(new Error("enough"));
  await expect(rest).rejects.toThrow("enough");
});

test("a request that is delayed holds it, and has a time of its own beside the limit", async () => {
  const { clock, quiet } = begin();
  let rest: unknown;
  void quiet.rest(1000).then((found) => (rest = found));
  const over = quiet.delay(3000);
  await pass(clock, 3000);
  expect(rest).toBeUndefined();
  over();
  await pass(clock, 240);
  expect(rest).toBeUndefined();
  await pass(clock, 40);
  expect(rest).toBe("quiet");
});

test("a delay without an end holds it for no longer than its maximum; continuous changes are still restless", async () => {
  const { clock, quiet, work } = begin();
  quiet.delay(3000);
  clock.advance(4990);
  expect(quiet.isQuiet).toBe(false);
  clock.advance(10);
  expect(quiet.isQuiet).toBe(true);
  work.add("GET");
  let rest: unknown;
  quiet.delay(500);
  void quiet.rest(1000).then((found) => (rest = found));
  await pass(clock, 980);
  expect(rest).toBeUndefined();
  await pass(clock, 40);
  expect(rest).toBe("restless");
});

test("time in which this process had to wait for the machine does not count", async () => {
  const { clock, quiet } = begin();
  let rest: unknown;
  void quiet.rest(10_000).then((found) => (rest = found));
  await pass(clock, 100);
  // As one whole step: the look that was due after 20 ms comes now.
  clock.advance(1000);
  await pass(clock, 100);
  expect(rest).toBeUndefined();
  await pass(clock, 60);
  expect(rest).toBe("quiet");
});
