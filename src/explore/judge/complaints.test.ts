import { describe, expect, test } from "vitest";
import { makeJudge } from "./index.ts";
import { SEED, played, keys, insteadOf, inStep } from "./testing/judged.ts";
import { OPERATOR, operatorRun, type Variation } from "./testing/operator.ts";
import type { RecordedRun, Sent } from "./testing/recorded-run.ts";

describe("what a run says itself", () => {
  const complain = (...complaints: RecordedRun["complaints"]): Variation =>
    inStep(1, (run) => void run.complaints.push(...complaints));

  test("complaints are faults", () => {
    expect(
      keys(
        played(
          complain(
            { type: "failed", actor: OPERATOR, step: 1, detail: "no such key 17" },
            { type: "always", rule: "one leader", seq: 3, detail: "" },
            { type: "eventually", rule: "ready", step: 2, detail: "" },
            { type: "step-failed", step: 1, detail: "refused" },
            { type: "leaked", object: { group: "csi", kind: "Volume", name: "v" }, detail: "" },
            { type: "deleted-in-use", object: { group: "csi", kind: "Volume", name: "w" }, detail: "" },
          ),
        ),
      ).toSorted(),
    ).toEqual([
      "always one leader",
      "data-lost Volume w in use",
      "eventually ready",
      "failed operator no such key #",
      "leaked Volume v",
      "step-failed step 1",
    ]);
  });

  test("a rule is judged as states are: nothing is owed by a program that is down, and what the quiet puts right is a notice", () => {
    const broken = (...steps: number[]): RecordedRun["complaints"] =>
      steps.map((step) => ({ type: "eventually", rule: "ready", step, detail: "" }));
    const judged = (complaints: RecordedRun["complaints"], down: readonly number[] = []) =>
      played({
        beforeQuiet: (run, step) => {
          if (step === 1) run.complaints.push(...complaints);
          if (down.includes(step)) run.life(OPERATOR, 0, "killed");
          else if (down.includes(step - 1)) run.life(OPERATOR, 1, "started");
        },
      }).map(({ key, severity, until }) => [key, severity, until]);
    expect(judged(broken(0))).toEqual([["eventually ready", "fault", 0]]);
    expect(judged(broken(0), [0])).toEqual([]);
    // It is up again, and still does not do it.
    expect(judged(broken(0, 1), [0])).toEqual([["eventually ready", "notice", undefined]]);
    expect(judged(broken(1))).toEqual([["eventually ready", "notice", undefined]]);
    expect(judged(broken(0, 1, 2))).toEqual([["eventually ready", "fault", undefined]]);
    expect(judged(broken(2))).toEqual([["eventually ready", "fault", undefined]]);
  });

  test("a step that is refused while a program is down, or blind, is one that the user would not have done yet", () => {
    const refused = (isDown: boolean): Variation => ({
      make: (run, sent, usual) => {
        if (sent.kind !== "ConfigMap") return usual();
        if (isDown) run.life(OPERATOR, 0, "killed");
      },
      beforeQuiet: (run, step) => {
        if (step === 0) return;
        run.complaints.push({ type: "step-failed", step: 1, detail: "refused" });
        if (isDown) run.life(OPERATOR, 1, "started");
      },
    });
    expect(keys(played(refused(false)))).toEqual(["step-failed step 1", "missing ConfigMap default/a-config"]);
    expect(played(refused(true))).toEqual([]);
    const backInTime: Variation = {
      pauseMillis: 0,
      make: (run, sent, usual) => {
        usual();
        if (sent.kind === "ConfigMap") run.life(OPERATOR, 0, "killed");
      },
      beforeQuiet: (run, step) => {
        if (step === 0) run.life(OPERATOR, 1, "started");
        else run.complaints.push({ type: "step-failed", step: 1, detail: "refused" });
      },
    };
    // It is up again at the moment at which the step begins.
    expect(played(backInTime)).toEqual([]);
    // What went wrong before is judged, all the same.
    const before = { ...refused(true), make: refused(false).make! };
    expect(
      keys(
        played({
          ...before,
          beforeQuiet: (run, step) => {
            if (step === 0) return void run.complaints.push({ type: "always", rule: "one leader", seq: 1, detail: "" });
            before.beforeQuiet!(run, step);
          },
        }),
      ),
    ).toContain("always one leader");
  });

  test("a step that is refused before a program has sent again what the plan refused is one that the user would not have done yet", () => {
    const refusal = {
      actor: OPERATOR,
      protocol: "api",
      verb: "create",
      group: "",
      kind: "ConfigMap",
      name: "a-config",
    } as const;
    const plan = [
      { type: "refused", with: "internal-error", times: 1, at: { ...refusal, namespace: "default", occurrence: 0 } },
    ] as const;
    const refused = (isSentAgain: boolean): Variation => {
      let wanted: Sent;
      return {
        plan,
        make: (run, sent, usual) => {
          if (sent.kind !== "ConfigMap") return usual();
          wanted = sent;
          const object = { group: "", kind: "ConfigMap", namespace: "default", name: "a-config" };
          const request = {
            type: "request",
            actor: OPERATOR,
            life: 0,
            protocol: "api",
            verb: "create",
            object,
          } as const;
          run.add({ ...request, code: 500, changed: false, perturbation: 0 });
        },
        beforeQuiet: (run, step) => {
          if (step === 0) return;
          run.complaints.push({ type: "step-failed", step: 1, detail: "refused" });
          if (isSentAgain) run.create(OPERATOR, wanted);
        },
      };
    };
    expect(played(refused(true))).toEqual([]);
    // One that gives up is waited for in vain.
    expect(keys(played(refused(false)))).toEqual(["step-failed step 1", "missing ConfigMap default/a-config"]);
  });

  test("a complaint of a clean run is a finding of the clean run alone", () => {
    const failed = complain({ type: "failed", actor: OPERATOR, step: 1, detail: "no such key 1" });
    const failing = makeJudge([operatorRun(1, failed), operatorRun(2), operatorRun(3)].map((run) => run.record()));
    expect(keys(failing.cleanFaults())).toEqual(["failed operator no such key #"]);
    const again = complain({ type: "failed", actor: OPERATOR, step: 1, detail: "no such key 2" });
    expect(failing.faults(operatorRun(SEED, again).record())).toEqual([]);
  });

  test("a program that ends again and again is the root of what is missing", () => {
    const variation = {
      ...insteadOf("ConfigMap", () => undefined),
      ...complain({ type: "crash-loop", actor: OPERATOR, step: 0, detail: "TypeError: x" }),
    };
    expect(played(variation)).toMatchObject([
      { kind: "crash-loop", found: expect.stringContaining("also missing ConfigMap") },
    ]);
  });

  test("a run that never comes to rest is a fault, but a notice while watches are held until it does", () => {
    const unsettled = (held: boolean): Variation => ({
      plan: [
        {
          type: "lag",
          at: { actor: OPERATOR, group: "", kind: "Secret", name: "a-cert", change: "ADDED", occurrence: 0 },
        },
      ],
      make: (_, sent, usual) => (sent.kind === "ConfigMap" ? undefined : usual()),
      beforeQuiet: (run, step) => {
        if (step !== 1) return;
        if (held) run.add({ type: "perturbation", perturbation: 0, phase: "begun", detail: "" });
        run.complaints.push({ type: "unsettled", step, detail: "100 reconciles" });
      },
    });
    expect(keys(played(unsettled(false)))).toEqual(["unsettled"]);
    expect(keys(played(unsettled(true)))).toEqual(["notice: unsettled"]);
  });

  test("what a driver has is compared by the names that were asked for", () => {
    const volumes = (data: string, ...more: string[]) =>
      inStep(1, (run) => {
        run.driver = ["pvc-1", ...more].map((name) => ({ kind: "Volume", id: run.suffix(), name, data }));
      });
    const driven = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, volumes("d1")).record()));
    expect(driven.faults(operatorRun(SEED, volumes("d1")).record())).toEqual([]);
    expect(keys(driven.faults(operatorRun(SEED, volumes("d1", "pvc-2")).record()))).toEqual(["leaked Volume pvc-2"]);
    expect(keys(driven.faults(operatorRun(SEED, volumes("d2")).record()))).toEqual(["data-lost Volume pvc-1 .data"]);
  });
});
