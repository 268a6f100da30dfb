/**
 * Compares the result of a case with its expectation.
 *
 * @module
 */
import { formatPointer } from "../../value/pointer.ts";
import { type Value, equal, isObject } from "../../value/value.ts";
import { regexOf } from "../../util/regex.ts";
import type { CaseOutcome } from "./run-case.ts";
import type { Expectation } from "./suite.ts";

/** Describes the differences from the expectation; empty where there are none. */
export function failuresOf(expect: Expectation, outcome: CaseOutcome): readonly string[] {
  return [
    ...resultFailures(expect, outcome),
    ...messageFailures(expect, outcome),
    ...warningFailures(expect, outcome),
    ...annotationFailures(expect, outcome),
    ...objectFailures(expect, outcome),
    ...(expect.violations ?? []).flatMap((one) => violationFailures(one, outcome)),
  ];
}

const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

function resultFailures({ result, isMatched, by }: Expectation, outcome: CaseOutcome): string[] {
  const { refusal, refusedBy } = outcome;
  const found = refusal !== undefined ? "denied" : outcome.isMatched ? "allowed" : "skipped";
  const isExpected = result === undefined || result === found || (result === "allowed" && found === "skipped");
  const why = refusal === undefined ? "" : `: ${refusal}`;
  return [
    ...(isExpected ? [] : [`expected the write to be ${result}, it is ${found}${why}`]),
    ...(isMatched && !outcome.isMatched ? ["expected a policy to match, none does"] : []),
    ...(by !== undefined && !refusedBy.includes(by) ? [`expected ${by} to refuse, got ${shown(refusedBy)}`] : []),
  ];
}

const messageFailures = ({ messages = [] }: Expectation, { refusal }: CaseOutcome): string[] =>
  messages
    .filter((text) => !refusal?.includes(text))
    .map((text) => `expected a refusal with the message ${shown(text)}, got ${shown(refusal)}`);

function warningFailures({ warnings: expected }: Expectation, { warnings }: CaseOutcome): string[] {
  if (!expected) return [];
  if (expected.length === 0) return warnings.length === 0 ? [] : [`expected no warnings, got ${shown(warnings)}`];
  return expected
    .filter((text) => !warnings.some((warning) => warning.includes(text)))
    .map((text) => `expected a warning with ${shown(text)}, got ${shown(warnings)}`);
}

function annotationFailures({ auditAnnotations = {} }: Expectation, outcome: CaseOutcome): string[] {
  return Object.entries(auditAnnotations)
    .filter(([key, value]) => outcome.auditAnnotations.get(key) !== value)
    .map(([key, value]) => {
      const got = shown(Object.fromEntries(outcome.auditAnnotations));
      return `expected the audit annotation ${key}: ${shown(value)}, got ${got}`;
    });
}

function objectFailures({ object: expected }: Expectation, { object }: CaseOutcome): string[] {
  return expected === undefined ? [] : [...missingIn(expected, object, [])];
}

/** The parts of an object that another one lacks: it may have more members, but not more items in lists. */
function* missingIn(expected: Value, found: Value | undefined, path: readonly (string | number)[]): Generator<string> {
  if (isObject(expected) && isObject(found)) {
    for (const [name, value] of Object.entries(expected)) {
      yield* missingIn(value, Object.hasOwn(found, name) ? found[name] : undefined, [...path, name]);
    }
    return;
  }
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    for (const [i, value] of expected.entries()) yield* missingIn(value, found[i], [...path, i]);
    return;
  }
  if (found !== undefined && equal(expected, found)) return;
  yield `expected the object to have ${formatPointer([...path]) || "/"} = ${shown(expected)}, got ${shown(found)}`;
}

function violationFailures(
  { count, message }: NonNullable<Expectation["violations"]>[number],
  { violations }: CaseOutcome,
): string[] {
  const pattern = message === undefined ? undefined : regexOf(message);
  const found = violations.filter((one) => pattern?.test(one.message) ?? true).length;
  if (count === "some" ? found > 0 : found === count) return [];
  const about = message === undefined ? "" : ` with the message ${message}`;
  return [`expected ${count} violations${about}, got ${found} of ${shown(violations.map((one) => one.message))}`];
}
