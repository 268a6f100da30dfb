/**
 * An encoder of YAML for responses, as `sigs.k8s.io/yaml` writes it: block style, members in the order of their names, texts
 * without quotes where possible, long lines broken at the first space after column 80.
 *
 * @module
 */

import { atOnce, type Steps } from "../util/steps.ts";
import { asJsonNumber, type Value, type ValueObject } from "./value.ts";
import { needsQuotes, numberText } from "./yaml-scalar.ts";

/** Returns the YAML text of a value: one document without a marker, which ends with a newline. */
export const encodeYaml = (value: Value): string => [...atOnce(yamlLines(value)).pieces()].join("");

/** Returns the lines of the YAML text of a value, in steps. */
export function* yamlLines(value: Value): Steps<YamlLines> {
  const writer = new Writer(value);
  while (writer.write(NODES_A_STEP)) yield;
  return writer.lines;
}

/** How many members and items are written in one step. */
const NODES_A_STEP = 500;
/** The least length of a piece of {@link YamlLines.pieces}. */
const MIN_PIECE_LENGTH = 65_536;

/** Lines and their indentations; deep lines have more spaces than text, which exist only in the current piece. */
export class YamlLines {
  readonly #texts: string[] = [];
  readonly #indents: number[] = [];

  /** Adds a line. */
  add(indent: number, text: string): void {
    this.#texts.push(text);
    this.#indents.push(indent);
  }

  /**
   * Yields the text in pieces; all lines end with a newline.
   *
   * @param margin spaces before every line but the first and empty ones
   */
  *pieces(margin = 0): Generator<string> {
    let piece = "";
    for (const [i, text] of this.#texts.entries()) {
      const indent = (this.#indents[i] ?? 0) + (i > 0 && text !== "" ? margin : 0);
      piece += `${" ".repeat(indent)}${text}\n`;
      if (piece.length < MIN_PIECE_LENGTH) continue;
      yield piece;
      piece = "";
    }
    yield piece;
  }
}

/** A list, or an object with its keys in the order of the text. */
type Container =
  | { readonly of: readonly Value[]; readonly keys: undefined }
  | { readonly of: ValueObject; readonly keys: readonly string[] };

/** A container of which `at` parts have been written; lines of further parts begin with `indent` spaces. */
type Open = Container & {
  readonly length: number;
  at: number;
  /** The beginning of the line of the first part. */
  readonly first: Head;
  readonly indent: number;
};

/** The beginning of a line: spaces, and the dashes of the items that begin in it. */
interface Head {
  readonly indent: number;
  readonly text: string;
}

/** Writes lines with a stack of open containers, so that it can pause after any part. */
class Writer {
  readonly lines = new YamlLines();
  readonly #open: Open[] = [];

  constructor(value: Value) {
    this.#node(value, { indent: 0, text: "" }, 0);
  }

  /** Writes at most `max` parts; returns whether there are more. */
  write(max: number): boolean {
    for (let left = max; left > 0; left--) {
      const open = this.#open.at(-1);
      if (!open) return false;
      if (open.at === open.length) this.#open.pop();
      else this.#part(open, open.at++);
    }
    return this.#open.length > 0;
  }

  #part({ of, keys, first, indent }: Open, at: number): void {
    const start = at === 0 ? first : { indent, text: "" };
    if (!keys) {
      this.#node(of[at] ?? null, { ...start, text: `${start.text}- ` }, indent + 2);
      return;
    }
    const key = keys[at] ?? "";
    const value = of[key] ?? null;
    this.#node(value, { ...start, text: `${start.text}${inlineString(key)}:` }, childIndent(value, indent));
  }

  /** Writes a scalar or opens a container whose first line begins with `head` (which ends with `key:` or `- `). */
  #node(value: Value, head: Head, indent: number): void {
    const { lines } = this;
    const space = head.text === "" || head.text.endsWith(" ") ? head.text : `${head.text} `;
    if (typeof value === "string") {
      addString(lines, value, { ...head, text: space }, indent);
      return;
    }
    if (typeof value !== "object" || value === null || asJsonNumber(value)) {
      lines.add(
        head.indent,
        space + (typeof value === "number" ? numberText(value) : (JSON.stringify(value) ?? "null")),
      );
      return;
    }
    const container: Container = Array.isArray(value)
      ? { of: value, keys: undefined }
      : { of: value, keys: byName(Object.keys(value)) };
    const { length } = container.keys ?? container.of;
    if (length === 0) {
      lines.add(head.indent, `${space}${container.keys ? "{}" : "[]"}`);
      return;
    }
    // The first part of an item is in the line of its dash.
    const isItem = head.text.endsWith("- ");
    if (!isItem && head.text !== "") lines.add(head.indent, head.text);
    this.#open.push({ ...container, length, at: 0, first: isItem ? head : { indent, text: "" }, indent });
  }
}

/** A sequence begins in the column of its key, as in the reference; any other value two columns farther. */
const childIndent = (value: Value, indent: number): number => (Array.isArray(value) ? indent : indent + 2);

/** Sorts names; numbers in names are compared by value: `a2` before `a10`. */
function byName(names: readonly string[]): readonly string[] {
  if (names.length < 2) return names;
  const split = names.map((name) => ({ name, parts: partsOf(name) }));
  return split.sort((a, b) => compareParts(a.parts, b.parts)).map(({ name }) => name);
}

