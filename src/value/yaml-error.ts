/**
 * Positions in YAML texts, and errors that name them.
 *
 * @module
 */
import { DecodeError } from "./decode-error.ts";

/** Returns the error of an invalid YAML text, with its position and the message of the decoder in Go. */
export function yamlError(text: string, at: number, problem: string): DecodeError {
  const { line, column } = positionOf(text, at);
  return new DecodeError("malformed", `yaml: line ${line}, column ${column}: ${problem}`);
}

/** The line and the column at an index, both counted from one; columns are characters of Unicode. */
function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let i = 0; i < at; i++) {
    if (!isLineEnd(text, i)) continue;
    line++;
    start = i + 1;
  }
  let column = 1;
  for (let i = start; i < at; i++) if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) column++;
  return { line, column };
}

/** Returns the lines of indices, which are in any order; lines are counted from one. */
export function linesOf(text: string, indices: readonly number[]): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  let line = 1;
  let at = 0;
  for (const index of indices.toSorted((a, b) => a - b)) {
    for (; at < index; at++) if (isLineEnd(text, at)) line++;
    lines.set(index, line);
  }
  return lines;
}

/** Whether the character at an index ends a line. */
function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x0d) return text.charCodeAt(at + 1) !== 0x0a;
  return code === 0x0a || code === 0x85 || code === 0x2028 || code === 0x2029;
}
