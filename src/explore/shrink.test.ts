import { describe, expect, test } from "vitest";
import { Draw } from "../util/testing/draw.ts";
import type { Fault } from "./contract/finding.ts";
import type { RunOrder } from "./contract/laboratory.ts";
import type { Perturbation } from "./contract/plan.ts";
import { type Attempt, shrink } from "./shrink.ts";

const fault = (step = 0): Fault => ({ kind: "missing", key: "k", sentence: "s", step, severity: "fault" });
const jump = (step: number, byMillis = 1000): Perturbation => ({ type: "clock-jump", step, byMillis });
const crash = (occurrence: number, downMillis: number): Perturbation => ({
  type: "crash",
  at: { actor: "op", protocol: "api", verb: "create", group: "", kind: "Pod", occurrence },
  when: "after",
  downMillis,
});
const has = ({ plan }: RunOrder, step: number): boolean => plan.some((p) => p.type === "clock-jump" && p.step === step);

/** An attempt that counts, and remembers what it has shown. */
const attemptOf = (shows: (order: RunOrder) => boolean) => {
  const shown = new Set<RunOrder>();
  const state = { count: 0, shown };
  const attempt: Attempt = async (order) => {
    state.count++;
    if (!shows(order)) return undefined;
    shown.add(order);
    return fault();
  };
  return { state, attempt };
};

describe("shrinking", () => {
  test("leaves out what is not needed: perturbations, steps, times", async () => {
    const start: RunOrder = { seed: 1, plan: [jump(0), crash(2, 600_000), jump(1), jump(2, 7_200_000)] };
    const { attempt } = attemptOf((order) => {
      const steps = order.steps ?? [0, 1, 2, 3, 4];
      return has(order, 2) && order.plan.some((p) => p.type === "crash") && steps.includes(1) && steps.includes(3);
    });
    const { order } = await shrink({ order: start, fault: fault(4) }, [0, 1, 2, 3, 4], attempt);
    expect(order).toEqual({ seed: 1, plan: [crash(0, 1000), jump(2, 1000)], steps: [1, 3] });
  });

  test("plays no step after the fault, and leaves all of them out at once", async () => {
    const usual = Array.from({ length: 16 }, (_, i) => i);
    const played: (readonly number[] | undefined)[] = [];
    const attempt: Attempt = async ({ steps }) => {
      played.push(steps);
      return (steps ?? usual).includes(3) ? fault(3) : undefined;
    };
    await shrink({ order: { seed: 1, plan: [jump(3)] }, fault: fault(3) }, usual, attempt);
    expect(played[0]).toEqual([0, 1, 2, 3]);
  });

  test("plays no order twice that has not shown the fault", async () => {
    const played: string[] = [];
    const attempt: Attempt = async (order) => {
      played.push(JSON.stringify(order));
      return has(order, 1) && has(order, 3) && (order.steps ?? [0, 1, 2]).length === 3 ? fault(2) : undefined;
    };
    const plan = [jump(0), jump(1), jump(2), jump(3), jump(4)];
    await shrink({ order: { seed: 1, plan }, fault: fault(2) }, [0, 1, 2], attempt);
    expect(played.length).toBeGreaterThan(5);
    expect(played).toEqual([...new Set(played)]);
  });

  test("keeps the values that are needed", async () => {
    const plan: Perturbation[] = [crash(1, 600_000)];
    const { attempt } = attemptOf((order) =>
      order.plan.some((p) => p.type === "crash" && p.downMillis >= 60_000 && p.at.occurrence === 1),
    );
    const { order } = await shrink({ order: { seed: 1, plan }, fault: fault() }, [0], attempt);
    expect(order.plan).toEqual([crash(1, 60_000)]);
  });

  test("tries no more than it may, and ends when the budget is used", async () => {
    const start = { order: { seed: 1, plan: Array.from({ length: 40 }, (_, i) => jump(i)) }, fault: fault() };
    const { attempt, state } = attemptOf((order) => has(order, 3) && has(order, 30));
    await shrink(start, [0], attempt, { attempts: 7 });
    expect(state.count).toBe(7);
    let left = 4;
    const limited: Attempt = async (order) => (left-- === 0 ? "over" : attempt(order));
    const { order } = await shrink(start, [0], limited);
    expect(left).toBe(-1);
    expect(has(order, 3) && has(order, 30)).toBe(true);
  });

  test("never loses a fault, whatever it needs", async () => {
    const draw = new Draw(7);
    for (let round = 0; round < 500; round++) {
      const usual = draw.many(1 + draw.below(8), (i) => i);
      const start: RunOrder = {
        seed: round,
        plan: draw.many(1 + draw.below(6), (i) => jump(i, 1000 * (1 + draw.below(1000)))),
      };
      const needed = start.plan.filter(() => draw.chance(0.4)).map((p) => (p.type === "clock-jump" ? p.step : 0));
      const steps = usual.filter(() => draw.chance(0.3));
      // Sometimes it hides where too little is left, or by chance: what is kept must have been shown all the same.
      const odd = draw.chance(0.3);
      const salt = draw.below(1000);
      const { attempt, state } = attemptOf(
        (order) =>
          needed.every((step) => has(order, step)) &&
          steps.every((step) => (order.steps ?? usual).includes(step)) &&
          !(odd && (JSON.stringify(order).length * 31 + salt) % 3 === 0),
      );
      const { order } = await shrink({ order: start, fault: fault() }, usual, attempt, { attempts: 1000 });
      expect(order === start || state.shown.has(order)).toBe(true);
      if (odd) continue;
      expect(order.plan.length).toBe(Math.max(1, needed.length));
      expect((order.steps ?? usual).length).toBe(Math.max(1, steps.length));
    }
  });
});
