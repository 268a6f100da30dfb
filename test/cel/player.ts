/**
 * Plays recorded expressions: compiles and runs each, and compares with what the libraries of a real server answered.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { validateRules } from "../../src/cel/rules/index.ts";
import { BUDGET } from "../../src/cel/rules/validate.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { FieldErrors } from "../../src/meta/field-errors.ts";
import { checksOf, validateSchemas } from "../../src/kinds/apiextensions/v1/schemas.ts";
import { atOnce } from "../../src/util/steps.ts";
import { compile } from "../../src/cel/program.ts";
import { allFunctions } from "../../src/cel/library/index.ts";
import { type Schema, declare, sizeBelow } from "../../src/cel/schema/declaration.ts";
import { viewOf } from "../../src/cel/schema/views.ts";
import { typeText, optionalOf } from "../../src/cel/types.ts";
import { Failure, NONE, Optional } from "../../src/cel/values.ts";
import { decodeJson } from "../../src/value/json.ts";
import type { Value } from "../../src/value/value.ts";
import { ofAdmission } from "./admission.ts";
import { type Uses, ofClaims, ofReview, ofUser } from "./uses.ts";
import { sameAnswer, written } from "./written.ts";

/** A recorded case. */
export interface Case extends Uses {
  readonly id: string;
  readonly env: string;
  readonly schema?: unknown;
  readonly value?: string;
  readonly oldValue?: string;
  readonly self?: Value;
  readonly oldSelf?: Value;
  readonly optionalOldSelf?: boolean;
  readonly root?: boolean;
  readonly budget?: number;
  readonly want: Readonly<Record<string, unknown>>;
}

/** A file of recorded cases. */
export interface CaseFile {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly values: Readonly<Record<string, Value>>;
  readonly cases: readonly Case[];
}

/** Reads a file of cases; numbers keep all their digits. */
export const readCases = (path: string): CaseFile =>
  decodeJson(readFileSync(path), { depth: 1000 }).value as unknown as CaseFile;

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

const show = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "bigint" ? String(value) : JSON.stringify(value).slice(0, 300);

type Answer = Readonly<Record<string, unknown>>;

function answer(file: CaseFile, one: Case): Answer | undefined {
  switch (one.env) {
    case "self":
      return ofSelf(file, one);
    case "object":
      return ofObject(file, one);
    case "schema":
      return ofDefinition(file, one);
    case "claims":
      return ofClaims(one);
    case "user":
      return ofUser(one);
    case "sar":
      return ofReview(one);
    case "admission":
      return ofAdmission(one);
    default:
      return undefined;
  }
}

/** What rules say of an object, without comparison with the one before. */
function ofObject(file: CaseFile, one: Case): Answer {
  const schema = schemaOf(file, one);
  const old = bound(file, one.oldValue, one.oldSelf);
  const budget = one.budget === undefined ? BUDGET : Number(one.budget);
  const value = bound(file, one.value, one.self)!;
  const { violations, left } = atOnce(validateRules(schema, value, { isObject: true, old, ratchets: false, budget }));
  const told = violations.map(({ reason, field, detail }) => ({
    type: reason,
    field: field || "<nil>",
    detail: reason === "FieldValueDuplicate" ? "" : detail,
  }));
  return { errors: inOrder(told), spent: left < 0 ? -1 : budget - left };
}

/** What is wrong with a definition that has this schema. */
function ofDefinition(file: CaseFile, one: Case): Answer {
  const errors = new FieldErrors();
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schemaOf(file, one) } };
  atOnce(validateSchemas([version] as never, () => "spec.validation", checksOf(kubernetes, undefined), errors));
  return {
    errors: inOrder(
      errors.causes.map(({ reason, field = "", message }) => ({
        type: reason,
        field,
        detail: detailOf(reason, message),
      })),
    ),
  };
}

interface Told {
  readonly type: string;
  readonly field: string;
  readonly detail: string;
}

const inOrder = (all: readonly Told[]): readonly Told[] =>
  all.toSorted((a, b) => textOrder(a.field, b.field) || textOrder(a.type, b.type) || textOrder(a.detail, b.detail));
const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The words of a message behind its reason and its value. */
function detailOf(reason: string, message: string): string {
  if (reason === "InternalError") return message;
  const [, rest = ""] = /^[A-Z][a-z]+(?: [a-z]+)*: ?([^]*)$/.exec(message) ?? [];
  if (!/Invalid|NotSupported/.test(reason)) return rest;
  return rest.replace(/^(?:"(?:[^"\\]|\\.)*"…?|[^:]*): /s, "");
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
  const compiled = compile(one.expr!, { functions: allFunctions(), variables, sizeAt });
  const { program } = compiled;
  if (!program) return { compile: compiled.error, ...(compiled.type ? { type: typeText(compiled.type) } : {}) };
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
