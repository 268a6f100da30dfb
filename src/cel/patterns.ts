/**
 * Regular expressions: RE2, unanchored; the latest compiled ones are kept.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { isFound } from "../util/found.ts";
import { Failure } from "./values.ts";

/** A compiled pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** The first match, or nothing. */
  find(text: string): string;
  /** The matches, at most so many; all for a negative number. */
  findAll(text: string, most: number): string[];
}

const MOST_PATTERNS = 500;
const patterns = new Map<string, Pattern | Failure>();

/** The pattern of a text; a failure where it is none. */
export function patternOf(text: string): Pattern | Failure {
  let pattern = patterns.get(text);
  if (pattern) return pattern;
  pattern = compiled(text);
  if (patterns.size >= MOST_PATTERNS) patterns.delete(patterns.keys().next().value!);
  patterns.set(text, pattern);
  return pattern;
}

function compiled(text: string): Pattern | Failure {
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(text);
  } catch (error) {
    return new Failure(error instanceof Error ? error.message : String(error));
  }
  return {
    test: (input) => isFound(regex, input),
    find(input) {
      const matcher = regex.matcher(input);
      return matcher.find() ? (matcher.group() ?? "") : "";
    },
    findAll(input, most) {
      const matcher = regex.matcher(input);
      const found: string[] = [];
      let end = -1;
      while ((most < 0 || found.length < most) && matcher.find()) {
        // An empty match right behind another one is none.
        if (matcher.start() === matcher.end() && matcher.start() === end) continue;
        found.push(matcher.group() ?? "");
        end = matcher.end();
      }
      return found;
    },
  };
}
