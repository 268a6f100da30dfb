import { expect, test } from "vitest";
import { makeJudge } from "./index.ts";
import { operatorRun } from "./testing/operator.ts";
import type { RecordedRun } from "./testing/recorded-run.ts";

const end = (act: (run: RecordedRun) => void) => ({
  beforeQuiet: (run: RecordedRun, step: number) => (step === 1 ? act(run) : undefined),
});

test("an object that is deleted in clean runs is stuck where its deletion has begun, and leaked where it has not", () => {
  const gone = end((run) => run.delete("user", run.get("ConfigMap", "a-config")));
  const judge = makeJudge([1, 2, 3].map((seed) => operatorRun(seed, gone).record()));
  const keysOf = (act: (run: RecordedRun) => void): readonly string[] =>
    judge.faults(operatorRun(9, end(act)).record()).map(({ key }) => key);
  const marked = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x.io/c"] } };
  expect(keysOf((run) => run.update("user", run.get("ConfigMap", "a-config"), marked))).toEqual([
    "stuck-in-deletion ConfigMap default/a-config",
  ]);
  expect(keysOf(() => {})).toEqual(["leaked ConfigMap default/a-config"]);
});
