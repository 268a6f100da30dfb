/**
 * Validates literals: durations, timestamps, patterns, formats, and the element types of lists and maps (CEL-4, CEL-5, CEL-15).
 *
 * @module
 */
import type { Expr, Issue } from "./ast.ts";
import type { Checked } from "./checked.ts";
import { checkFormat } from "./library/format-text.ts";
import { patternOf } from "./patterns.ts";
import { durationIn, isWithinTimes, timestampIn } from "./times.ts";
import { type Type, isOptional, sameType, shownType } from "./types.ts";
import { Failure } from "./values.ts";

/** The children of a node. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.of];
    case "call":
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "message":
      return expr.fields.map(({ value }) => value);
    case "comprehension": {
      const { range, init, cond, step, result } = expr.comprehension;
      return [range, init, cond, step, result];
    }
    default:
      return [];
  }
}

const textOf = (expr: Expr | undefined): string | undefined =>
  expr?.kind === "const" && typeof expr.value === "string" ? expr.value : undefined;

/** The errors of the literals of an expression, by kind, then by position. */
export function literalIssues(checked: Checked): Issue[] {
  const found: Record<"durations" | "times" | "patterns" | "aggregates" | "formats", Issue[]> = {
    durations: [],
    times: [],
    patterns: [],
    aggregates: [],
    formats: [],
  };
  const walk = (expr: Expr, exempt: boolean): void => {
    if (expr.kind === "call") checkCall(expr, checked, found);
    if (!exempt && (expr.kind === "list" || expr.kind === "map")) found.aggregates.push(...mixed(expr, checked));
    const inFormat = expr.kind === "call" && expr.name === "format";
    for (const child of childrenOf(expr)) walk(child, inFormat || exempt);
  };
  walk(checked.expr, false);
  return [found.durations, found.times, found.patterns, found.aggregates, found.formats].flat();
}

/** Outside the range of timestamps. */
const BEYOND = 2n ** 128n;

function checkCall(
  expr: Expr & { kind: "call" },
  checked: Checked,
  found: Record<"durations" | "times" | "patterns" | "formats", Issue[]>,
): void {
  const [first] = expr.args;
  const text = textOf(first);
  const isNumber = first?.kind === "const" && typeof first.value === "bigint";
  if (expr.name === "duration" && (isNumber || (text !== undefined && !durationIn(text)))) {
    found.durations.push({ at: first!.at, message: "invalid duration argument" });
  }
  if (text !== undefined && expr.name === "timestamp" && !isWithinTimes(timestampIn(text)?.nanos ?? BEYOND)) {
    found.times.push({ at: first!.at, message: "invalid timestamp argument" });
  }
  if (expr.name === "matches") {
    const pattern = expr.target ? first : expr.args[1];
    const source = textOf(pattern);
    if (source !== undefined && patternOf(source) instanceof Failure) {
      found.patterns.push({ at: pattern!.at, message: "invalid matches argument" });
    }
  }
  const format = textOf(expr.target);
  if (expr.name === "format" && format !== undefined && first?.kind === "list") {
    const issue = checkFormat(format, first.elements, (element) => checked.typeOf(element));
    if (issue) found.formats.push({ at: issue.element?.at ?? expr.at, message: issue.message });
  }
}

/** Errors of elements, keys and values of other types than the first one. */
function mixed(expr: Expr & { kind: "list" | "map" }, checked: Checked): Issue[] {
  const issues: Issue[] = [];
  const compare = (members: readonly { readonly expr: Expr; readonly type: Type }[], most: number): void => {
    const [first, ...others] = members;
    for (const { expr: member, type } of others) {
      if (issues.length >= most) return;
      if (sameType(first!.type, type)) continue;
      issues.push({
        at: member.at,
        message: `expected type '${shownType(first!.type)}' but found '${shownType(type)}'`,
      });
    }
  };
  const typed = (member: Expr, optional: boolean): { readonly expr: Expr; readonly type: Type } => {
    const type = checked.typeOf(member);
    return { expr: member, type: optional && isOptional(type) ? type.params[0]! : type };
  };
  if (expr.kind === "list")
    compare(
      expr.elements.map((element, i) => typed(element, expr.optional.has(i))),
      1,
    );
  else {
    compare(
      expr.entries.map(({ key }) => typed(key, false)),
      Infinity,
    );
    compare(
      expr.entries.map(({ value, optional }) => typed(value, optional)),
      Infinity,
    );
  }
  return issues;
}
