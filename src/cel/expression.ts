/**
 * Expressions and the rules of schemas for programs that have no server: JSON in, JSON out.
 *
 * @module
 */
import { FieldErrors } from "../meta/field-errors.ts";
import type { CauseReason } from "../meta/status.ts";
import { atOnce } from "../util/steps.ts";
import type { Value as Json } from "../value/value.ts";
import { allFunctions } from "./library/index.ts";
import { plainView } from "./plain-view.ts";
import { plainValue, writtenValue } from "./results.ts";
import { RUN_LIMIT, compile as compileWithin } from "./program.ts";
import type { Range } from "./range.ts";
import { addBreaches, checkRules, judge } from "./rules/index.ts";
import { type Declaration, type Schema, declare, sizeBelow } from "./schema/declaration.ts";
import { viewOf } from "./schema/views.ts";
import { DYN, type Type, optionalOf, typeText } from "./types.ts";
import { Failure, NONE, Optional, type Value } from "./values.ts";

/** A text is no expression, or one of the wrong types: the message has the line, a mark under the place, and the reason. */
export class CelError extends Error {
  override readonly name = "CelError";
}

/** What is known of a variable. */
export interface Variable {
  /** Its structural schema; without one nothing is known before the run, and any member may be asked for. */
  readonly schema?: Schema;
  /** Whether it is a whole object: then `apiVersion`, `kind` and the name in `metadata` are there, too (CEL-34). */
  readonly isObject?: boolean;
  /** Whether it is an optional, as `oldSelf` with `optionalOldSelf` is. */
  readonly isOptional?: boolean;
}

/** The variables of an expression, by name. */
export type Variables = Readonly<Record<string, Variable>>;

/** What an expression answered: the value, or why there is none; and what it cost. */
export type Answer =
  | {
      /** Integers are bigint; times, durations, quantities and their like are texts; see the guide. */
      readonly value: unknown;
      /** The value as an expression would write it. */
      readonly text: string;
      readonly error?: undefined;
      readonly cost: number;
    }
  | { readonly value?: undefined; readonly text?: undefined; readonly error: string; readonly cost: number };

/** An expression that can be evaluated, any number of times. */
export interface Expression {
  /** The type of its value: `bool`, `list(string)`, `dyn` where only the run tells. */
  readonly type: string;
  /** What a run costs at least and at most, over all values that the schemas allow (CEL-52). */
  readonly cost: Range;
  /** The names of the variables that it speaks of. */
  readonly variables: ReadonlySet<string>;
  /** Evaluates it; a run that costs more than `limit` ends with an error. Default: 1,000,000, as for rules (CEL-56). */
  run(values: Readonly<Record<string, Json | undefined>>, limit?: number): Answer;
}

/** `self` and `oldSelf`, of which nothing is known. */
const UNKNOWN_SELF: Variables = { self: {}, oldSelf: {} };

/** Compiles an expression with all libraries that rules of custom resources have. @throws CelError when it is none */
export function compile(source: string, variables: Variables = UNKNOWN_SELF): Expression {
  const declared = Object.entries(variables).map(([name, variable]) => declaredOf(name, variable));
  const sizes = new Map(declared.map(({ name, declaration }) => [name, declaration]));
  const compiled = compileWithin(source, {
    functions: allFunctions(),
    variables: new Map(declared.map(({ name, type }) => [name, type])),
    sizeAt: (path) => {
      const declaration = sizes.get(path[0]!);
      return declaration && sizeBelow(declaration, path);
    },
  });
  const { program } = compiled;
  if (!program) throw new CelError(compiled.error);
  return {
    type: typeText(program.type),
    get cost() {
      return program.cost;
    },
    variables: program.variables,
    run: (values, limit = RUN_LIMIT) => {
      const { value, cost } = program.run(
        declared.map((one) => bound(one, values[one.name])),
        limit,
      );
      return value instanceof Failure
        ? { error: value.message, cost }
        : { value: plainValue(value), text: writtenValue(value), cost };
    },
  };
}

interface Declared {
  readonly name: string;
  readonly type: Type;
  readonly declaration: Declaration | undefined;
  readonly isOptional: boolean;
}

function declaredOf(name: string, { schema, isObject = false, isOptional = false }: Variable): Declared {
  const declaration = schema && declare(schema, isObject);
  if (schema && !declaration) throw new CelError(`expected the schema of ${name} to say its type`);
  const type = declaration?.type ?? DYN;
  return { name, type: isOptional ? optionalOf(type) : type, declaration, isOptional };
}

function bound({ declaration, isOptional }: Declared, value: Json | undefined): Value | undefined {
  const seen = value === undefined ? undefined : declaration ? viewOf(value, declaration) : plainView(value);
  if (!isOptional) return seen;
  return seen === undefined ? NONE : new Optional(seen);
}

/** Something that is wrong: with a schema, or with an object. */
export interface Finding {
  readonly reason: CauseReason;
  /** `spec.replicas`; empty for the whole. */
  readonly field: string;
  readonly message: string;
}

/** What is wrong with the rules of a whole object's schema: what they say, their types and what they may cost (CEL-36..39, CEL-52..55). */
export function checkSchema(schema: Schema): readonly Finding[] {
  const errors = new FieldErrors();
  atOnce(checkRules(schema, "openAPIV3Schema", { faults: [], reads: true, isReadable: () => true }, errors));
  return findingsOf(errors);
}

const findingsOf = ({ causes }: FieldErrors): readonly Finding[] =>
  causes.map(({ reason, field = "", message }) => ({ reason, field, message }));

/** What the rules of a schema say against an object; with `old`, against the change of it (CEL-40..47). */
export function judgeObject(schema: Schema, object: Json, old?: Json): readonly Finding[] {
  const { breaches } = atOnce(judge(schema, object, { isObject: true, old, forgives: old !== undefined }));
  const errors = new FieldErrors();
  addBreaches(breaches, errors);
  return findingsOf(errors);
}
