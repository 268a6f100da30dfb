import { describe, expect, test } from "vitest";
import { FieldErrors } from "../../meta/field-errors.ts";
import { type WorkerThreads, JobError } from "../../util/worker-threads.ts";
import { checkWork } from "../../util/work-limit.ts";
import { type Steps, atOnce } from "../../util/steps.ts";
import { runRules } from "./run-rules.ts";

const besideThat = (run: WorkerThreads["run"]): WorkerThreads => ({ run });

/** Rules that report one error and then need that many units of work. */
const rulesOf = (errors: FieldErrors, units: number) =>
  function* (): Steps<void> {
    errors.invalid("spec.a", 1, "it is found here");
    yield;
    checkWork(units);
    errors.invalid("spec.b", 2, "it is found here, too");
  };

async function outcome(units: number, threads: WorkerThreads | undefined): Promise<(string | undefined)[]> {
  const errors = new FieldErrors();
  errors.required("spec.before");
  const job = { module: "judges.js", input: () => "input", sender: {} };
  await atOnce(runRules(rulesOf(errors, units), job, errors, threads ? { threads } : {}));
  return errors.causes.map(({ field }) => field);
}

describe("rules that may take long", () => {
  const never = besideThat(() => Promise.reject(new Error("expected nobody to ask")));
  const there = besideThat((job) =>
    Promise.resolve([{ reason: "FieldValueInvalid", message: job.what, field: "there" }]),
  );

  test("what is light is done here", async () => {
    expect(await outcome(1, never)).toEqual(["spec.before", "spec.a", "spec.b"]);
  });

  test("what is heavy is done there, from the beginning", async () => {
    expect(await outcome(1e9, there)).toEqual(["spec.before", "there"]);
  });

  test("without worker threads, all of it is done here", async () => {
    expect(await outcome(1e9, undefined)).toEqual(["spec.before", "spec.a", "spec.b"]);
  });

  test.each(["slow", "large"] as const)("what is too %s is a fault of the object", async (why) => {
    const failing = besideThat((job) => Promise.reject(new JobError(why, job.what)));
    expect(await outcome(1e9, failing)).toEqual(["spec.before", "<nil>"]);
  });

  test.each([
    ["crowded", 429],
    ["failed", 503],
    ["closed", 503],
  ] as const)("%s: the client may try again", async (why, code) => {
    const failing = besideThat((job) => Promise.reject(new JobError(why, job.what)));
    await expect(outcome(1e9, failing)).rejects.toMatchObject({ code });
  });
});
