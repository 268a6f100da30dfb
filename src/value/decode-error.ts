/**
 * The error, the result and the limits of the decoders of this room.
 *
 * @module
 */

import type { Value } from "./value.ts";

/**
 * The reason why a body was not decoded.
 *
 * - `malformed`: the syntax is wrong.
 * - `tooDeep`: the values are nested deeper than the limit.
 * - `tooLarge`: the text has more members, or larger aliases, than the limit.
 * - `invalidUtf8`: the text is not valid Unicode (CM-4).
 */
export type DecodeErrorCode = "malformed" | "tooDeep" | "tooLarge" | "invalidUtf8";

/** Says why a body cannot be decoded; the only error of the decoders. A server responds with 400. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code: DecodeErrorCode;

  constructor(code: DecodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The result of a decoder. */
export interface Decoded {
  readonly value: Value;
  /**
   * The duplicate members, as `spec.containers[0].name`, in the order of the text, at most {@link MAX_DUPLICATES}. For JSON
   * each path once, for YAML each repetition, as the strict decoders of kube-apiserver report them.
   */
  readonly duplicates: string[];
  /** The text of JSON with duplicates. */
  readonly json?: string;
  /** The message of kube-apiserver's strict decoder for the duplicates of a YAML text, with their lines. */
  readonly unmarshalErrors?: string;
}

/**
 * The default depth of nested values: 1000, and some more for their containers. kube-apiserver accepts 10,000, but recursive
 * functions overflow the stack between 2000 and 4000.
 */
export const DEFAULT_DEPTH = 1024;

/** How many duplicates are reported; a text may have millions. */
export const MAX_DUPLICATES = 100;

/** One step of a path: a member name or an index. */
export type Step = string | number;

/** Returns the path of a member in the form of {@link Decoded.duplicates}. */
export function pathText(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}

/** Describes a position in a text: `line 3, column 7`, both counted from one. */
export function positionText(text: string, at: number): string {
  const before = text.lastIndexOf("\n", at - 1);
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) line++;
  return `line ${line}, column ${at - before}`;
}

/** Describes the character at a position, or the end of the text. */
export function foundText(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "the end" : JSON.stringify(String.fromCodePoint(code));
}
