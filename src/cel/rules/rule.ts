/**
 * The rules of one schema, compiled: what decides, what explains, and where it is told (CEL-36..39).
 *
 * @module
 */
import { allFunctions } from "../library/index.ts";
import type { Functions } from "../environment.ts";
import { type Compiled, type Program, compile } from "../program.ts";
import { type Declaration, type RuleSource, type Schema, sizeBelow } from "../schema/declaration.ts";
import { BOOL, STRING, type Type, optionalOf } from "../types.ts";
import { fieldWithin } from "./field-within.ts";

/** A rule as it runs. */
export interface Rule {
  readonly source: RuleSource;
  /** Undefined where the rule says nothing, and where it is wrong. */
  readonly program?: Program;
  /** Why it cannot run. */
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** The expression that explains. */
  readonly message?: Program;
  readonly messageError?: string;
  /** Where below the value a failure is told, as causes name places. */
  readonly place?: string;
}

let functions: Functions | undefined;

/** Compiles the rules of a schema, in their order. */
export function compileRules(schema: Schema, declaration: Declaration): readonly Rule[] {
  return (schema["x-kubernetes-validations"] ?? []).map((source) => compileRule(source, schema, declaration));
}

function compileRule(source: RuleSource, schema: Schema, declaration: Declaration): Rule {
  const { rule, messageExpression = "", fieldPath = "" } = source;
  if (rule.trim() === "") return { source, usesOldSelf: false };
  const decides = compileAs(rule, BOOL, source, declaration);
  if (!decides.program) return { source, usesOldSelf: false, error: whyNoRule(decides) };
  const explains = messageExpression === "" ? undefined : compileAs(messageExpression, STRING, source, declaration);
  const place = fieldPath === "" ? undefined : fieldWithin(schema, fieldPath);
  return {
    source,
    program: decides.program,
    usesOldSelf: decides.program.variables.has("oldSelf"),
    ...(explains?.program ? { message: explains.program } : {}),
    ...(explains && !explains.program ? { messageError: whyNoMessage(explains) } : {}),
    ...(place === undefined ? {} : { place }),
  };
}

type Refused = Exclude<Compiled, { readonly program: Program }> | { readonly wrongType: true; readonly program?: undefined };

function compileAs(
  text: string,
  type: Type,
  { optionalOldSelf }: RuleSource,
  declaration: Declaration,
): { readonly program: Program } | Refused {
  const self = declaration.type;
  functions ??= allFunctions();
  const compiled = compile(text, {
    functions,
    variables: new Map([
      ["self", self],
      ["oldSelf", optionalOldSelf ? optionalOf(self) : self],
    ]),
    sizeAt: (path) => sizeBelow(declaration, path),
  });
  const got = compiled.program?.type ?? ("type" in compiled ? compiled.type : undefined);
  return got && got.kind !== type.kind ? { wrongType: true } : compiled;
}

const PROGRAM = /^program: /;

function whyNoRule(refused: Refused): string {
  if ("wrongType" in refused) return "cel expression must evaluate to a bool";
  const { error } = refused;
  return PROGRAM.test(error) ? error.replace(PROGRAM, "program instantiation failed: ") : `compilation failed: ${error}`;
}

function whyNoMessage(refused: Refused): string {
  if ("wrongType" in refused) return "messageExpression must evaluate to a string";
  const { error } = refused;
  return PROGRAM.test(error)
    ? error.replace(PROGRAM, "messageExpression instantiation failed: ")
    : `messageExpression compilation failed: ${error}`;
}
