/**
 * Plays recorded expressions: compiles and runs each, and compares with what the libraries of a real server answered.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { compile } from "../../src/cel/program.ts";
import { allFunctions } from "../../src/cel/library/index.ts";
import { type Schema, declare, sizeBelow } from "../../src/cel/schema/declaration.ts";
import { viewOf } from "../../src/cel/schema/views.ts";
import { typeText, optionalOf } from "../../src/cel/types.ts";
import { Failure, NONE, Optional } from "../../src/cel/values.ts";
import { decodeJson } from "../../src/value/json.ts";
import type { Value } from "../../src/value/value.ts";
import { sameAnswer, written } from "./written.ts";

/** A recorded case. */
export interface Case {
  readonly id: string;
  readonly env: string;
  readonly expr?: string;
  readonly schema?: unknown;
  readonly value?: string;
  readonly oldValue?: string;
  readonly self?: Value;
  readonly oldSelf?: Value;
  readonly optionalOldSelf?: boolean;
  readonly root?: boolean;
  readonly want: Readonly<Record<string, unknown>>;
}

/** A file of recorded cases. */
export interface CaseFile {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly values: Readonly<Record<string, Value>>;
  readonly cases: readonly Case[];
}

/** Reads a file of cases; numbers keep all their digits. */
export const readCases = (path: string): CaseFile => decodeJson(readFileSync(path), { depth: 1000 }).value as unknown as CaseFile;

/** What differs between what a case wants and what we answer, a line each. */
export function play(file: CaseFile, one: Case): string[] {
  const got = answer(file, one);
  if (got === undefined) return [`expected a player for ${one.env}`];
  const keys = new Set([...Object.keys(one.want), ...Object.keys(got)]);
  return [...keys].flatMap((key) => {
    const [want, have] = [one.want[key], got[key]];
    if (sameAnswer(key, want, have)) return [];
    return [`${key}: expected ${show(want)} got ${show(have)}`];
  });
}

const show = (value: unknown): string => (value === undefined ? "nothing" : typeof value === "bigint" ? String(value) : JSON.stringify(value).slice(0, 300));

type Answer = Readonly<Record<string, unknown>>;

function answer(file: CaseFile, one: Case): Answer | undefined {
  return one.env === "self" ? ofSelf(file, one) : undefined;
}

const schemaOf = (file: CaseFile, { schema }: Case): Schema =>
  typeof schema === "string" ? file.schemas[schema]! : (schema as Schema);

const bound = (file: CaseFile, name: string | undefined, value: Value | undefined): Value | undefined =>
  name === undefined ? value : file.values[name];

function ofSelf(file: CaseFile, one: Case): Answer {
  const declaration = declare(schemaOf(file, one), one.root === true)!;
  const { type } = declaration;
  const variables = new Map([
    ["self", type],
    ["oldSelf", one.optionalOldSelf ? optionalOf(type) : type],
  ]);
  const sizeAt = (path: readonly string[]) => sizeBelow(declaration, path);
  const { program, error, ...rest } = compile(one.expr!, { functions: allFunctions(), variables, sizeAt });
  if (!program) return { compile: error, ...("type" in rest && rest.type ? { type: typeText(rest.type) } : {}) };
  const self = viewOf(bound(file, one.value, one.self), declaration);
  const old = viewOf(bound(file, one.oldValue, one.oldSelf), declaration);
  const oldSelf = one.optionalOldSelf ? (old === undefined ? NONE : new Optional(old)) : old;
  const { value, cost } = program.run([self, oldSelf], 10_000_000);
  return {
    type: typeText(program.type),
    min: program.cost.min,
    max: program.cost.max,
    ...(program.variables.has("oldSelf") ? { usesOldSelf: true } : {}),
    ...(value instanceof Failure ? { error: value.message } : { value: written(value) }),
    cost,
  };
}