function compareParts(x: readonly string[], y: readonly string[]): number {
  for (const [i, m] of x.entries()) {
    const n = y[i];
    if (n === undefined) break;
    if (m !== n) return (isDigits(m) && isDigits(n) && compareNumbers(m, n)) || (m < n ? -1 : 1);
  }
  return x.length - y.length;
}

const partsOf = (name: string): string[] => (/\d/.test(name) && name.length <= 253 ? name.split(/(\d+)/) : [name]);
/** Whether a part of a name, which has only digits or none, has digits; a name that is too long to be split has none. */
const isDigits = (part: string): boolean => part.length <= 253 && /^\d/.test(part);

function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}

/** The width after which a line is broken at the next space. */
const WIDTH = 80;

/** Characters that need a double-quoted scalar: those that the reference does not print, and line breaks other than `\n`. */
// eslint-disable-next-line no-control-regex -- it searches for control characters
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udfff]/;
const INDICATORS = "#,[]{}&*!|>'\"%@`";

function addString(lines: YamlLines, text: string, head: Head, indent: number): void {
  // Further lines are indented, also at the top level.
  const margin = indent === 0 ? 2 : indent;
  const hint = /^[ \n]/.test(text) ? "2" : "";
  // Decoders differ about indentation hints at the top level.
  if (!text.includes("\n") || !isLiteral(text) || (indent === 0 && hint !== "")) {
    const column = head.indent + head.text.length;
    const [first = "", ...more] = inlineLines(text, column, margin);
    lines.add(head.indent, head.text + first);
    for (const line of more) lines.add(margin, line);
    return;
  }
  const chomp = text.endsWith("\n\n") || text === "\n" ? "+" : text.endsWith("\n") ? "" : "-";
  lines.add(head.indent, `${head.text}|${hint}${chomp}`);
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  for (const line of body.split("\n")) lines.add(line === "" ? 0 : margin, line);
}

/** Whether a text of several lines can be a block: it has no unprintable characters and no spaces at the end of lines. */
const isLiteral = (text: string): boolean => !UNPRINTABLE.test(text) && !text.endsWith(" ") && !text.includes(" \n");

/** A key in the form of the reference; it is one line. */
const inlineString = (text: string): string => inlineLines(text, -Infinity, 0).join(" ");

/** The lines of a text in the first possible form: plain, in single or in double quotes. */
function inlineLines(text: string, column: number, margin: number): readonly string[] {
  if (UNPRINTABLE.test(text) || text.includes("\n")) return doubleQuoted(text, column, margin);
  if (needsQuotes(text)) {
    // An empty key is in single quotes.
    return text === "" && column === -Infinity ? ["''"] : doubleQuoted(text, column, margin);
  }
  if (isPlain(text)) return folded(text, column, margin, 0);
  return folded(`'${text.replaceAll("'", "''")}'`, column, margin, 1);
}

/** Whether a printable text without line breaks needs no quotes. */
function isPlain(text: string): boolean {
  const first = text.charAt(0);
  if (first === " " || text.endsWith(" ")) return false;
  if (text.startsWith("---") || text.startsWith("...") || INDICATORS.includes(first)) return false;
  if ("?:-".includes(first) && (text.length === 1 || text[1] === " ")) return false;
  return !text.includes(": ") && !text.endsWith(":") && !text.includes(" #");
}

/** Breaks a text at single spaces beyond the width, but not within its first and last `edge` characters inside of quotes. */
function folded(text: string, column: number, margin: number, edge: number): string[] {
  const lines: string[] = [];
  let from = 0;
  let start = column;
  const last = text.length - 1 - edge;
  for (let at = text.indexOf(" ", edge + (edge > 0 ? 1 : 0)); at >= 0; at = text.indexOf(" ", at + 1)) {
    if (start + at - from <= WIDTH || text[at - 1] === " " || text[at + 1] === " " || at >= last + (edge > 0 ? 0 : 1))
      continue;
    lines.push(text.slice(from, at));
    from = at + 1;
    start = margin;
  }
  lines.push(text.slice(from));
  return lines;
}

const ESCAPED: Readonly<Record<string, string>> = {
  "\0": "0",
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\u001b": "e",
  '"': '"',
  "\\": "\\",
  "\u0085": "N",
  "\u2028": "L",
  "\u2029": "P",
};

function doubleQuoted(text: string, column: number, margin: number): string[] {
  const lines: string[] = [];
  let line = '"';
  let start = column;
  let wasBlank = false;
  let at = 0;
  for (const char of text.toWellFormed()) {
    const isBlank = char === " ";
    const isInside = at > 0 && at < text.length - 1;
    at += char.length;
    if (isBlank && !wasBlank && isInside && start + line.length > WIDTH) {
      lines.push(line);
      line = text[at] === " " ? "\\" : "";
      start = margin;
    } else line += isBlank ? " " : escaped(char);
    wasBlank = isBlank;
  }
  lines.push(`${line}"`);
  return lines;
}

function escaped(char: string): string {
  const letter = ESCAPED[char];
  if (letter !== undefined) return `\\${letter}`;
  if (!UNPRINTABLE.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  const [mark, size] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).toUpperCase().padStart(Number(size), "0")}`;
}
