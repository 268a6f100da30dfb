/**
 * Selectors: expressions over one device, which matches where all of them are true (KIND-ResourceClaim-2).
 *
 * @module
 */
import { type SelectorFault, selectorFault } from "../../../cel/environments/devices.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import type { WriteContext } from "../../../schema/definition.ts";
import { runRules } from "../../../schema/write/run-rules.ts";
import { siblingModule } from "../../../util/worker-threads.ts";
import { checkWork } from "../../../util/work-limit.ts";
import type { Steps } from "../../../util/steps.ts";
import { checkList } from "./lists.ts";

/** The schema of selectors. */
export const selectors = (description: string) =>
  t.optional(
    t.atomicList(
      t.struct("Which devices are fit.", {
        cel: t.pointer(
          t.struct("An expression in the Common Expression Language.", {
            expression: t.required(
              t.text("It speaks of one `device`, which is fit where it is true; at most 10 KiB, and not too dear."),
            ),
          }),
        ),
      }),
      description,
    ),
  );

/** Selectors of an object before they are validated. */
export type Selectors = readonly { readonly cel?: { readonly expression: string } }[] | undefined;

const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;

const isTooLong = (expression: string): boolean => Buffer.byteLength(expression) > MAX_EXPRESSION_BYTES;

/** All faults of selectors except those of the expressions. */
export function validateSelectors(given: Selectors, field: string, errors: FieldErrors): void {
  checkList(given, MAX_SELECTORS, field, errors, ({ cel }, at) => {
    if (!cel) errors.required(`${at}.cel`, "expected an expression");
    else if (isTooLong(cel.expression)) errors.tooLong(`${at}.cel.expression`, MAX_EXPRESSION_BYTES);
  });
}

/** An expression with its path. */
export interface Placed {
  readonly field: string;
  readonly expression: string;
}

/** The expressions of selectors to validate: none of a list that is too long, and none that is too long itself. */
export function* expressionsOf(given: Selectors, field: string): Iterable<Placed> {
  if (!given || given.length > MAX_SELECTORS) return;
  for (const [i, { cel }] of given.entries()) {
    if (cel && !isTooLong(cel.expression)) yield { field: `${field}[${i}].cel.expression`, expression: cel.expression };
  }
}

/** The maximal cost of one character of an expression, in units of `checkWork`. */
const A_CHARACTER = 300;

/** The input of the job that validates expressions. */
export interface SelectorTask {
  readonly expressions: readonly Placed[];
  /** Whether several claims may share devices. */
  readonly hasShares: boolean;
}

/** Reports expressions that are no selectors, in steps. */
export function* judgeSelectors({ expressions, hasShares }: SelectorTask, errors: FieldErrors): Steps<void> {
  for (const { field, expression } of expressions) {
    checkWork(expression.length * A_CHARACTER);
    const fault = selectorFault(expression, hasShares);
    if (fault) tellFault(fault, field, expression, errors);
    yield;
  }
}

function tellFault({ reason, why }: SelectorFault, field: string, expression: string, errors: FieldErrors): void {
  if (reason === "FieldValueInvalid") errors.invalid(field, expression, why);
  else if (reason === "FieldValueForbidden") errors.forbidden(field, why);
  else errors.add(reason, field, `Internal error: ${why}`);
}

const JOB = siblingModule(import.meta.url, "selectors-job");
/** The queue of all writes with selectors, where too many are validated at once. */
const SENDER = {};

/** Validates expressions, in a worker thread where that takes long; `known` are those of the old object. */
export function* validateExpressions(
  found: Iterable<Placed>,
  errors: FieldErrors,
  ctx: WriteContext,
  known = false,
): Steps<void | Promise<void>> {
  const task: SelectorTask = { expressions: [...found], hasShares: known || ctx.gates.DRAConsumableCapacity };
  if (task.expressions.length === 0) return undefined;
  const job = { module: JOB, input: () => task, sender: SENDER };
  return yield* runRules(() => judgeSelectors(task, errors), job, errors, ctx);
}
