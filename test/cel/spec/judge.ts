/**
 * Holds our parser, checker and planner to the specification's tests.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { check } from "../../../src/cel/check.ts";
import type { Environment } from "../../../src/cel/environment.ts";
import { issuesText } from "../../../src/cel/issues.ts";
import { allFunctions } from "../../../src/cel/library/index.ts";
import { parse } from "../../../src/cel/parser.ts";
import { compile } from "../../../src/cel/program.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  INT,
  NULL,
  STRING,
  type Type,
  UINT,
  shownType,
  typeText,
} from "../../../src/cel/types.ts";
import { Failure, type Value } from "../../../src/cel/values.ts";
import { sameAnswer, written } from "../written.ts";
import { type Answer, type Want, answerTo } from "./answers.ts";
import type { Question, SpecCase } from "./data.ts";
import { outside, outsideTree } from "./scope.ts";
import { checkedText, treeText, withoutReferences } from "./tree.ts";
import { typeOf, valueOf } from "./values.ts";

/** What came of a test. */
export type Verdict =
  | { readonly kind: "passed" }
  /** It is about something that expressions of Kubernetes do not have. */
  | { readonly kind: "outside"; readonly reason: string }
  | { readonly kind: "failed"; readonly what: string };

const PASSED: Verdict = { kind: "passed" };
const left = (reason: string): Verdict => ({ kind: "outside", reason });
const failed = (what: string): Verdict => ({ kind: "failed", what });
const compared = (want: unknown, got: unknown): Verdict =>
  isDeepStrictEqual(want, got) ? PASSED : failed(difference(want, got));

/** Of two texts of several lines the first that differs. */
function difference(want: unknown, got: unknown): string {
  const [wants, gots] = [want, got].map((one) => show(one).split("\n")) as [string[], string[]];
  const at = wants.findIndex((line, i) => line !== gots[i]);
  const line = at < 0 ? wants.length : at;
  return `expected ${wants[line] ?? "no more"}\n       got ${gots[line] ?? "no more"}`;
}

const show = (value: unknown): string =>
  typeof value === "string" || typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "nothing");

/** Holds us to one test. */
export type Judge = (one: SpecCase) => Verdict;

/** Nothing that is asked may throw. */
function guarded(judge: Judge): Judge {
  return (one) => {
    try {
      return judge(one);
    } catch (error) {
      return failed(`threw ${String(error)}`);
    }
  };
}

/** A test of whose kind none is recorded here. */
const NOT_RECORDED = left("nothing recorded");

/** The tree of the parser, node by node; of what it refuses the first place. */
export const judgeParse: Judge = guarded((one) => {
  const reason = outsideTree(one);
  if (reason !== undefined) return left(reason);
  const { expr, issues } = { expr: undefined, ...parse(one.ask.expr) };
  if (one.ast !== undefined)
    return expr ? compared(one.ast, treeText(expr)) : failed(issuesText(one.ask.expr, issues!));
  if (expr) return failed(`expected ${one.error}\n     got ${treeText(expr)}`);
  return compared(place(one.error!), place(issuesText(one.ask.expr, issues!)));
});

const place = (text: string): string => /:(-?\d+:\d+):/.exec(text)?.[1] ?? "nowhere";

/** The checked tree, node by node, and the type; of what is refused the whole message. */
export const judgeCheck: Judge = guarded((one) => {
  const reason = outsideTree(one);
  if (reason !== undefined) return left(reason);
  const parsed = parse(one.ask.expr);
  if (one.ast === undefined || parsed.issues) return NOT_RECORDED;
  const result = check(parsed.expr, environmentOf(one));
  const message = result.issues && issuesText(one.ask.expr, result.issues);
  if (isOtherCheck(one)) return left(OTHERWISE);
  if (one.checkedAst === undefined) return compared(messageOf(one), message);
  if (!result.issues)
    return compared(
      `${withoutReferences(one.checkedAst)}\n${one.type}`,
      `${withoutReferences(checkedText(result.checked))}\n${shownType(result.checked.type)}`,
    );
  return failed(message!);
});

