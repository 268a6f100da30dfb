import { describe, expect, test } from "vitest";
import { type ExploreResult, explore, goProgram } from "../../../src/testing/index.ts";
import { builtOperator } from "./operator.ts";

const file = await builtOperator();

/** Explores crashes of the operator while a password is wanted. */
async function exploreCrashes(...args: readonly string[]): Promise<ExploreResult> {
  const metadata = { name: "a", namespace: "default", labels: { password: "wanted" } };
  const wanted = { name: "wanted", create: { apiVersion: "v1", kind: "ConfigMap", metadata } };
  return explore(
    { name: "a password is wanted", steps: [wanted], quiet: "1h" },
    { programs: { operator: await goProgram({ file: file!, args }) }, only: ["crash"], plans: 9 },
  );
}

describe.skipIf(file === undefined)("exploring a manager of controller-runtime", { timeout: 600_000 }, () => {
  test("a crash between its two writes leaves a Secret that is not known", async () => {
    const { findings } = await exploreCrashes();
    const secrets = findings.filter(({ fault }) => fault.object?.kind === "Secret");
    expect(secrets.map(({ plan }) => plan.map(({ type }) => type))).toEqual([["crash"]]);
    expect(secrets[0]!.replayed).toEqual({ shown: 3, of: 3 });
  });

  test("its mended twin is not accused", async () => {
    const result = await exploreCrashes("--mended");
    expect(result.text).toContain("crash");
    expect(result.findings).toEqual([]);
  });
});
