/**
 * Expressions of authentication: over the claims of a token, and over its user.
 *
 * @module
 */
import type { ValueObject } from "../../value/value.ts";
import { allFunctions } from "../library/index.ts";
import type { UserInfo } from "../library/authorization.ts";
import type { Compiled } from "../program.ts";
import { ANY, STRING, type Type, mapOf } from "../types.ts";
import { Lazy, type Value } from "../values.ts";
import { USER, WITHOUT_TYPE, compileTo } from "./expression.ts";
import { DOUBLES, jsonView } from "../json-view.ts";

const compiler =
  (name: string, variable: Type) =>
  (source: string, returns?: readonly Type[]): Compiled =>
    compileTo(source, { functions: allFunctions(), variables: new Map([[name, variable]]) }, returns, WITHOUT_TYPE);

/** Compiles an expression over `claims`; its program runs over {@link claimsValue}. */
export const compileClaims: (source: string, returns?: readonly Type[]) => Compiled = compiler(
  "claims",
  mapOf(STRING, ANY),
);

/** Compiles an expression over `user`; its program runs over {@link userValue}. */
export const compileUser: (source: string, returns?: readonly Type[]) => Compiled = compiler("user", USER);

/** The value of `claims`: every number is a double. */
export const claimsValue = (claims: ValueObject): Value =>
  new Lazy(
    "kubernetes.claims",
    new Map(Object.entries(claims).map(([name, claim]) => [name, () => jsonView(claim, DOUBLES)])),
  );

/** The value of `user`, with all members. */
export function userValue({ username, uid = "", groups = [], extra = {} }: UserInfo): Value {
  const all: ValueObject = { username, uid, groups: [...groups], extra: extraJson(extra) };
  const makers = Object.entries(all).map(([name, value]) => [name, () => jsonView(value)] as const);
  return new Lazy("kubernetes.UserInfo", new Map(makers));
}

const extraJson = (extra: NonNullable<UserInfo["extra"]>): ValueObject =>
  Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
