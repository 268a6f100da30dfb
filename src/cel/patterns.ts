/**
 * Regular expressions.
 *
 * @module
 */
import { type Regex, RegexFault, regexOf } from "../util/regex.ts";
import { Failure } from "./values.ts";

/** Compiles a regular expression; a failure for an invalid one. */
export function patternOf(text: string): Regex | Failure {
  try {
    return regexOf(text);
  } catch (error) {
    if (error instanceof RegexFault) return new Failure(error.message);
    throw error;
  }
}
