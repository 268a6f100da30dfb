import { describe, expect, test } from "vitest";
import { bytesInUse } from "../util/testing/heap.ts";
import type { ExploreOptions, Progress } from "./exploration.ts";
import { explore } from "./explore.ts";
import type { MakeJudge } from "./contract/judge.ts";
import type { RunOrder } from "./contract/laboratory.ts";
import type { Perturbation, PerturbationType } from "./contract/plan.ts";
import { planHash } from "./plans/hash.ts";
import { LaboratoryError } from "./runs.ts";
import { FakeLaboratory, fakeJudge, type FakeSettings } from "./testing/fake-laboratory.ts";

const clock = { steady: () => 0 };
const origin = { scenario: { name: "fake" }, versions: { keelson: "0", node: "24", platform: "test" } };

const run = async (settings: FakeSettings, options: Partial<ExploreOptions> = {}) => {
  const lab = new FakeLaboratory(settings);
  const result = await explore(lab, fakeJudge(settings), { clock, origin, seed: 1, ...options });
  return { ...result, lab };
};

const isCrash =
  (name: string, when = "after") =>
  (p: Perturbation): boolean =>
    p.type === "crash" && p.when === when && p.at.name === name;
const isType =
  (type: PerturbationType) =>
  (p: Perturbation): boolean =>
    p.type === type;

const steps = [
  [{ name: "a" }, { name: "b" }, { name: "c" }],
  [{ name: "d" }],
  [{ name: "a", verb: "delete" as const }],
];

