/**
 * Rules that may take long: here in steps, and beside the event loop where a step would hold it for too long.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { StatusCause } from "../../meta/status.ts";
import { JobError } from "../../util/worker-threads.ts";
import { WorkTooLong, withWorkLimit } from "../../util/work-limit.ts";
import type { Steps } from "../../util/steps.ts";
import type { ApiContext } from "../definition.ts";
import { notDone } from "./not-done.ts";

/** The same rules as a job: what its module returns are the causes. */
export interface RulesJob {
  readonly module: string;
  /** Made only when it is needed. */
  readonly input: () => unknown;
  /** Who is to wait where there are too many: the rules themselves, so that only those objects wait that they are for. */
  readonly sender: object;
}

/** Adds what rules find to `errors`; a promise where they go on beside the event loop. */
export function* judged(
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
      if (error.why !== "slow" && error.why !== "large") throw notDone(error);
      errors.add("FieldValueInvalid", "<nil>", `Invalid value: null: ${error.message}`);
    },
  );
}
