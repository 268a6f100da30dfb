/**
 * Validates selectors in a thread. See `selectors.ts`.
 *
 * @module
 */
import { FieldErrors } from "../../../meta/field-errors.ts";
import type { StatusCause } from "../../../meta/status.ts";
import { atOnce } from "../../../util/steps.ts";
import { type SelectorTask, judgeSelectors } from "./selectors.ts";

/** The faults of the expressions of a task. */
export function run(task: SelectorTask): readonly StatusCause[] {
  const errors = new FieldErrors();
  atOnce(judgeSelectors(task, errors));
  return errors.causes;
}
