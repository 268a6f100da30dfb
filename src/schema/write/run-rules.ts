/**
 * Rules that may take long: in steps on the event loop, or in a worker thread where a step would take too long.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { StatusCause } from "../../meta/status.ts";
import { JobError } from "../../util/worker-threads.ts";
import { WorkTooLong, withWorkLimit } from "../../util/work-limit.ts";
import type { Steps } from "../../util/steps.ts";
import type { ApiContext } from "../definition.ts";
import { jobFailure } from "./job-failure.ts";

/** The same rules as a job of a worker thread: its module returns the causes. */
export interface RulesJob {
  readonly module: string;
  /** Called only when the job runs. */
  readonly input: () => unknown;
  /** The queue in which the job waits where there are too many: one for each set of rules. */
  readonly sender: object;
}

/** Adds the findings of rules to `errors`; a promise where they continue in a worker thread. */
export function* runRules(
  rules: () => Steps<void>,
  job: RulesJob,
  errors: FieldErrors,
  { threads }: Pick<ApiContext, "threads">,
): Steps<void | Promise<void>> {
  if (!threads) return yield* rules();
  const before = errors.causes.length;
  try {
    return yield* withWorkLimit(rules());
  } catch (error) {
    if (!(error instanceof WorkTooLong)) throw error;
  }
  errors.truncate(before);
  yield;
  const input = job.input();
  const done = threads.run({ what: "the check of the object", module: job.module, input }, job.sender);
  return done.then(
    (causes) => {
      for (const { reason, field = "", message } of causes as readonly StatusCause[])
        errors.add(reason, field, message);
    },
    (error: unknown) => {
      if (!(error instanceof JobError)) throw error;
      if (error.why !== "slow" && error.why !== "large") throw jobFailure(error);
      errors.add("FieldValueInvalid", "<nil>", `Invalid value: null: ${error.message}`);
    },
  );
}