describe("exploring", () => {
  test("finds a fault of one perturbation, shrinks its steps and says how often it showed again", async () => {
    const faults = [{ key: "half", needs: [isCrash("a")], steps: [0] }];
    const { findings, notices, ended } = await run({ steps, faults }, { plans: 60 });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      fault: { key: "half" },
      steps: [0],
      plan: [{ type: "crash", when: "after", downMillis: 1000, at: { verb: "create", name: "a", occurrence: 0 } }],
      replayed: { shown: 3, of: 3 },
    });
    expect(notices).toEqual([]);
    expect(ended).toBe("plans");
  });

  test("finds a fault that needs two perturbations, and keeps both", async () => {
    const faults = [{ key: "pair", needs: [isCrash("b"), isType("answer-lost")] }];
    const { findings, coverage } = await run({ steps, faults }, { plans: 3000 });
    expect(findings.map(({ fault }) => fault.key)).toEqual(["pair"]);
    expect(findings[0]!.plan.map(({ type }) => type).sort()).toEqual(["answer-lost", "crash"]);
    expect(coverage.combinations).toBeGreaterThan(0);
  });

  test("plays and reports perturbations as its laboratory can play them", async () => {
    const faults = [{ key: "late", needs: [isType("slow")] }];
    const asPlayed = (one: Perturbation): Perturbation => (one.type === "slow" ? { ...one, byMillis: 700 } : one);
    const times = new Set<number>();
    const onRun = ({ plan }: RunOrder) => plan.forEach((one) => one.type === "slow" && times.add(one.byMillis));
    const { findings } = await run({ steps, faults, asPlayed, onRun }, { plans: 200 });
    expect(findings.map(({ plan }) => plan)).toMatchObject([[{ type: "slow", byMillis: 700 }]]);
    expect(times).toEqual(new Set([700]));
  });

  test("reports the same fault once, and shrinks it once", async () => {
    const orders: string[] = [];
    const faults = [{ key: "any crash", needs: [isType("crash")] }];
    const { findings } = await run(
      { steps: [[{ name: "a" }]], faults, onRun: (order) => orders.push(JSON.stringify(order)) },
      { plans: 200 },
    );
    expect(findings).toHaveLength(1);
    const repeated = orders.filter((order, i) => orders.indexOf(order) !== i);
    // The plans, its control, one replay that confirms it and three in the end.
    expect(repeated.length).toBeLessThanOrEqual(4);
  });

  test("accuses nothing where nothing is wrong, and says what was tried", async () => {
    const { findings, notices, coverage, ended } = await run(
      { steps },
      { only: ["crash", "answer-lost", "lag"], plans: 500 },
    );
    expect([...findings, ...notices]).toEqual([]);
    expect(ended).toBe("plans");
    const first = coverage.writes.find(({ write }) => write === "create of ConfigMap default/a")!;
    expect(first.perturbations).toEqual({ crash: "tried", "answer-lost": "tried" });
    expect(coverage.types.every(({ planned, tried, met }) => planned === tried && tried === met)).toBe(true);
    expect(coverage.sentences[0]).toMatch(/^(\d+) of \1 plans of one perturbation were tried, at 5 kinds of writes\.$/);
  });

  test("says what is left where the limit comes first", async () => {
    const { coverage, plans } = await run({ steps }, { plans: 2 });
    expect(plans).toBe(2);
    expect(coverage.types.reduce((sum, { tried }) => sum + tried, 0)).toBe(2);
    expect(coverage.writes.some(({ perturbations }) => Object.values(perturbations).includes("left"))).toBe(true);
  });

  test("says that a scenario in which nothing is written says nothing", async () => {
    const { coverage } = await run({ steps: [[]] });
    expect(coverage.silent).toEqual(["op"]);
    expect(coverage.sentences[0]).toMatch(
      /^Warning: the programs wrote nothing \(op\) .* silence means nothing\. .* check that/,
    );
    expect((await run({ steps }, { plans: 1 })).coverage.silent).toEqual([]);
  });

  test("says that nothing was tried without clean runs", async () => {
    const { coverage } = await run({ steps }, { budgetMillis: 0 });
    expect(coverage.sentences).toEqual(["The clean runs did not end in time, so that nothing was tried."]);
  });

  test("never plays a plan twice, and ends when none is left", async () => {
    const plans: number[] = [];
    const { ended, lab } = await run(
      { steps: [[{ name: "a" }]], onRun: ({ plan }) => plan.length > 0 && plans.push(planHash(plan)) },
      { only: ["crash"] },
    );
    expect(ended).toBe("done");
    expect(new Set(plans).size).toBe(plans.length);
    expect(plans.length).toBeGreaterThan(4);
    expect(lab.runs).toBe(plans.length + 3);
  });

  test("does the same for the same seed, and other combinations for another", async () => {
    const ordersOf = async (seed: number) => {
      const orders: string[] = [];
      await run({ steps, onRun: (order) => orders.push(JSON.stringify(order.plan)) }, { plans: 400, seed });
      return orders;
    };
    const first = await ordersOf(1);
    expect(await ordersOf(1)).toEqual(first);
    expect(await ordersOf(2)).not.toEqual(first);
  });

  test("reports faults of clean runs with an empty plan, and tries plans all the same", async () => {
    const { findings } = await run(
      { steps, chance: () => ["always there"], faults: [{ key: "half", needs: [isCrash("a")] }] },
      { plans: 60 },
    );
    expect(findings.map(({ fault, plan, replayed }) => [fault.key, plan.length, replayed])).toEqual([
      ["always there", 0, { shown: 3, of: 3 }],
      ["half", 1, { shown: 3, of: 3 }],
    ]);
  });

  test("does not blame a plan for what comes by the seed", async () => {
    const { findings, notices } = await run(
      { steps, chance: (seed) => (seed % 5 === 0 ? ["chance"] : []) },
      { plans: 200 },
    );
    expect([...findings, ...notices]).toEqual([]);
  });

  test("ends at once where a step is refused without any perturbation", async () => {
    const { findings, ended, plans, lab } = await run({ steps, refused: [1] });
    expect({ ended, plans, runs: lab.runs }).toEqual({ ended: "step-failed", plans: 0, runs: 1 });
    expect(findings.map(({ fault }) => fault.key)).toEqual(["step-failed"]);
  });

  test("a step that others need is kept", async () => {
    const faults = [{ key: "late", needs: [isCrash("d")], steps: [1] }];
    const { findings } = await run({ steps, faults, needs: { 1: [0] } }, { plans: 60 });
    expect(findings[0]!.steps).toEqual([0, 1]);
  });

  test("reports what is found as it was found, where it shall not be shrunk", async () => {
    const faults = [{ key: "late", needs: [isCrash("d")], steps: [1] }];
    const { findings } = await run({ steps, faults }, { plans: 60, shrinks: false });
    expect(findings.map(({ fault, steps: needed }) => [fault.key, needed])).toEqual([["late", undefined]]);
    const { findings: shrunk } = await run({ steps, faults }, { plans: 60 });
    expect(shrunk[0]!.steps).toEqual([1]);
  });

  test("notices are reported apart, and not shrunk", async () => {
    const faults = [{ key: "waste", needs: [isType("slow")], notice: true }];
    const { findings, notices } = await run({ steps, faults }, { plans: 60 });
    expect(findings).toEqual([]);
    expect(notices.map(({ fault, replayed }) => [fault.key, replayed])).toEqual([["waste", { shown: 1, of: 1 }]]);
  });

  test("keeps the runs of what it found, and of nothing else", async () => {
    const { evidence, findings } = await run(
      { steps, faults: [{ key: "half", needs: [isCrash("a")] }] },
      { plans: 60 },
    );
    expect([...evidence.keys()]).toEqual(findings);
    const { clean, otherClean, run: shown } = evidence.get(findings[0]!)!;
    expect(otherClean).toHaveLength(2);
    for (const { order } of [clean, ...otherClean])
      expect(order).toMatchObject({ plan: [], steps: findings[0]!.steps });
    expect(shown.order).toMatchObject({ plan: findings[0]!.plan, steps: findings[0]!.steps });
  });
});

