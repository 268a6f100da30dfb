import { describe, expect, test } from "vitest";
import { judge, SEED, insteadOf, inStep, crashAfter } from "./testing/judged.ts";
import { OPERATOR, operatorRun } from "./testing/operator.ts";

describe("two orders of operations", () => {
  const comparison = { name: ".spec.size set to 3, then unset", changed: [0, 1], fresh: [2] };

  test("the end must be the same; generations and histories may differ", () => {
    const fresh = operatorRun(4).record();
    const more = inStep(1, (run) => {
      const { spec } = run.get("Widget", "a") as unknown as { spec: object };
      run.update("user", run.get("Widget", "a"), { spec });
      const { status } = run.get("Widget", "a") as unknown as { status: object };
      run.update(OPERATOR, run.get("Widget", "a"), { status: { ...status, observedGeneration: 3 } });
      run.create("cluster", {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "old" },
        spec: { replicas: 0 },
      });
    });
    expect(judge.compare(fresh, operatorRun(5, more).record(), comparison)).toEqual([]);
    const leftover = inStep(1, (run) =>
      run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { key: "x", fixed: "old" } }),
    );
    expect(judge.compare(fresh, operatorRun(5, leftover).record(), comparison)).toMatchObject([
      {
        kind: "remembers",
        key: "remembers Secret default/a-cert .data.fixed",
        sentence:
          'After the operation ".spec.size set to 3, then unset", .data.fixed of Secret default/a-cert is "old" instead of "yes": the result depends on what the object was before.',
      },
    ]);
  });

  test("a step that is refused compares nothing", () => {
    const refused = operatorRun(5, {
      ...insteadOf("ConfigMap", () => undefined),
      ...inStep(1, (run) => void run.complaints.push({ type: "step-failed", step: 1, detail: "" })),
    });
    expect(judge.compare(operatorRun(4).record(), refused.record(), comparison)).toEqual([]);
  });
});

describe("sentences", () => {
  test("a crash between two writes, after which the first one is taken for the whole", () => {
    const run = operatorRun(SEED, {
      plan: crashAfter("Secret", "a-cert"),
      make: (it, sent, usual) => {
        if (sent.kind === "Secret") {
          const secret = it.create(OPERATOR, sent, { lost: true, perturbation: 0 });
          it.life(OPERATOR, 0, "killed");
          it.life(OPERATOR, 1, "started");
          it.deliver(OPERATOR, secret, "ADDED", 1);
        } else if (sent.kind !== "ConfigMap") usual();
      },
    });
    expect(judge.faults(run.record())).toMatchObject([
      {
        sentence:
          "After operator was killed between its create of Secret default/a-cert and its create of ConfigMap default/a-config, " +
          "operator never made ConfigMap default/a-config: it takes the existence of Secret default/a-cert for the work being done.",
      },
    ]);
  });

  test("a lost response of a create with a generated name", () => {
    let first = true;
    const run = operatorRun(SEED, {
      plan: [
        {
          type: "answer-lost",
          at: {
            actor: OPERATOR,
            protocol: "api",
            verb: "create",
            group: "",
            kind: "Pod",
            namespace: "default",
            name: "a-*",
            occurrence: 0,
          },
        },
      ],
      make: (it, sent, usual) => {
        if (sent.kind === "Pod" && first) it.create(OPERATOR, sent, { lost: true, perturbation: 0 });
        if (sent.kind === "Pod") first = false;
        usual();
      },
    });
    expect(judge.faults(run.record())).toMatchObject([
      {
        kind: "leaked",
        sentence:
          "After the response to the create of Pod default/a-* by operator was lost, operator made one Pod default/a-* too many, " +
          "and no program removes it: it does not look for what its first create made, and makes another one.",
      },
    ]);
  });

  test("nothing is guessed where the trace does not show why", () => {
    const run = operatorRun(SEED, {
      plan: crashAfter("Pod", "a-*"),
      ...inStep(1, (it) => it.update("cluster", it.get("ConfigMap", "a-config"), { data: {} })),
    });
    expect(judge.faults(run.record())[0]!.sentence).toMatch(
      /^After operator was killed .*, \.data.* of ConfigMap default\/a-config is .* instead of .*[^:]*\.$/,
    );
  });
});
