/**
 * Compiles the rules of one schema: rule, messageExpression and fieldPath (CEL-36..39).
 *
 * @module
 */
import type { Steps } from "../../util/steps.ts";
import { checkWork } from "../../util/work-limit.ts";
import { allFunctions } from "../library/index.ts";
import { type Program, compileSteps } from "../program.ts";
import { type Declaration, type RuleSource, type Schema, sizeBelow } from "../schema/declaration.ts";
import { BOOL, STRING, type Type, optionalOf } from "../types.ts";
import { fieldWithin } from "./field-within.ts";

/** A compiled rule. */
export interface Rule {
  readonly source: RuleSource;
  /** Undefined where the rule is empty or invalid. */
  readonly program?: Program;
  /** The error of the compilation. */
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** The messageExpression. */
  readonly message?: Program;
  readonly messageError?: string;
  /** The fieldPath, in the form of causes. */
  readonly place?: string;
}

/** What compiling a character takes, in units of {@link checkWork}; beyond 33,000 characters a step would be long. */
const A_CHARACTER = 30;

/**
 * Compiles the rules of a schema in their order, in steps.
 *
 * @throws WorkTooLong where a step would take too long on this thread
 */
export function* compileRules(schema: Schema, declaration: Declaration): Steps<readonly Rule[]> {
  const rules: Rule[] = [];
  for (const source of schema["x-kubernetes-validations"] ?? []) {
    checkWork(Math.max(source.rule.length, source.messageExpression?.length ?? 0) * A_CHARACTER);
    rules.push(yield* compileRule(source, schema, declaration));
    yield;
  }
  return rules;
}

function* compileRule(source: RuleSource, schema: Schema, declaration: Declaration): Steps<Rule> {
  const { rule, messageExpression = "", fieldPath = "" } = source;
  if (rule.trim() === "") return { source, usesOldSelf: false };
  const compiled = yield* compileAs(rule, BOOL, RULE_ERRORS, source, declaration);
  if (!compiled.program) return { source, usesOldSelf: false, error: compiled.why };
  const { program } = compiled;
  const message =
    messageExpression === ""
      ? undefined
      : yield* compileAs(messageExpression, STRING, MESSAGE_ERRORS, source, declaration);
  const place = fieldPath === "" ? undefined : fieldWithin(schema, fieldPath);
  return {
    source,
    program,
    usesOldSelf: program.variables.has("oldSelf"),
    ...(message?.program ? { message: message.program } : {}),
    ...(message?.why === undefined ? {} : { messageError: message.why }),
    ...(place === undefined ? {} : { place }),
  };
}

/** A program, or the error of its compilation. */
type CompiledRule =
  | { readonly program: Program; readonly why?: undefined }
  | { readonly program?: undefined; readonly why: string };

/** The error messages of one kind of expressions. */
interface ErrorTexts {
  readonly wrongType: string;
  readonly compile: string;
  readonly plan: string;
}

const RULE_ERRORS: ErrorTexts = {
  wrongType: "cel expression must evaluate to a bool",
  compile: "compilation failed: ",
  plan: "program instantiation failed: ",
};
const MESSAGE_ERRORS: ErrorTexts = {
  wrongType: "messageExpression must evaluate to a string",
  compile: "messageExpression compilation failed: ",
  plan: "messageExpression instantiation failed: ",
};

function* compileAs(
  text: string,
  type: Type,
  texts: ErrorTexts,
  { optionalOldSelf }: RuleSource,
  declaration: Declaration,
): Steps<CompiledRule> {
  const self = declaration.type;
  const variables = new Map([
    ["self", self],
    ["oldSelf", optionalOldSelf ? optionalOf(self) : self],
  ]);
  const compiled = yield* compileSteps(text, {
    functions: allFunctions(),
    variables,
    sizeAt: (path) => sizeBelow(declaration, path),
  });
  const { program, error } = compiled;
  const got = program ? program.type : compiled.type;
  if (got && got.kind !== type.kind) return { why: texts.wrongType };
  if (program) return { program };
  return { why: got ? error.replace(/^program: /, texts.plan) : `${texts.compile}${error}` };
}
