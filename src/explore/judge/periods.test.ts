import { describe, expect, test } from "vitest";
import { Periods } from "./periods.ts";
import { RecordedRun } from "./testing/recorded-run.ts";

const STEP = 300_000;

/** A run of two steps in which the operator is killed a time after the first one begins, and starts after another. */
function downFor(killedAt: number, millis: number): Periods {
  const run = new RecordedRun(1);
  run.begin();
  run.pass(killedAt);
  run.life("operator", 0, "killed");
  if (killedAt + millis < STEP) {
    run.pass(millis);
    run.life("operator", 1, "started");
    run.quiet(STEP - killedAt - millis);
    run.begin();
    run.quiet(STEP);
  } else {
    run.quiet(STEP - killedAt);
    run.begin();
    run.pass(killedAt + millis - STEP);
    run.life("operator", 1, "started");
    run.quiet(2 * STEP - killedAt - millis);
  }
  return new Periods(run.record());
}

describe("a step is undisturbed", () => {
  test.each([
    ["when the program was down in its first half alone", downFor(0, 100_000), [true, true]],
    ["not when it was down in its second half", downFor(0, 200_000), [false, true]],
    ["not when it was still down in the end, and the next one is", downFor(200_000, 150_000), [false, true]],
    ["not when it was down until the second half of the next one", downFor(200_000, 300_000), [false, false]],
  ])("%s", (_name, periods, undisturbed) => {
    expect([0, 1].map((state) => periods.isUndisturbed(state))).toEqual(undisturbed);
  });
});

test("watches that are held when a run ends are held in the end; a program that is down is not", () => {
  const at = { actor: "operator", group: "", kind: "Pod", name: "a", change: "ADDED", occurrence: 0 } as const;
  const held = (isEnded: boolean): boolean => {
    const run = new RecordedRun(1, [{ type: "lag", at }]);
    run.begin();
    run.add({ type: "perturbation", perturbation: 0, phase: "begun", detail: "" });
    if (isEnded) run.add({ type: "perturbation", perturbation: 0, phase: "ended", detail: "" });
    run.life("operator", 0, "killed");
    run.quiet();
    return new Periods(run.record()).isHeldInTheEnd;
  };
  expect([held(true), held(false)]).toEqual([false, true]);
});
