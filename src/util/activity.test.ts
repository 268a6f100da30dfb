import { describe, expect, test, vi } from "vitest";
import { Activity } from "./activity.ts";
import { ManualClock } from "./clock.ts";
import { nextPass } from "./testing/pass.ts";

/** An activity, its clock, and whether a promise has resolved. */
function setUp() {
  const clock = new ManualClock();
  const activity = new Activity(clock);
  const watch = (promise: Promise<void>): { done: boolean } => {
    const state = { done: false };
    void promise.then(() => (state.done = true));
    return state;
  };
  return { clock, activity, settling: () => watch(activity.idle()) };
}

describe("Activity", () => {
  test("counts and lists running units in the order in which they began", () => {
    const { clock, activity } = setUp();
    const a = activity.begin("a");
    clock.advance(70);
    activity.begin("b");
    const c = activity.begin("b");
    expect(activity.count).toBe(3);
    expect(activity.list()).toEqual([
      { what: "a", since: 0 },
      { what: "b", since: 70 },
      { what: "b", since: 70 },
    ]);
    a();
    c();
    expect(activity.list()).toEqual([{ what: "b", since: 70 }]);
  });

  test("ending twice counts once", async () => {
    const { activity, settling } = setUp();
    const [end, other] = [activity.begin("a"), activity.begin("b")];
    end();
    end();
    expect(activity.count).toBe(1);
    const settled = settling();
    end();
    await nextPass();
    await nextPass();
    expect(settled.done).toBe(false);
    other();
    await nextPass();
    await nextPass();
    expect(settled.done).toBe(true);
  });

  test("idle() waits for the last unit, and for one that begins in the next pass", async () => {
    const { activity, settling } = setUp();
    const [first, second] = [activity.begin("first"), activity.begin("second")];
    const settled = settling();
    first();
    await nextPass();
    await nextPass();
    expect(settled.done).toBe(false);
    // A unit may end before the next one begins, within a pass.
    second();
    const late = Promise.resolve().then(() => activity.begin("late"));
    const end = await late;
    await nextPass();
    await nextPass();
    expect(settled.done).toBe(false);
    end();
    await nextPass();
    await nextPass();
    expect(settled.done).toBe(true);
  });

  test("idle() detects a unit that began and ended within the pass", async () => {
    const { activity } = setUp();
    const steps: string[] = [];
    setImmediate(() => {
      activity.begin("short")();
      setImmediate(() => {
        activity.begin("again")();
        steps.push("again");
      });
    });
    await activity.idle();
    expect(steps).toEqual(["again"]);
  });

  test("without running units idle() waits for a whole pass: a timer that was due has fired", async () => {
    const { activity } = setUp();
    const due = vi.fn<() => void>();
    setTimeout(due, 0);
    const until = performance.now() + 5;
    while (performance.now() < until);
    await activity.idle();
    expect(due).toHaveBeenCalledOnce();
  });

  test("several callers may wait at once, and again afterwards", async () => {
    const { activity } = setUp();
    const end = activity.begin("a");
    const waiting = [activity.idle(), activity.idle()];
    end();
    await Promise.all(waiting);
    const next = activity.begin("b");
    const again = activity.idle();
    next();
    await again;
    expect(activity.count).toBe(0);
  });

  test("idle() resolves while a test replaces the global timers", async () => {
    const { activity } = setUp();
    vi.useFakeTimers();
    try {
      await activity.idle();
    } finally {
      vi.useRealTimers();
    }
    expect(activity.count).toBe(0);
  });
});
