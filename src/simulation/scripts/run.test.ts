import { expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { EventLoop } from "../../util/loop.ts";
import type { ImageScript } from "../contract.ts";
import { ScriptRun } from "./run.ts";

const { setImmediate } = globalThis;
const pod = { metadata: { name: "p", uid: "u" }, spec: {}, status: {} };

const runOf = (clock: ManualClock, script: ImageScript, startedAt: number, spec: object = {}): ScriptRun =>
  new ScriptRun({
    clock,
    pod: pod as never,
    container: { name: "c", image: "i", ...spec } as never,
    script,
    startedAt,
    attempt: 0,
    seed: 1,
    env: {},
    mounts: {},
    changed: () => {},
    failed: (error) => {
      throw error;
    },
  });

test("a container that says that it was started in the year 1 is not replayed for all of that time", async () => {
  const clock = new ManualClock();
  let turns = 0;
  let last = 0;
  const script: ImageScript = async (ctx) => {
    for (;;) {
      await ctx.sleep("1s");
      turns++;
      last = ctx.now();
    }
  };
  const run = runOf(clock, script, Date.parse("0001-01-01T00:00:00Z"));
  run.start();
  await run.caughtUp();
  expect(turns).toBe(1_000_001);
  expect(last).toBe(clock.now());
  clock.advance(1000);
  await run.caughtUp();
  expect(turns).toBe(1_000_002);
  run.kill();
});

test("a long replay lets others run, and is over when it has caught up", async () => {
  const clock = new ManualClock(undefined, undefined, new EventLoop({ isTimed: true }));
  let turns = 0;
  const script: ImageScript = async (ctx) => {
    for (let i = 0; i < 400_000; i++) {
      await ctx.sleep("1s");
      turns++;
    }
    await ctx.ready();
    await ctx.untilTerminated();
  };
  const run = runOf(clock, script, clock.now() - 400_000_000);
  let passes = 0;
  let isOver = false;
  const count = (): void => {
    passes++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  run.start();
  await run.caughtUp();
  isOver = true;
  expect(turns).toBe(400_000);
  expect(run.facts.ready).toBe(true);
  expect(passes).toBeGreaterThan(5);
  run.kill();
});

test("probes that a machine has slept through are not made up for", async () => {
  let slept = 0;
  class Waking extends ManualClock {
    override now(): number {
      return super.now() + slept;
    }
  }
  const clock = new Waking();
  let asked = 0;
  const script: ImageScript = async (ctx) => {
    ctx.on.exec(() => {
      asked++;
      return {};
    });
    await ctx.untilTerminated();
  };
  const readinessProbe = { exec: { command: ["x"] }, periodSeconds: 1 };
  const run = runOf(clock, script, clock.now(), { readinessProbe });
  run.start();
  await run.caughtUp();
  await run.caughtUp();
  const settle = () => run.caughtUp();
  await clock.advanceSettled(10_000, settle);
  expect(asked).toBe(11);
  slept = 365 * 86_400_000;
  await clock.advanceSettled(10_000, settle);
  expect(asked).toBeLessThan(25);
  run.kill();
});
