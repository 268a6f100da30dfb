/**
 * Plays recorded expressions of authentication and of webhooks that authorize.
 *
 * @module
 */
import { claimsValue, compileClaims, compileUser, userValue } from "../../src/cel/environments/claims.ts";
import { compileCondition, meets } from "../../src/cel/environments/reviews.ts";
import type { UserInfo } from "../../src/cel/library/authorization.ts";
import type { Compiled } from "../../src/cel/program.ts";
import { BOOL, NULL, STRING, type Type, typeText } from "../../src/cel/types.ts";
import { Failure, type Value } from "../../src/cel/values.ts";
import type { Value as Json, ValueObject } from "../../src/value/value.ts";
import { written } from "./written.ts";

/** What cases have that are not about schemas. */
export interface Uses {
  readonly expr?: string;
  readonly claims?: ValueObject;
  readonly user?: UserInfo;
  readonly request?: ValueObject;
  readonly returns?: string;
  readonly object?: Json;
  readonly oldObject?: Json;
  readonly namespaceObject?: ValueObject;
  readonly params?: Json;
  readonly variables?: readonly { readonly name: string; readonly expr: string }[];
  readonly authorizer?: readonly AuthorizerRule[];
}

/** What an authorizer of a case decides where all members are equal. */
export interface AuthorizerRule {
  readonly match: Readonly<Record<string, string>>;
  readonly decision: string;
  readonly reason: string;
  readonly error?: string;
}

type Answer = Readonly<Record<string, unknown>>;

const RETURNS: Readonly<Record<string, readonly Type[]>> = { bool: [BOOL], string: [STRING], audit: [STRING, NULL] };

/** The types that a case accepts; undefined for any. */
export const returnsOf = ({ returns }: Uses): readonly Type[] | undefined =>
  returns === undefined ? undefined : RETURNS[returns];

/** A value or why there is none. */
export const result = (value: Value): Answer =>
  value instanceof Failure ? { error: value.message } : { value: written(value) };

/** Plays a case over claims. */
export const ofClaims = (one: Uses): Answer => ran(compileClaims(one.expr!, returnsOf(one)), claimsValue(one.claims!));

/** Plays a case over a user. */
export const ofUser = (one: Uses): Answer => ran(compileUser(one.expr!, returnsOf(one)), userValue(one.user!));

function ran(compiled: Compiled, over: Value): Answer {
  if (!compiled.program) return { compile: compiled.error };
  const { program } = compiled;
  const { value, cost } = program.run([over]);
  return { type: typeText(program.type), ...result(value), cost };
}

/** Plays a case over a review. */
export function ofReview({ expr, request }: Uses): Answer {
  const condition = compileCondition(expr!);
  if (!condition.program) return { compile: condition.error };
  return { type: typeText(condition.program.type), ...result(meets(condition, request!)) };
}