describe("a laboratory that is not deterministic", () => {
  test("a fault that shows in two of three runs is confirmed, and says so", async () => {
    const faults = [{ key: "race", needs: [isCrash("a")], isShown: (n: number) => n % 3 !== 0 }];
    const { findings } = await run({ steps, faults, deterministic: false }, { plans: 100 });
    expect(findings.map(({ fault, replayed }) => [fault.key, replayed])).toEqual([["race", { shown: 7, of: 10 }]]);
  });

  test("what an attempt to shrink needs in any case is played at once, and nothing more", async () => {
    const faults = [{ key: "race", needs: [isCrash("a")], steps: [0, 1] }];
    for (const [parallel, together] of [
      [1, 1],
      [2, 2],
      [4, 2],
    ] as const) {
      const played = new Map<string, number>();
      const playing = new Map<string, number>();
      const most: number[] = [];
      const onRun = async (order: RunOrder): Promise<void> => {
        // Such orders only an attempt plays, and they never show it.
        if (order.plan.length === 0 || order.steps?.includes(1) !== false) return;
        const key = JSON.stringify(order);
        const add = (to: Map<string, number>, count: number): number =>
          to.set(key, (to.get(key) ?? 0) + count).get(key)!;
        add(played, 1);
        most.push(add(playing, 1));
        await new Promise((resolve) => setImmediate(resolve));
        add(playing, -1);
      };
      await run({ steps, faults, deterministic: false, parallel, onRun }, { plans: 8 });
      expect([Math.max(...most), new Set(played.values())]).toEqual([together, new Set([2])]);
    }
  });

  test("a notice does not hide a later fault with its key", async () => {
    const faults = [
      { key: "late", needs: [isType("slow")], notice: true },
      { key: "late", needs: [isType("answer-lost")] },
    ];
    const { findings, notices } = await run({ steps, faults }, { plans: 100 });
    expect(findings.map(({ fault }) => fault.key)).toEqual(["late"]);
    expect(findings[0]!.plan.map(({ type }) => type)).toEqual(["answer-lost"]);
    expect(notices.length).toBeLessThanOrEqual(1);
    const onlyNotice = await run({ steps, faults: [faults[0]!] }, { plans: 100 });
    expect([onlyNotice.findings.length, onlyNotice.notices.length]).toEqual([0, 1]);
  });

  test("what never shows again is a notice", async () => {
    let shown = 0;
    const faults = [{ key: "once", needs: [isType("crash")], isShown: () => shown++ === 0 }];
    const { findings, notices } = await run({ steps, faults, deterministic: false }, { plans: 100 });
    expect(findings).toEqual([]);
    expect(notices.map(({ replayed }) => replayed)).toEqual([{ shown: 0, of: 3 }]);
  });
});

