/**
 * What of the specification's tests is about something that expressions of Kubernetes do not have: such tests are left out,
 * each for one of these reasons.
 *
 * @module
 */
import type { SpecCase } from "./data.ts";
import { typeOf, valueOf } from "./values.ts";

type Reason = readonly [reason: string, applies: (one: SpecCase) => boolean];

/** Reasons why a test does not apply at all. */
const ALL: readonly Reason[] = [
  ["messages and enumerations of protobuf", isOfMessages],
  ["names in a container", ({ ask }) => ask.container !== undefined],
  [
    "functions that the test declares itself",
    ({ ask }) => ask.typeEnv?.some((one) => one.function) === true || /\bf[gi]_s/.test(ask.expr),
  ],
  [
    "libraries that Kubernetes lacks",
    ({ ask }) =>
      /\b(?:math|base64|proto)\.\w|\bcel\.(?:bind|block|index|iterVar|accuVar)\b|\.reverse\(\)/.test(ask.expr),
  ],
  [
    "milliseconds of a duration: in Kubernetes all of them",
    ({ name }) => name.endsWith("duration_converters/get_milliseconds"),
  ],
  [
    "string.format of a later version, with a variable",
    ({ ask }) => ask.typeEnv?.some(({ name }) => name === "str_var") === true && /\.format\(/.test(ask.expr),
  ],
];

/** Reasons why the recorded trees and messages do not apply: what the recording had off is on in Kubernetes. */
const TREES: readonly Reason[] = [
  ["optional syntax and quoted names, off in the recording", ({ error }) => /unsupported syntax/.test(error ?? "")],
  ["macros of extensions, off in the recorded tree", hasOtherMacros],
  [
    "comparison of numbers of two types, off in the recording",
    ({ error }) =>
      /overload for '_[<>]=?_' applied to '\((?:int|uint|double), (?:int|uint|double)\)'/.test(error ?? ""),
  ],
  ["a smaller limit of depth in the recording", ({ error }) => /recursion (?:limit|depth) exceeded/.test(error ?? "")],
];

/** Why a test is left out; undefined when it applies. */
export const outside = (one: SpecCase): string | undefined => ALL.find(([, applies]) => applies(one))?.[0];

/** The same for its trees and messages. */
export const outsideTree = (one: SpecCase): string | undefined =>
  outside(one) ?? TREES.find(([, applies]) => applies(one))?.[0];

function isOfMessages({ ask, ast, checkedAst, error }: SpecCase): boolean {
  const { value = ask.typedResult?.result, bindings = {}, typeEnv = [] } = ask;
  const values = [value, ...Object.values(bindings).map((bound) => bound.value)];
  return (
    /[\w.]\{/.test(ast ?? "") ||
    /TestAllTypes|GlobalEnum|NestedEnum|google\.protobuf\.(?!Timestamp|Duration)/.test(
      `${ask.expr}${checkedAst}${error}`,
    ) ||
    typeEnv.some(({ ident }) => ident && typeOf(ident.type) === undefined) ||
    values.some((one) => one && valueOf(one) === undefined)
  );
}

function hasOtherMacros({ ask, ast, error }: SpecCase): boolean {
  const isExtension = /\.(?:optMap|optFlatMap|transformList|transformMap|transformMapEntry|existsOne|sortBy)\(/;
  const hasTwoVariables = /\.(?:all|exists|exists_one)\(/;
  return (
    isExtension.test(ask.expr) ||
    hasTwoVariables.test(ast ?? "") ||
    (error !== undefined && hasTwoVariables.test(error) && ast === undefined && isExtension.test(error))
  );
}
