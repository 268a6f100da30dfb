/**
 * Regular expressions of rules.
 *
 * @module
 */
import { type Regex, RegexFault, regexOf } from "../util/regex.ts";
import { Failure } from "./values.ts";

/** The pattern of a text; a failure where it is none. */
export function patternOf(text: string): Regex | Failure {
  try {
    return regexOf(text);
  } catch (error) {
    if (error instanceof RegexFault) return new Failure(error.message);
    throw error;
  }
}
