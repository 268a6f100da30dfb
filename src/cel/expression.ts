/**
 * Expressions and the rules of schemas without a server: JSON in, JSON out.
 *
 * @module
 */
import { FieldErrors } from "../meta/field-errors.ts";
import type { CauseReason } from "../meta/status.ts";
import { atOnce } from "../util/steps.ts";
import type { Value as Json } from "../value/value.ts";
import { allFunctions } from "./library/index.ts";
import { jsonView } from "./json-view.ts";
import { plainValue, writtenValue } from "./results.ts";
import { RUN_LIMIT, compile as compileWithin } from "./program.ts";
import type { Range } from "./range.ts";
import { addViolations, checkRules, validateRules } from "./rules/index.ts";
import { type Declaration, type Schema, declare, sizeBelow } from "./schema/declaration.ts";
import { viewOf } from "./schema/views.ts";
import { DYN, type Type, optionalOf, typeText } from "./types.ts";
import { Failure, NONE, Optional, type Value } from "./values.ts";

/** A syntax error or a type error; the message has the line, a caret below the position, and the reason. */
export class CelError extends Error {
  override readonly name = "CelError";
}

/** The declaration of a variable. */
export interface Variable {
  /** Its structural schema; without one its type is dyn. */
  readonly schema?: Schema;
  /** Whether it is a whole object, with `apiVersion`, `kind` and the name in `metadata` (CEL-34). */
  readonly isObject?: boolean;
  /** Whether it is an optional, like `oldSelf` with `optionalOldSelf`. */
  readonly isOptional?: boolean;
}

/** The variables of an expression, by name. */
export type Variables = Readonly<Record<string, Variable>>;

/** The result of a run: the value or the error, and the cost. */
export type Result =
  | {
      /** Integers are bigint; timestamps, durations, quantities and the like are strings; see the guide. */
      readonly value: unknown;
      /** The value as an expression. */
      readonly text: string;
      readonly error?: undefined;
      readonly cost: number;
    }
  | { readonly value?: undefined; readonly text?: undefined; readonly error: string; readonly cost: number };

/** A compiled expression, which can run any number of times. */
export interface Expression {
  /** The type of its value: `bool`, `list(string)`, or `dyn` where it is known at run time only. */
  readonly type: string;
  /** The smallest and the largest cost over all values that the schemas allow (CEL-52). */
  readonly cost: Range;
  /** The names of the variables that it uses. */
  readonly variables: ReadonlySet<string>;
  /** Evaluates it; a run that costs more than `limit` returns an error. Default: 1,000,000, as for rules (CEL-56). */
  run(values: Readonly<Record<string, Json | undefined>>, limit?: number): Result;
}

/** `self` and `oldSelf`, with the type dyn. */
const UNKNOWN_SELF: Variables = { self: {}, oldSelf: {} };

/** Compiles an expression with the libraries of rules of custom resources. @throws CelError for an invalid one */
export function compile(source: string, variables: Variables = UNKNOWN_SELF): Expression {
  const declared = Object.entries(variables).map(([name, variable]) => declaredOf(name, variable));
  const sizes = new Map(declared.map(({ name, declaration }) => [name, declaration]));
  const compiled = compileWithin(source, {
    functions: allFunctions(),
    variables: new Map(declared.map(({ name, type }) => [name, type])),
    sizeAt: (path) => {
      const declaration = sizes.get(path[0] ?? "");
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
  if (schema && !declaration) throw new CelError(`expected the schema of ${name} to have a type`);
  const type = declaration?.type ?? DYN;
  return { name, type: isOptional ? optionalOf(type) : type, declaration, isOptional };
}

function bound({ declaration, isOptional }: Declared, value: Json | undefined): Value | undefined {
  const view = value === undefined ? undefined : declaration ? viewOf(value, declaration) : jsonView(value);
  if (!isOptional) return view;
  return view === undefined ? NONE : new Optional(view);
}

/** A fault of a schema, or of an object. */
export interface Finding {
  readonly reason: CauseReason;
  /** `spec.replicas`; empty for the whole object. */
  readonly field: string;
  readonly message: string;
}

/** Returns the faults of the rules of an object's schema: their form, types and costs (CEL-36..39, CEL-52..55). */
export function checkSchema(schema: Schema): readonly Finding[] {
  const errors = new FieldErrors();
  atOnce(checkRules(schema, "openAPIV3Schema", { faults: [], reads: true, isReadable: () => true }, errors));
  return findingsOf(errors);
}

const findingsOf = ({ causes }: FieldErrors): readonly Finding[] =>
  causes.map(({ reason, field = "", message }) => ({ reason, field, message }));

/** Validates an object by the rules of its schema; with `old`, an update of it (CEL-40..47). */
export function validateObject(schema: Schema, object: Json, old?: Json): readonly Finding[] {
  const { violations } = atOnce(validateRules(schema, object, { isObject: true, old, ratchets: old !== undefined }));
  const errors = new FieldErrors();
  addViolations(violations, errors);
  return findingsOf(errors);
}
