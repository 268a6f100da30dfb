import { expect, test } from "vitest";
import { makeJudge } from "./index.ts";
import { OPERATOR, operatorRun } from "./testing/operator.ts";

const judge = makeJudge([1, 2, 3].map((seed) => operatorRun(seed).record()));

/** The faults of a run in which the operator updates a Service of the user that it has not seen. */
const kinds = (subresource?: string): readonly string[] =>
  judge
    .faults(
      operatorRun(9, {
        beforeQuiet: (run, step) => {
          if (step !== 1) return;
          const service = run.create("user", { apiVersion: "v1", kind: "Service", metadata: { name: "s" } });
          run.update(
            OPERATOR,
            service,
            { status: { ready: true } },
            { sent: { metadata: { name: "s" } }, ...(subresource !== undefined && { subresource }) },
          );
          run.delete("user", run.get("Service", "s"));
        },
      }).record(),
    )
    .map(({ kind }) => kind);

test("a status that is written to an object which was never seen is put right by the next one", () => {
  expect(kinds()).toEqual(["deleted-unseen"]);
  expect(kinds("scale")).toEqual(["deleted-unseen"]);
  expect(kinds("status")).toEqual([]);
});
