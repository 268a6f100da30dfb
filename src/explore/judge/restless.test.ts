import { expect, test } from "vitest";
import { makeJudge } from "./index.ts";
import { OPERATOR, operatorRun } from "./testing/operator.ts";

const judge = makeJudge([1, 2, 3].map((seed) => operatorRun(seed).record()));

/** The faults of a run in whose quiet one member gets some values. */
const kinds = (...values: readonly string[]): readonly string[] =>
  judge
    .faults(
      operatorRun(9, {
        inQuiet: (run) => {
          for (const at of values) {
            run.pass(60_000);
            const config = run.get("ConfigMap", "a-config");
            run.update(OPERATOR, config, { data: { ...(config["data"] as object), at } });
            run.restlessWrites++;
          }
        },
      }).record(),
    )
    .map(({ kind }) => kind)
    .filter((kind) => kind === "restless" || kind === "fight");

test("a value that comes back once was corrected; one that comes back again and again is fought over", () => {
  expect(kinds("x", "y", "x")).toEqual(["restless"]);
  expect(kinds("x", "y", "x", "y")).toEqual(["fight"]);
  expect(kinds("x", "y", "z", "x", "y", "z")).toEqual(["restless"]);
});
