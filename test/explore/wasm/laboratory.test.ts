import { expect, test } from "vitest";
import type { RunRecord } from "../../../src/explore/contract/laboratory.ts";
import type { Perturbation } from "../../../src/explore/contract/plan.ts";
import { InProcessLaboratory } from "../../../src/testing/explore/laboratory.ts";
import type { Scenario } from "../../../src/testing/explore/scenario.ts";
import { goProgram } from "../../../src/testing/explore/wasm/program.ts";
import { builtOperator } from "./operator.ts";

const file = await builtOperator();

const SCENARIO: Scenario = {
  name: "a password is wanted, and no longer",
  steps: [
    {
      name: "wanted",
      create: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", namespace: "default", labels: { password: "wanted" } },
      },
    },
    { name: "no longer", delete: { apiVersion: "v1", kind: "ConfigMap", name: "a" } },
  ],
  quiet: "2h",
};

/** It is killed right after its Secret was stored. */
const crashOf = (name: string): Perturbation => ({
  type: "crash",
  at: {
    actor: "operator",
    protocol: "api",
    verb: "create",
    group: "",
    kind: "Secret",
    namespace: "default",
    name,
    occurrence: 0,
  },
  when: "after",
  downMillis: 10_000,
});

const kindsAfter = ({ states }: RunRecord, step: number): readonly string[] =>
  states.find((one) => one.step === step)!.state.objects.map(({ kind }) => kind);

test.skipIf(file === undefined)(
  "a laboratory plays a program of Go alike each time, and a crash between its writes shows",
  { timeout: 300_000 },
  async () => {
    const programs = { operator: await goProgram({ file: file! }) };
    await using laboratory = await InProcessLaboratory.of(SCENARIO, programs);
    const first = await laboratory.run({ seed: 1, plan: [] });
    const second = await laboratory.run({ seed: 1, plan: [] });
    expect(JSON.stringify(second.trace)).toBe(JSON.stringify(first.trace));
    expect(first.complaints).toEqual([]);
    expect([0, 1].map((step) => kindsAfter(first, step))).toEqual([["ConfigMap", "Secret"], []]);
    const writes = first.trace.filter(
      (entry) => entry.type === "request" && entry.changed && entry.actor === "operator",
    );
    expect(
      writes.map((entry) => entry.type === "request" && [entry.verb, entry.object.kind, entry.revision !== undefined]),
    ).toEqual([
      ["create", "Secret", true],
      ["patch", "ConfigMap", true],
      ["patch", "ConfigMap", true],
    ]);
    const crashed = await laboratory.run({ seed: 1, plan: [crashOf("a-*")] });
    expect(crashed.met).toEqual([true]);
    expect(kindsAfter(crashed, 0)).toEqual(["ConfigMap", "Secret", "Secret"]);
  },
);

test.skipIf(file === undefined)(
  "its mended twin has one Secret after the same crash",
  { timeout: 300_000 },
  async () => {
    const programs = { operator: await goProgram({ file: file!, args: ["--mended"] }) };
    await using laboratory = await InProcessLaboratory.of(SCENARIO, programs);
    const crashed = await laboratory.run({ seed: 1, plan: [crashOf("a")] });
    expect(crashed.met).toEqual([true]);
    expect(kindsAfter(crashed, 0)).toEqual(["ConfigMap", "Secret"]);
  },
);
