import { describe, expect, test } from "vitest";
import type { Plan } from "../contract/plan.ts";
import { makeJudge } from "./index.ts";
import { SEED, played, keys, inStep } from "./testing/judged.ts";
import { OPERATOR, operatorRun, type Variation } from "./testing/operator.ts";
import type { RecordedRun } from "./testing/recorded-run.ts";

describe("perturbations of the world", () => {
  const lost: Plan = [{ type: "node-lost", step: 0, node: "node-1", forMillis: 60_000 }];
  const nodes = (names: readonly string[], phase = "Running"): Variation =>
    inStep(0, (run) => {
      for (const [i, nodeName] of names.entries())
        run.create("cluster", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: `p${i}` },
          spec: { nodeName },
          status: { phase },
        });
    });
  const withNodes = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, nodes(["node-1", "node-2"])).record()));

  test("a Pod may be on another node where one was lost, and nowhere else", () => {
    const moved = nodes(["node-2", "node-2"], "Pending");
    expect(withNodes.faults(operatorRun(SEED, { ...moved, plan: lost }).record())).toEqual([]);
    expect(withNodes.faults(operatorRun(SEED, moved).record())).not.toEqual([]);
  });

  test("a Pod that is missing is a fault even then", () => {
    const faults = withNodes.faults(operatorRun(SEED, { ...nodes(["node-2"]), plan: lost }).record());
    expect(keys(faults)).toEqual(["missing Pod default/p1"]);
  });

  test("the clock may jump past runs of a CronJob", () => {
    const job = (run: RecordedRun) =>
      run.create("cluster", {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "c-28", ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "c", uid: "u" }] },
      });
    const jump: Plan = [{ type: "clock-jump", step: 0, byMillis: 3_600_000 }];
    expect(played({ ...inStep(1, job), plan: jump })).toEqual([]);
    expect(played(inStep(1, job))).toHaveLength(1);
  });

  test("what remains of a state that a blind program never saw is no leak, unless a program made it", () => {
    const visit = (actor: string, blind: boolean): Variation => ({
      beforeQuiet: (run, step) => {
        const mark = (phase: "begun" | "ended") =>
          blind && run.add({ type: "perturbation", perturbation: 0, phase, detail: "" });
        if (step === 0) {
          mark("begun");
          run.create("user", { apiVersion: "v1", kind: "Service", metadata: { name: "s" } });
          run.create(actor, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "of-s" } });
        } else {
          run.delete("user", run.get("Service", "s"));
          if (!blind) run.delete(OPERATOR, run.get("ConfigMap", "of-s"), { sent: { preconditions: { uid: "u" } } });
          mark("ended");
        }
      },
      plan: blind
        ? [
            {
              type: "gap",
              at: { actor: OPERATOR, group: "", kind: "Service", name: "s", change: "ADDED", occurrence: 0 },
              untilStep: 1,
            },
          ]
        : [],
    });
    const faults = (actor: string) =>
      keys(
        makeJudge([1, 2, 3].map((seed) => operatorRun(seed, visit(actor, false)).record())).faults(
          operatorRun(SEED, visit(actor, true)).record(),
        ),
      );
    expect(faults("user")).toEqual([]);
    expect(faults(OPERATOR)).toEqual(["leaked ConfigMap default/of-s"]);
  });

  test("a program that was blind owes nothing for a state that the user has undone", () => {
    const backAndForth = (blind: boolean, undone: boolean): Variation => ({
      plan: [
        {
          type: "gap",
          at: {
            actor: OPERATOR,
            group: "example.com",
            kind: "Widget",
            namespace: "default",
            name: "a",
            change: "MODIFIED",
            occurrence: 0,
          },
        },
      ],
      beforeQuiet: (run, step) => {
        if (step === 0) {
          if (blind) run.add({ type: "perturbation", perturbation: 0, phase: "begun", detail: "" });
          run.update("user", run.get("Widget", "a"), { spec: { size: 2, colour: "green" } });
          if (!blind) run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-green" } });
        }
        if (step === 1) {
          if (!undone) run.update("user", run.get("Widget", "a"), { spec: { size: 2, colour: "green" } });
          if (blind) run.add({ type: "perturbation", perturbation: 0, phase: "ended", detail: "" });
        }
      },
    });
    const same = (undone: boolean) =>
      makeJudge([1, 2, 3].map((seed) => operatorRun(seed, { ...backAndForth(false, undone), plan: [] }).record()));
    expect(same(true).faults(operatorRun(SEED, backAndForth(true, true)).record())).toEqual([]);
    expect(keys(same(false).faults(operatorRun(SEED, backAndForth(true, false)).record()))).toEqual([
      "missing ConfigMap default/a-green",
    ]);
  });
});
