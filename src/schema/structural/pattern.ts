/**
 * Regular expressions of schemas: RE2, which takes a time that grows with the text and no faster, whatever the pattern.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { isFound } from "../../util/found.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Whether it is found in a text. */
  test(text: string): boolean;
}

const MOST_PATTERNS = 2000;
const patterns = new Map<string, Pattern>();

/**
 * The pattern of a text; those that were asked for last are kept.
 *
 * @throws an error that says what is wrong with the text
 */
export function patternOf(text: string): Pattern {
  let pattern = patterns.get(text);
  if (pattern) return pattern;
  const compiled = RE2JS.compile(text);
  pattern = { test: (input) => isFound(compiled, input) };
  if (patterns.size >= MOST_PATTERNS) patterns.delete(patterns.keys().next().value!);
  patterns.set(text, pattern);
  return pattern;
}
