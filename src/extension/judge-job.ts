/**
 * Judges a custom object in a thread. See `judge.ts`.
 *
 * @module
 */
import { type Dialect, dialectOf } from "../meta/dialect.ts";
import { FieldErrors } from "../meta/field-errors.ts";
import type { StatusCause } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { atOnce } from "../util/steps.ts";
import { decodeOwnJson } from "../value/json.ts";
import { type Judge, judgeOf } from "./judge.ts";

/** An object to judge; objects and schema are JSON texts. */
export interface JudgeTask {
  readonly dialect: string;
  readonly schema: string;
  readonly object: Uint8Array;
  readonly old: Uint8Array | undefined;
}

/** Compiled schemas that were asked for last. */
const MOST_KEPT = 4;
const kept = new Map<string, Judge>();

/** The task of judging an object, a new one or the next state of `old`. */
export const judgeTask = (
  schema: Structural,
  { name }: Dialect,
  object: ApiObject,
  old: ApiObject | undefined,
): JudgeTask => ({
  dialect: name,
  schema: JSON.stringify(schema),
  object: Buffer.from(JSON.stringify(object)),
  old: old && Buffer.from(JSON.stringify(old)),
});

/** Does it: what is wrong with the object. */
export function run({ dialect, schema, object, old }: JudgeTask): readonly StatusCause[] {
  const errors = new FieldErrors();
  atOnce(judgeFor(schema, dialect)(objectOf(object), old && objectOf(old), errors));
  return errors.causes;
}

const objectOf = (bytes: Uint8Array): ApiObject => decodeOwnJson(bytes) as unknown as ApiObject;

function judgeFor(schema: string, dialect: string): Judge {
  const key = `${dialect} ${schema}`;
  const judge = kept.get(key) ?? judgeOf(JSON.parse(schema) as Structural, dialectOf(dialect)!);
  kept.delete(key);
  kept.set(key, judge);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
  return judge;
}