/** The value, the type or the fact of an error. */
export const judgeRun: Judge = guarded((one) => {
  const reason = outside(one);
  if (reason !== undefined) return left(reason);
  if (isOtherRun(one)) return left(OTHERWISE);
  const { ask } = one;
  const compiled = compile(ask.expr, environmentOf(one));
  if (compiled.error !== undefined) return refused(one, compiled.error);
  const { program } = compiled;
  const type = ask.typedResult?.deducedType && typeOf(ask.typedResult.deducedType);
  if (type && shownType(type) !== shownType(program.type)) return compared(shownType(type), shownType(program.type));
  return ask.checkOnly ? PASSED : ran(one, program.run(bindingsOf(one)).value);
});

function ran({ ask }: SpecCase, value: Value): Verdict {
  if (ask.evalError)
    return value instanceof Failure ? PASSED : failed(`expected an error, got ${show(written(value))}`);
  if (value instanceof Failure) return failed(value.message);
  const [want, got] = [written(wanted(ask)!), written(value)];
  return sameAnswer("value", want, got) ? PASSED : compared(want, got);
}

const OTHERWISE = "answered otherwise by Kubernetes: held to that";

function refused(one: SpecCase, error: string): Verdict {
  return one.ask.evalError ? PASSED : failed(error);
}

/** The value that the specification wants; undefined for an error. */
const wanted = ({ evalError, value, typedResult }: Question): Value | undefined =>
  evalError ? undefined : valueOf(value ?? typedResult?.result ?? { boolValue: true });

/** Whether a real server's libraries give another value. */
function isOtherRun(one: SpecCase): boolean {
  const answer = answerTo(one);
  if (!answer || one.ask.checkOnly) return answer?.["compile"] !== undefined;
  const want = wanted(one.ask);
  return !sameAnswer("value", want === undefined ? undefined : written(want), answer["value"]);
}

/** Whether they refuse what the recording let pass, or the other way round, or with other words. */
function isOtherCheck(one: SpecCase): boolean {
  const answer = answerTo(one);
  return answer !== undefined && answer["compile"] !== messageOf(one);
}

const messageOf = ({ error }: SpecCase): string | undefined =>
  error?.replace(/^ERROR: .*?:(?=\d+:\d+: )/gm, "ERROR: <input>:");

/** Type, estimate, value or error, and cost, as the libraries of a real server answer; syntax errors by their place. */
export const judgeAnswer = ({ expr, want }: Answer): Verdict =>
  guarded(() => answered(expr, want))({ name: expr, ask: { expr } });

function answered(expr: string, want: Want): Verdict {
  const got = answerOf(expr);
  const parts = Object.keys({ ...want, ...got }).filter((part) => !sameAnswer(part, want[part], got[part]));
  return parts.length === 0
    ? PASSED
    : failed(parts.map((part) => `${part}: ${difference(want[part], got[part])}`).join("\n  "));
}

function answerOf(expr: string): Want {
  const compiled = compile(expr, { functions: allFunctions(), variables: new Map() });
  if (compiled.error !== undefined)
    return { compile: compiled.error, ...(compiled.type ? { type: typeText(compiled.type) } : {}) };
  const { program } = compiled;
  const { value, cost } = program.run([], 10_000_000);
  const result = value instanceof Failure ? { error: value.message } : { value: written(value) };
  return { type: typeText(program.type), min: program.cost.min, max: program.cost.max, ...result, cost };
}

/** Variables that all tests of the original's checker have. */
const OF_ALL: readonly (readonly [string, Type])[] = [
  ["is", STRING],
  ["ii", INT],
  ["iu", UINT],
  ["iz", BOOL],
  ["ib", BYTES],
  ["id", DOUBLE],
  ["ix", NULL],
];

function environmentOf({ ask }: SpecCase): Environment {
  const declared = (ask.typeEnv ?? []).flatMap(({ name, ident }): [string, Type][] =>
    ident ? [[name, typeOf(ident.type)!]] : [],
  );
  return { functions: allFunctions(), variables: new Map([...(ask.name === undefined ? OF_ALL : []), ...declared]) };
}

function bindingsOf(one: SpecCase): (Value | undefined)[] {
  const { bindings = {} } = one.ask;
  return [...environmentOf(one).variables.keys()].map((name) => {
    const json = bindings[name]?.value;
    return json && valueOf(json);
  });
}
