/**
 * Expressions that must have one of some types.
 *
 * @module
 */
import type { Environment } from "../environment.ts";
import { type Compiled, compile } from "../program.ts";
import { STRING, type Type, listOf, mapOf, sameType, structOf, typeText } from "../types.ts";

/** How a use of expressions says that a type is none of those it accepts. */
export type Refusal = (accepted: readonly Type[], got: Type) => string;

const among = (accepted: readonly Type[]): string =>
  accepted.length === 1 ? typeText(accepted[0]!) : `one of [${accepted.map(typeText).join(" ")}]`;

/** Says which types are accepted. */
export const WITHOUT_TYPE: Refusal = (accepted) => `must evaluate to ${among(accepted)}`;

/** Says what was found, too. */
export const WITH_TYPE: Refusal = (accepted, got) => `must evaluate to ${among(accepted)} but got ${typeText(got)}`;

/** Compiles an expression of one of the types, or of any type where they are not given. */
export function compileTo(
  source: string,
  env: Environment,
  returns: readonly Type[] | undefined,
  refusal: Refusal,
): Compiled {
  const compiled = compile(source, env);
  if (compiled.error !== undefined) return { error: withPrefix(compiled.error) };
  const { type } = compiled.program;
  if (!returns || returns.some((one) => sameType(one, type))) return compiled;
  return { error: refusal(returns, type) };
}

/** Why a text did not compile; an expression that is right but cannot be made ready says so itself. */
export const withPrefix = (error: string): string =>
  error.startsWith("program: ")
    ? `program instantiation failed: ${error.slice("program: ".length)}`
    : `compilation failed: ${error}`;

/** A type with members, by its name and theirs. */
export const declared = (name: string, fields: Readonly<Record<string, Type>>): Type =>
  structOf(`kubernetes.${name}`, new Map(Object.entries(fields)));

/** Lists of texts. */
export const TEXTS: Type = listOf(STRING);

/** Texts by their names. */
export const EXTRA: Type = mapOf(STRING, TEXTS);

/** A user as expressions see one. */
export const USER: Type = declared("UserInfo", { username: STRING, uid: STRING, groups: TEXTS, extra: EXTRA });
