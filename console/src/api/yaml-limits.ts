/**
 * What the page and the worker that reads texts both know, without the parser.
 *
 * @module
 */

/** The longest text in characters: what a plan takes. */
export const MAX_LENGTH = 3 * 1024 * 1024;

/** Says what is wrong with a text, and where. */
export class ParseFailure extends Error {
  override readonly name = "ParseFailure";
}
