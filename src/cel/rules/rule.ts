/**
 * The rules of one schema, compiled: what decides, what explains, and where it is told (CEL-36..39).
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { allFunctions } from "../library/index.ts";
import { type Program, compile } from "../program.ts";
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

/** Compiles the rules of a schema, in their order; a step for each, since there may be ten thousand. */
export function* compileRules(schema: Schema, declaration: Declaration): Steps<readonly Rule[]> {
  const rules: Rule[] = [];
  for (const source of schema["x-kubernetes-validations"] ?? []) {
    rules.push(compileRule(source, schema, declaration));
    yield;
  }
  return rules;
}

function compileRule(source: RuleSource, schema: Schema, declaration: Declaration): Rule {
  const { rule, messageExpression = "", fieldPath = "" } = source;
  if (rule.trim() === "") return { source, usesOldSelf: false };
  const decides = compileAs(rule, BOOL, OF_RULES, source, declaration);
  if (!decides.program) return { source, usesOldSelf: false, error: decides.why };
  const { program } = decides;
  const explains =
    messageExpression === "" ? undefined : compileAs(messageExpression, STRING, OF_MESSAGES, source, declaration);
  const place = fieldPath === "" ? undefined : fieldWithin(schema, fieldPath);
  return {
    source,
    program,
    usesOldSelf: program.variables.has("oldSelf"),
    ...(explains?.program ? { message: explains.program } : {}),
    ...(explains?.why === undefined ? {} : { messageError: explains.why }),
    ...(place === undefined ? {} : { place }),
  };
}

/** A program, or why there is none. */
type Made =
  | { readonly program: Program; readonly why?: undefined }
  | { readonly program?: undefined; readonly why: string };

/** How the reasons of one sort of expression begin. */
interface Words {
  readonly wrongType: string;
  readonly compile: string;
  readonly plan: string;
}

const OF_RULES: Words = {
  wrongType: "cel expression must evaluate to a bool",
  compile: "compilation failed: ",
  plan: "program instantiation failed: ",
};
const OF_MESSAGES: Words = {
  wrongType: "messageExpression must evaluate to a string",
  compile: "messageExpression compilation failed: ",
  plan: "messageExpression instantiation failed: ",
};

function compileAs(
  text: string,
  type: Type,
  words: Words,
  { optionalOldSelf }: RuleSource,
  declaration: Declaration,
): Made {
  const self = declaration.type;
  const variables = new Map([
    ["self", self],
    ["oldSelf", optionalOldSelf ? optionalOf(self) : self],
  ]);
  const compiled = compile(text, {
    functions: allFunctions(),
    variables,
    sizeAt: (path) => sizeBelow(declaration, path),
  });
  const { program, error } = compiled;
  const got = program ? program.type : compiled.type;
  if (got && got.kind !== type.kind) return { why: words.wrongType };
  if (program) return { program };
  return { why: got ? error.replace(/^program: /, words.plan) : `${words.compile}${error}` };
}
