import { describe, expect, test } from "vitest";
import type { StoredObject } from "../contract/state.ts";
import { makeJudge } from "./index.ts";
import { SEED, keys } from "./testing/judged.ts";
import { OPERATOR } from "./testing/operator.ts";
import type { RunRecord } from "../contract/laboratory.ts";
import type { TraceEntry } from "../contract/trace.ts";

describe("objects that were there before the scenario, which runs leave out while they are unchanged", () => {
  const stored = (size: string, revision: string): StoredObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "a",
      namespace: "default",
      uid: "5e1f1d34-0000-4000-8000-000000000000",
      resourceVersion: revision,
    },
    data: { size },
  });
  const run = (seed: number, after: StoredObject | undefined): RunRecord => {
    const object = { group: "", kind: "ConfigMap", namespace: "default", name: "a" };
    const before = stored("1", "1");
    const changes: Unplaced[] = after
      ? [
          {
            type: "change",
            actor: OPERATOR,
            revision: 2,
            change: "updated",
            object,
            uid: after.metadata.uid,
            before,
            after,
          },
        ]
      : [];
    const entries: Unplaced[] = [
      { type: "step", step: 0, name: "s", phase: "begun" },
      ...changes,
      { type: "step", step: 0, name: "s", phase: "quiet" },
    ];
    return {
      order: { seed, plan: [] },
      trace: entries.map((entry, seq) => ({ ...entry, seq, at: 0 }) as TraceEntry),
      states: [{ step: 0, state: { objects: after ? [after] : [] } }],
      complaints: [],
      met: [],
      restlessWrites: 0,
    };
  };
  type Unplaced = TraceEntry extends infer E ? (E extends TraceEntry ? Omit<E, "seq" | "at"> : never) : never;

  test("one that is not changed as in clean runs differs, and is not missing", () => {
    const changes = makeJudge([1, 2].map((seed) => run(seed, stored("2", "2"))));
    expect(keys(changes.faults(run(SEED, undefined)))).toEqual(["differs ConfigMap default/a .data.size"]);
  });

  test("one that is changed beside clean runs differs, and has not leaked; one that is changed back does not", () => {
    const leaves = makeJudge([1, 2].map((seed) => run(seed, undefined)));
    expect(keys(leaves.faults(run(SEED, stored("3", "4"))))).toEqual(["differs ConfigMap default/a .data.size"]);
    expect(keys(leaves.faults(run(SEED, stored("1", "4"))))).toEqual([]);
  });
});
