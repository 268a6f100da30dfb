import { describe, expect, test } from "vitest";
import type { RunOrder } from "../../explore/contract/laboratory.ts";
import type { Perturbation } from "../../explore/contract/plan.ts";
import { FakeLaboratory, type FakeSettings, fakeJudge } from "../../explore/testing/fake-laboratory.ts";
import { type Replayable, replayFinding } from "./replay.ts";

const clock = { steady: () => 0 };
const steps = [[{ name: "a" }], [{ name: "b" }], [{ name: "c" }]];
const crash: Perturbation = {
  type: "crash",
  at: {
    actor: "op",
    protocol: "api",
    verb: "create",
    group: "",
    kind: "ConfigMap",
    namespace: "default",
    name: "a",
    occurrence: 0,
  },
  when: "after",
  downMillis: 1000,
};
const isCrash = ({ type }: Perturbation): boolean => type === "crash";
const findingOf = (key: string, more: Partial<Replayable> = {}): Replayable => ({
  seed: 7,
  plan: [crash],
  fault: { kind: "eventually", key, sentence: key, step: 0, severity: "fault" },
  ...more,
});

const replayed = async (finding: Replayable, settings: Omit<FakeSettings, "steps">, times = 3) => {
  const orders: RunOrder[] = [];
  const lab = new FakeLaboratory({ steps, onRun: (order) => orders.push(order), ...settings });
  const result = await replayFinding(lab, fakeJudge(settings), finding, { times, clock });
  return { ...result, orders };
};

describe("a finding that is played again", () => {
  const faults = [{ key: "half", needs: [isCrash], steps: [0] }];

  test("shows each time, beside clean runs of the same steps", async () => {
    const { shown, of, fault, run, orders, clean } = await replayed(findingOf("half", { steps: [0, 2] }), { faults });
    expect([shown, of, fault?.key, clean.length]).toEqual([3, 3, "half", 3]);
    expect(orders.map((order) => [order.plan.length, order.steps])).toEqual([
      ...Array.from({ length: 3 }, () => [0, [0, 2]]),
      ...Array.from({ length: 3 }, () => [1, [0, 2]]),
    ]);
    expect(run?.order).toEqual({ seed: 7, plan: [crash], steps: [0, 2] });
  });

  test("does not show where another fault does, and then has the last run", async () => {
    const { shown, of, fault, run } = await replayed(findingOf("other"), { faults });
    expect([shown, of, fault, run?.order.plan]).toEqual([0, 3, undefined, [crash]]);
  });

  test("counts how often it shows where runs differ, and has a run that shows it", async () => {
    const sometimes = [{ ...faults[0]!, isShown: (run: number) => run === 4 }];
    const one = await replayed(findingOf("half"), { faults: sometimes, deterministic: false }, 5);
    expect([one.shown, one.of, one.fault?.key]).toEqual([1, 5, "half"]);
    expect(one.run?.complaints).toMatchObject([{ rule: "half" }]);
  });

  test("without a plan shows what each run shows by itself", async () => {
    const always = [{ key: "endless", needs: [] }];
    const { shown, of } = await replayed(findingOf("endless", { plan: [] }), { faults: always });
    expect([shown, of]).toEqual([3, 3]);
  });

  test("of two orders of operations is compared with the fresh object, played by its own steps", async () => {
    const comparison = { name: "size set, then unset", changed: [0, 1], fresh: [2] };
    const settings = { comparisons: [comparison], remembers: [comparison.name] };
    const finding = findingOf(`remembers ${comparison.name}`, { plan: [], steps: comparison.changed });
    const { shown, of, orders } = await replayed(finding, settings);
    expect([shown, of]).toEqual([3, 3]);
    expect(orders.map((order) => order.steps)).toEqual([[2], [2], [2], [0, 1], [0, 1], [0, 1]]);
  });

  test("is cancelled between two runs", async () => {
    const over = new AbortController();
    const lab = new FakeLaboratory({ steps, faults });
    const result = await replayFinding(lab, fakeJudge(), findingOf("half"), {
      times: 5,
      clock,
      signal: over.signal,
      onRun: (played) => void (played === 2 && over.abort()),
    });
    expect([result.shown, result.of]).toEqual([2, 2]);
  });
});
