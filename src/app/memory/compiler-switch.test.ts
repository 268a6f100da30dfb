import { expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { CompilerSwitch } from "./compiler-switch.ts";

test("the compilers are disabled while a process is idle, and enabled for good once it is busy", () => {
  const clock = new ManualClock();
  const told: boolean[] = [];
  let cpu = 0;
  using _ = new CompilerSwitch(clock, { cpu: () => cpu, compile: (isOn) => void told.push(isOn) });
  expect(told).toEqual([false]);
  cpu += 2900;
  clock.advance(3000);
  for (let second = 0; second < 10; second++) {
    cpu += 200;
    clock.advance(1000);
  }
  expect(told).toEqual([false]);
  cpu += 400;
  clock.advance(1000);
  expect(told).toEqual([false, true]);
  clock.advance(60_000);
  expect(told).toEqual([false, true]);
  expect(clock.timers()).toEqual([]);
});
