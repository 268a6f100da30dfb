/**
 * What the decoders of this room share: their error, their result and their limits.
 *
 * @module
 */

import type { Value } from "./value.ts";

/**
 * Why a body was not decoded.
 *
 * - `malformed`: it is not the format that it claims to be.
 * - `tooDeep`: its values are nested deeper than the limit.
 * - `tooLarge`: its aliases stand for more than the limit.
 * - `invalidUtf8`: its text is no Unicode (CM-4).
 */
export type DecodeErrorCode = "malformed" | "tooDeep" | "tooLarge" | "invalidUtf8";

/** A body that cannot be decoded; the only error that the decoders throw. A server answers 400. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code: DecodeErrorCode;

  constructor(code: DecodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a decoder gives. */
export interface Decoded {
  readonly value: Value;
  /**
   * The members that were given more than once, as `spec.containers[0].name`, in the order of the text, at most
   * {@link MAX_DUPLICATES}. JSON tells each path once, YAML each repetition, as the strict decoders of the real server do.
   */
  readonly duplicates: string[];
  /** The text, of JSON that has duplicates: for those who want to know what stands where. */
  readonly json?: string;
  /** The same of a YAML text in the words of the strict decoder of the real server, which name lines; absent where there is none. */
  readonly unmarshalErrors?: string;
}

/**
 * How deep values may be nested unless the caller says otherwise: a thousand (the real server takes ten thousand), and
 * some more for what holds them. Much of the code walks values recursively, which ends between two and four thousand.
 */
export const DEFAULT_DEPTH = 1024;

/** How many duplicates are reported; the rest changes nothing for the reader and could be millions. */
export const MAX_DUPLICATES = 100;

/** One step of the way to a value: a member name or an index. */
export type Step = string | number;

/** The path of a member in the form of {@link Decoded.duplicates}. */
export function pathText(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}

/** A place in a text for people: `line 3, column 7`, both counted from one. */
export function placeText(text: string, at: number): string {
  const before = text.lastIndexOf("\n", at - 1);
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < at; i = text.indexOf("\n", i + 1)) line++;
  return `line ${line}, column ${at - before}`;
}

/** The character at a place for people, or what stands for its absence. */
export function foundText(text: string, at: number): string {
  return at >= text.length ? "the end" : JSON.stringify(String.fromCodePoint(text.codePointAt(at)!));
}
