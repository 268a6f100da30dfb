import { describe, expect, test } from "vitest";
import { Mask } from "./expected.ts";
import type { Flat } from "./flat.ts";
import { makeJudge } from "./index.ts";
import { clean, SEED, played, keys, insteadOf, inStep } from "./testing/judged.ts";
import { OPERATOR, operatorRun, type Variation } from "./testing/operator.ts";
import type { RecordedRun } from "./testing/recorded-run.ts";

describe("what is expected", () => {
  test("what is ignored is not judged", () => {
    const variation = inStep(1, (run) => {
      run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { key: "1", fixed: "no" } });
      run.create(OPERATOR, { apiVersion: "v1", kind: "Service", metadata: { name: "z" } });
    });
    const lenient = makeJudge(clean, [
      { kind: { group: "", kind: "Secret" }, path: ".data" },
      { kind: { group: "", kind: "Service" } },
    ]);
    expect(lenient.faults(operatorRun(SEED, variation).record())).toEqual([]);
    expect(played(variation)).toHaveLength(2);
  });

  test("what is put right after a later step is a notice; what is never put right before it is not expected any more, a fault", () => {
    const tardy = (wait: number): Variation => ({
      beforeQuiet: (run, step) => {
        const data = run.get("Secret", "a-cert")["data"] as object;
        if (step === 0) run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { ...data, fixed: "not yet" } });
        if (step === 1) run.pass(wait);
        if (step === 1) run.update(OPERATOR, run.get("Secret", "a-cert"), { data: { ...data, fixed: "yes" } });
      },
    });
    expect(keys(played(tardy(200_000)))).toEqual(["notice: differs Secret default/a-cert .data.fixed"]);
    // At once when the user changes something.
    expect(keys(played(tardy(0)))).toEqual(["differs Secret default/a-cert .data.fixed"]);
    // A program of another process responds at once within seconds, however short a step is.
    const short = { ...tardy(1000), pauseMillis: 1500 };
    expect(keys(played(short))).toEqual(["differs Secret default/a-cert .data.fixed"]);
    const removed = (step: number, run: RecordedRun) =>
      step === 1 && run.all("ConfigMap").length > 0 ? run.delete("user", run.get("ConfigMap", "a-config")) : undefined;
    const brief = makeJudge(
      [1, 2, 3].map((seed) => operatorRun(seed, { beforeQuiet: (run, step) => removed(step, run) }).record()),
    );
    const never = {
      ...insteadOf("ConfigMap", () => undefined),
      beforeQuiet: (run: RecordedRun, step: number) => removed(step, run),
    };
    expect(keys(brief.faults(operatorRun(SEED, never).record()))).toEqual(["missing ConfigMap default/a-config"]);
    // A program that was down in the time of the step owes nothing yet.
    const down: Variation = {
      ...never,
      make: (run, sent, usual) => (sent.kind === "ConfigMap" ? run.life(OPERATOR, 0, "killed") : usual()),
      beforeQuiet: (run, step) => {
        if (step === 1) run.life(OPERATOR, 1, "started");
        removed(step, run);
      },
    };
    expect(brief.faults(operatorRun(SEED, down).record())).toEqual([]);
  });

  test("objects that only some clean runs have are masked, and nothing beside them", () => {
    const sometimes = (run: RecordedRun) =>
      run.create(OPERATOR, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a-lock" }, data: { n: "1" } });
    const mixed = makeJudge(
      [operatorRun(1, inStep(0, sometimes)), operatorRun(2), operatorRun(3)].map((run) => run.record()),
    );
    expect(mixed.faults(operatorRun(SEED).record())).toEqual([]);
    expect(mixed.faults(operatorRun(SEED, inStep(0, sometimes)).record())).toEqual([]);
    expect(
      mixed.faults(
        operatorRun(
          SEED,
          insteadOf("ConfigMap", () => undefined),
        ).record(),
      ),
    ).toHaveLength(1);
  });

  test("names that a program draws by itself are the same object in all runs", () => {
    const random = (count: number) => (run: RecordedRun) => {
      for (let i = 0; i < count; i++)
        run.create(OPERATOR, {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: `a-${run.suffix()}` },
          spec: { i },
        });
    };
    const drawn = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, inStep(0, random(2))).record()));
    expect(drawn.faults(operatorRun(SEED, inStep(0, random(2))).record())).toEqual([]);
    expect(keys(drawn.faults(operatorRun(SEED, inStep(0, random(3))).record()))).toEqual([
      "leaked Service default/a-*",
    ]);
  });
});

const flat = (members: Readonly<Record<string, string>>): Flat => new Map(Object.entries(members));
const maskOf = (...forms: readonly Readonly<Record<string, string>>[]): Mask => {
  const mask = new Mask();
  const [first, ...others] = forms.map(flat);
  for (const form of [first!, ...others]) mask.know(form);
  for (const other of others) mask.add(first!, other);
  return mask;
};

describe("a mask", () => {
  test("has the members that differ between clean runs, and no others", () => {
    const mask = maskOf({ ".data.key": "a", ".data.fixed": "x" }, { ".data.key": "b", ".data.fixed": "x" });
    expect([".data.key", ".data.fixed", ".data.new"].map((path) => mask.isJudged(path))).toEqual([false, true, true]);
  });

  test("has the whole of a list without keys whose length differs, and of one that is as long only the item", () => {
    const longer = maskOf({ ".spec.args[0]": "a" }, { ".spec.args[0]": "a", ".spec.args[1]": "b" });
    const paths = [".spec.args[0]", ".spec.args[1]", ".spec.args[2].name", ".spec.argsFrom"];
    expect(paths.map((path) => longer.isJudged(path))).toEqual([false, false, false, true]);
    const asLong = maskOf(
      { ".spec.args[0]": "a", ".spec.args[1]": "b" },
      { ".spec.args[0]": "a", ".spec.args[1]": "c" },
    );
    expect(paths.map((path) => asLong.isJudged(path))).toEqual([true, false, true, true]);
  });

  test("has all keys of a map whose keys are drawn, but those that each clean run has", () => {
    const drawn = maskOf({ ".data.fixed": "x", ".data.k1": "x" }, { ".data.fixed": "x", ".data.k2": "x" });
    expect([".data.k3", ".data.fixed", ".other"].map((path) => drawn.isJudged(path))).toEqual([false, true, true]);
    const added = maskOf({ ".data.fixed": "x" }, { ".data.fixed": "x", ".data.k2": "x" });
    expect(added.isJudged(".data.k3")).toBe(true);
  });
});
