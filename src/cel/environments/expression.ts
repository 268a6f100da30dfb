/**
 * Compiles expressions of certain types.
 *
 * @module
 */
import type { Environment } from "../environment.ts";
import { type Compiled, compile } from "../program.ts";
import { STRING, type Type, listOf, mapOf, sameType, structOf, typeText } from "../types.ts";

/** The message for an expression of another type. */
export type TypeErrorText = (accepted: readonly Type[], got: Type) => string;

const among = (accepted: readonly Type[]): string =>
  accepted.length === 1 ? typeText(accepted[0]!) : `one of [${accepted.map(typeText).join(" ")}]`;

/** Names the accepted types. */
export const WITHOUT_TYPE: TypeErrorText = (accepted) => `must evaluate to ${among(accepted)}`;

/** Names the accepted types and the actual one. */
export const WITH_TYPE: TypeErrorText = (accepted, got) =>
  `must evaluate to ${among(accepted)} but got ${typeText(got)}`;

/** Compiles an expression of one of the types, or of any type without them. */
export function compileTo(
  source: string,
  env: Environment,
  returns: readonly Type[] | undefined,
  typeError: TypeErrorText,
): Compiled {
  const compiled = compile(source, env);
  if (compiled.error !== undefined) return { error: withPrefix(compiled.error) };
  const { type } = compiled.program;
  if (!returns || returns.some((one) => sameType(one, type))) return compiled;
  return { error: typeError(returns, type) };
}

/** The error of a compilation with its prefix; an expression that compiles but cannot be planned has another prefix. */
export const withPrefix = (error: string): string =>
  error.startsWith("program: ")
    ? `program instantiation failed: ${error.slice("program: ".length)}`
    : `compilation failed: ${error}`;

/** A struct type of Kubernetes. */
export const structType = (name: string, fields: Readonly<Record<string, Type>>): Type =>
  structOf(`kubernetes.${name}`, new Map(Object.entries(fields)));

/** A list of strings. */
export const STRING_LIST: Type = listOf(STRING);

/** The type of the extra attributes of a user. */
export const EXTRA: Type = mapOf(STRING, STRING_LIST);

/** The type of a user. */
export const USER: Type = structType("UserInfo", { username: STRING, uid: STRING, groups: STRING_LIST, extra: EXTRA });