describe("comparisons of operations", () => {
  const comparisons = [
    { name: "same", changed: [0, 1], fresh: [1] },
    { name: "other", changed: [0, 2], fresh: [2] },
    { name: "refused", changed: [0, 3], fresh: [3] },
  ];
  test("report what remembers, and count what the server refuses", async () => {
    const { findings, coverage } = await run({ steps, comparisons, remembers: ["other"], refused: [3] }, { plans: 50 });
    expect(findings).toMatchObject([
      { fault: { key: "remembers other" }, steps: [0, 2], plan: [], replayed: { shown: 3, of: 3 } },
    ]);
    expect(coverage.comparisons).toEqual({ tried: 2, refused: 1, of: 3 });
  });

  test("take no more than half of the plans before others begin", async () => {
    const many = Array.from({ length: 20 }, (_, i) => ({ name: `c${i}`, changed: [0, 1], fresh: [1] }));
    const { coverage } = await run({ steps, comparisons: many }, { plans: 10 });
    expect(coverage.comparisons.tried).toBe(5);
    expect(coverage.types.reduce((sum, { tried }) => sum + tried, 0)).toBe(5);
  });
});

describe("limits", () => {
  test("a budget is overshot by no more than the runs that had begun", async () => {
    let now = 0;
    const settings = { steps, onRun: () => (now += 10), faults: [{ key: "half", needs: [isType("crash")] }] };
    for (const budgetMillis of [0, 5, 25, 45, 55, 65, 95, 205, 1005]) {
      now = 0;
      const { runs, ended } = await run(settings, { clock: { steady: () => now }, budgetMillis });
      expect(runs).toBe(Math.ceil(budgetMillis / 10));
      expect(ended).toBe("budget");
    }
  });

  test("stops at the first fault", async () => {
    const faults = [
      { key: "one", needs: [isType("crash")] },
      { key: "two", needs: [isType("answer-lost")] },
    ];
    const { findings, ended } = await run({ steps, faults }, { stopAtFirst: true });
    expect(findings).toHaveLength(1);
    expect(ended).toBe("first");
  });

  test("a cancelled exploration returns what it has", async () => {
    const controller = new AbortController();
    const { ended, plans } = await run(
      { steps, onRun: (_, n) => n === 10 && controller.abort() },
      { signal: controller.signal },
    );
    expect(ended).toBe("cancelled");
    expect(plans).toBe(8);
  });

  const noProgram = (): never => {
    throw new Error("no such program");
  };

  test("a laboratory that plays no clean run is an error with the order", async () => {
    const failed = await run({ steps, onRun: noProgram }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(LaboratoryError);
    expect((failed as LaboratoryError).message).toMatch(
      /^a run could not be played: no such program; order: \{"seed":\d+,"plan":\[\]/,
    );
  });

  test("a plan that cannot be played is tried once more, then counted, and the others are tried", async () => {
    const tries: Perturbation[] = [];
    const onRun = ({ plan: [one, ...more] }: RunOrder): void => {
      if (one === undefined || more.length > 0 || !isCrash("b")(one)) return;
      tries.push(one);
      noProgram();
    };
    const settings = { steps, onRun, faults: [{ key: "half", needs: [isType("answer-lost")] }] };
    const { findings, coverage, ended, failure } = await run(settings, { only: ["crash", "answer-lost"], plans: 60 });
    expect(tries).toEqual([...new Set(tries)].flatMap((one) => [one, one]));
    expect(coverage.unplayed).toBe(tries.length / 2);
    expect(coverage.sentences.at(-1)).toBe(
      "2 plans could not be played, nor when they were tried again, and prove nothing. The first: op is killed after it created ConfigMap default/b; the response is lost: no such program.",
    );
    expect(findings.map(({ fault }) => fault.key)).toEqual(["half"]);
    expect([ended, failure]).toEqual(["plans", undefined]);
  });

  test("a plan that is played when it is tried again counts as any other", async () => {
    let failed = 0;
    const onRun = ({ plan }: RunOrder): void => {
      if (plan.length > 0 && failed++ === 0) noProgram();
    };
    const { coverage, ended } = await run({ steps, onRun }, { only: ["crash"], plans: 10 });
    expect([coverage.unplayed, ended]).toEqual([0, "plans"]);
    expect(coverage.types.reduce((sum, { tried }) => sum + tried, 0)).toBe(10);
  });

  test("three plans in a row that cannot be played end it, and what was found by then is returned", async () => {
    const faults = [{ key: "half", needs: [isType("crash")] }];
    let isBroken = false;
    const settings = { steps, faults, onRun: () => isBroken && noProgram() };
    const onProgress = (now: Progress): void => {
      isBroken ||= now.plans >= 20;
    };
    const result = await run(settings, { onProgress });
    const { findings, ended, failure, plans, coverage, lab } = result;
    expect(findings.map(({ fault }) => fault.key)).toEqual(["half"]);
    expect([ended, plans, coverage.unplayed]).toEqual(["failed", 23, 3]);
    expect(failure).toBeInstanceOf(LaboratoryError);
    expect(failure!.message).toContain("no such program");
    expect(lab.runs).toBe(result.runs);
  });

  test("a fault is reported as it was found where it cannot be played again", async () => {
    const faults = [{ key: "half", needs: [isCrash("a")] }];
    let isBroken = false;
    const seen = (order: RunOrder): void => {
      if (isBroken) noProgram();
      isBroken = order.plan.some(isCrash("a"));
    };
    // The plan is played, and nothing behind it: neither its control nor the plan again.
    const lost = await run({ steps, faults, onRun: seen }, { plans: 60 });
    expect([lost.ended, lost.findings.length]).toEqual(["failed", 0]);
    let shown = 0;
    const later = ({ plan }: RunOrder): void => {
      if (shown > 1) noProgram();
      if (plan.some(isCrash("a"))) shown++;
    };
    const { findings, ended } = await run({ steps, faults, onRun: later }, { plans: 60 });
    expect(findings.map(({ fault, replayed }) => [fault.key, replayed])).toEqual([["half", { shown: 1, of: 1 }]]);
    expect(ended).toBe("failed");
  });

  test("an error of the judge ends it, and what was found by then is returned", async () => {
    const settings = { steps, faults: [{ key: "half", needs: [isCrash("a")] }] };
    let isBroken = false;
    const judge: MakeJudge = (clean) => {
      const made = fakeJudge()(clean);
      return { ...made, faults: (one) => (isBroken ? noProgram() : made.faults(one)) };
    };
    const onProgress = ({ finding }: Progress): void => {
      if (finding) isBroken = true;
    };
    const { findings, ended, failure } = await explore(new FakeLaboratory(settings), judge, {
      clock,
      origin,
      seed: 1,
      plans: 60,
      onProgress,
    });
    expect(findings.map(({ fault }) => fault.key)).toEqual(["half"]);
    expect([ended, failure?.message]).toEqual(["failed", "no such program"]);
  });

  test("plays as many runs at once as the laboratory can", async () => {
    let [open, most] = [0, 0];
    const onRun = async (): Promise<void> => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      await Promise.resolve();
      open--;
    };
    const { plans } = await run({ steps, onRun, parallel: 4 }, { plans: 101 });
    expect([most, plans]).toEqual([4, 101]);
  });

  test("tells of its progress", async () => {
    const seen: Progress[] = [];
    const faults = [{ key: "half", needs: [isCrash("a")] }];
    await run({ steps, faults }, { plans: 20, onProgress: (progress) => seen.push(progress) });
    const plans = seen.map((progress) => progress.plans);
    expect(plans).toEqual(plans.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ plans: 20, faults: 1, notices: 0 });
    expect(seen.at(-1)!.planned - seen.at(-1)!.left).toBe(20);
    expect(seen.find(({ finding }) => finding)!.finding!.fault.key).toBe("half");
    expect(seen.every(({ combinations }) => combinations === 0)).toBe(true);
    await run({ steps }, { plans: 200, onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ left: 0, combinations: 200 - seen.at(-1)!.planned });
  });
});

test("10,000 plans keep no more memory than 2,000", async () => {
  const heapAt = new Map<number, number>();
  const onProgress = ({ plans }: Progress): void => {
    if (plans !== 2000 && plans !== 10_000) return;
    heapAt.set(plans, bytesInUse());
  };
  const { plans } = await run({ steps }, { plans: 10_000, onProgress });
  expect(plans).toBe(10_000);
  // 8,000 hashes of plans; traces would take a hundred times as much.
  expect(heapAt.get(10_000)! - heapAt.get(2000)!).toBeLessThan(2_000_000);
}, 60_000);
