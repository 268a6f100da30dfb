import { describe, expect, test } from "vitest";
import type { RunRecord } from "../contract/laboratory.ts";
import { makeJudge } from "./index.ts";
import { judge, SEED, played, keys, insteadOf, inStep } from "./testing/judged.ts";
import { OPERATOR, operatorRun, type Variation } from "./testing/operator.ts";
import { RecordedRun } from "./testing/recorded-run.ts";

test("runs with other seeds are alike, and clean runs show nothing", () => {
  for (const seed of [4, 5, 6, 7, 8, 9]) expect(judge.faults(operatorRun(seed).record())).toEqual([]);
  expect(judge.cleanFaults()).toEqual([]);
});

describe("states", () => {
  test("a missing object is one fault, with what follows from it", () => {
    const variation = insteadOf("ConfigMap", () => undefined);
    const [fault, ...others] = judge.faults(
      operatorRun(SEED, {
        ...variation,
        ...inStep(1, (run) => run.update(OPERATOR, run.get("Widget", "a"), { status: {} }, { subresource: "status" })),
      }).record(),
    );
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      kind: "missing",
      key: "missing ConfigMap default/a-config",
      object: { group: "", kind: "ConfigMap", namespace: "default", name: "a-config" },
      step: 0,
      severity: "fault",
      expected: expect.stringContaining("name: a-config"),
      found: expect.stringMatching(/^nothing\nalso stale-status Widget\.example\.com default\/a/),
    });
  });

  test("one of several with generated names is missing, or too many", () => {
    let pods = 0;
    expect(keys(played(insteadOf("Pod", (_, usual) => (pods++ === 0 ? undefined : usual()))))).toEqual([
      "missing Pod default/a-*",
    ]);
    expect(keys(played(insteadOf("Pod", (run, usual) => (usual(), run.all("Pod").length === 1 && usual()))))).toEqual([
      "leaked Pod default/a-*",
    ]);
  });

  test("the same for two objects that do not belong together is one fault", () => {
    const leak =
      (...names: readonly string[]) =>
      (run: RecordedRun) => {
        for (const name of names) run.create(OPERATOR, { apiVersion: "v1", kind: "Service", metadata: { name } });
      };
    expect(played(inStep(0, leak("y", "z")))).toMatchObject([
      { key: "leaked Service default/y", found: expect.stringContaining("also leaked Service default/z") },
    ]);
  });

  test("an object that clean runs lack is leaked", () => {
    const leak = (run: RecordedRun) =>
      run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-old" }, data: {} });
    expect(played(inStep(0, leak))).toMatchObject([
      { key: "leaked ConfigMap default/a-old", found: expect.stringContaining("name: a-old"), expected: "nothing" },
    ]);
  });

  test("an object that remains in deletion is stuck, and its finalizer is named", () => {
    const stuck = (run: RecordedRun) =>
      run.update("user", run.get("Secret", "a-cert"), { metadata: { deletionTimestamp: run.time() } });
    expect(played(inStep(1, stuck))).toMatchObject([
      {
        key: "stuck-in-deletion Secret default/a-cert",
        sentence: expect.stringContaining("no program removes the finalizer x.io/a and x.io/b"),
      },
    ]);
  });

  test("a member differs, whatever is random beside it", () => {
    const change = (run: RecordedRun) =>
      run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { key: "another", fixed: "no" } });
    expect(played(inStep(1, change))).toMatchObject([
      { key: "differs Secret default/a-cert .data.fixed", expected: '"yes"', found: '"no"', step: 1 },
    ]);
  });

  test("a status that is behind is stale", () => {
    const behind = (run: RecordedRun) => {
      const status = run.get("Widget", "a")["status"] as object;
      run.update(
        OPERATOR,
        run.get("Widget", "a"),
        { status: { ...status, observedGeneration: 1 } },
        { subresource: "status" },
      );
    };
    expect(played(inStep(1, behind))).toMatchObject([
      {
        key: "stale-status Widget.example.com default/a .status.observedGeneration",
        expected: '"current"',
        found: '"behind by 1"',
      },
    ]);
  });

  test("a list of items without keys differs as one member", () => {
    const pods = (known: readonly string[]) => (run: RecordedRun) => {
      const { status } = run.get("Widget", "a") as unknown as { status: object };
      run.update(OPERATOR, run.get("Widget", "a"), { status: { ...status, known } }, { subresource: "status" });
    };
    const known = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(1, pods(["x", "y"]))).record()));
    const faults = (names: readonly string[]) => known.faults(operatorRun(SEED, inStep(1, pods(names))).record());
    const key = "stale-status Widget.example.com default/a .status.known";
    expect(faults([])).toMatchObject([{ key, expected: '["x", "y"]', found: "[]" }]);
    expect(faults(["x"])).toMatchObject([{ key, found: '["x"]' }]);
    expect(faults(["x", "y", "z"])).toMatchObject([{ key, found: '["x", "y", "z"]' }]);
  });

  test("what neither a program nor the user has decided is a notice, and follows from a fault beside it", () => {
    const bind = (actor: string, ...nodes: readonly string[]) =>
      inStep(0, (run) => {
        for (const [i, pod] of run.all("Pod").entries())
          run.update(actor, pod, { spec: { ...(pod["spec"] as object), nodeName: nodes[i] } });
      });
    const bound = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, bind("cluster", "n-1", "n-2")).record()));
    const faults = (variation: Variation) => bound.faults(operatorRun(SEED, variation).record());
    expect(faults(bind("cluster", "n-1", "n-2"))).toEqual([]);
    expect(keys(faults(bind("cluster", "n-2", "n-1")))).toEqual(["notice: differs Pod default/a-* .spec.nodeName"]);
    // Where the program has decided it, here or there, it is its fault.
    expect(keys(faults(bind(OPERATOR, "n-3", "n-2")))).toEqual(["differs Pod default/a-* .spec.nodeName"]);
    const [fault, ...others] = faults({
      ...bind("cluster", "n-2", "n-1"),
      ...insteadOf("ConfigMap", () => undefined),
    });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({
      key: "missing ConfigMap default/a-config",
      found: expect.stringContaining("also differs Pod default/a-* .spec.nodeName"),
    });
    // Of several members the one that a program has decided is named.
    const both = (run: RecordedRun) => {
      for (const [i, pod] of run.all("Pod").entries()) {
        run.update("cluster", pod, { spec: { ...(pod["spec"] as object), nodeName: `n-${2 - i}` } });
        run.update(OPERATOR, pod, { metadata: { labels: { app: "b" } } });
      }
    };
    expect(faults(inStep(0, both))).toMatchObject([
      {
        key: "differs Pod default/a-* .metadata.labels.app",
        severity: "fault",
        found: expect.stringContaining(".spec.nodeName"),
      },
    ]);
  });
});

test("a run with a shorter quiet is judged by what clean runs were like then", () => {
  const HOUR = 3_600_000;
  /** A Secret that goes an hour after the last step, if the quiet lasts so long. */
  const run = (seed: number, quietMillis: number, name = "a"): RunRecord => {
    const recorded = new RecordedRun(seed);
    recorded.begin();
    recorded.create("user", { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" } });
    recorded.quiet();
    recorded.begin("the quiet at the end");
    const isLong = quietMillis > HOUR;
    if (isLong) {
      recorded.pass(HOUR);
      recorded.delete(OPERATOR, recorded.get("Secret", name));
    }
    recorded.quiet(isLong ? quietMillis - HOUR : quietMillis);
    return recorded.record();
  };
  const ages = makeJudge([1, 2].map((seed) => run(seed, 24 * HOUR)));
  expect(keys(ages.faults(run(SEED, HOUR / 6)))).toEqual([]);
  expect(keys(ages.faults(run(SEED, HOUR / 6, "b")))).toContain("missing Secret default/a");
});
