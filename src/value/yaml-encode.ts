/**
 * Values to YAML text, for answers, as `sigs.k8s.io/yaml` writes them: block style, members in the order of their names, texts
 * without quotes where they mean themselves, long lines broken at the first blank behind column 80.
 *
 * @module
 */

import { atOnce, type Steps } from "../util/steps.ts";
import { asJsonNumber, type Value, type ValueObject } from "./value.ts";
import { isTaken, numberText } from "./yaml-scalar.ts";

/** The YAML text of a value, one document without a marker, ending in a newline. */
export const encodeYaml = (value: Value): string => [...atOnce(yamlLines(value)).pieces()].join("");

/** The lines of the same text, in steps. */
export function* yamlLines(value: Value): Steps<YamlLines> {
  const writer = new Writer(value);
  while (writer.write(NODES_AT_ONCE)) yield;
  return writer.lines;
}

/** Members and items that are written in one step. */
const NODES_AT_ONCE = 500;
/** Characters that {@link YamlLines.pieces} gives together. */
const PIECE = 65_536;

/**
 * Lines, each with the number of blanks in front of it: what is deep has more blanks than text, and they are there only in the
 * piece that is made of it.
 */
export class YamlLines {
  readonly #texts: string[] = [];
  readonly #indents: number[] = [];

  /** Adds a line. */
  add(indent: number, text: string): void {
    this.#texts.push(text);
    this.#indents.push(indent);
  }

  /**
   * The text in pieces, all lines ending in a newline.
   *
   * @param margin blanks in front of every line but the first and empty ones
   */
  *pieces(margin = 0): Generator<string> {
    let piece = "";
    for (const [i, text] of this.#texts.entries()) {
      const indent = this.#indents[i]! + (i > 0 && text !== "" ? margin : 0);
      piece += `${" ".repeat(indent)}${text}\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
    yield piece;
  }
}

/** An object or a list of which `at` parts have been written, each further one in lines that begin with `indent` blanks. */
interface Open {
  readonly of: ValueObject | readonly Value[];
  /** In the order in which they are written; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  at: number;
  /** What the line of the first part begins with. */
  readonly first: Head;
  readonly indent: number;
}

/** The beginning of a line: blanks, and the dashes of the items that begin in it. */
interface Head {
  readonly indent: number;
  readonly text: string;
}

/** Writes lines; what has been begun is kept on a stack, so that it may stop after any part. */
class Writer {
  readonly lines = new YamlLines();
  readonly #open: Open[] = [];

  constructor(value: Value) {
    this.#node(value, { indent: 0, text: "" }, 0);
  }

  /** Writes so many parts at most; whether there are more. */
  write(most: number): boolean {
    for (let left = most; left > 0; left--) {
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
      this.#node((of as readonly Value[])[at]!, { ...start, text: `${start.text}- ` }, indent + 2);
      return;
    }
    const key = keys[at]!;
    const value = (of as ValueObject)[key]!;
    this.#node(value, { ...start, text: `${start.text}${inlineString(key)}:` }, childIndent(value, indent));
  }

  /** Begins a value whose first line begins with `head` (which ends in `key:` or `- `); further lines get `indent`. */
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
    const keys = Array.isArray(value) ? undefined : byName(Object.keys(value));
    const { length } = keys ?? (value as Value[]);
    if (length === 0) {
      lines.add(head.indent, `${space}${keys ? "{}" : "[]"}`);
      return;
    }
    // The first part of an item stands in the line of its dash.
    const isItem = head.text.endsWith("- ");
    if (!isItem && head.text !== "") lines.add(head.indent, head.text);
    this.#open.push({ of: value, keys, length, at: 0, first: isItem ? head : { indent, text: "" }, indent });
  }
}

/** A sequence stands in the column of its key, as the reference writes it; everything else two columns further. */
const childIndent = (value: Value, indent: number): number => (Array.isArray(value) ? indent : indent + 2);

/** Members by name, numbers inside names by value: `a2` before `a10`. */
function byName(names: readonly string[]): readonly string[] {
  if (names.length < 2) return names;
  const split = new Map(names.map((name) => [name, parts(name)]));
  return names.toSorted((a, b) => compareParts(split.get(a)!, split.get(b)!));
}

function compareParts(x: readonly string[], y: readonly string[]): number {
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] === y[i]) continue;
    const [m, n] = [x[i]!, y[i]!];
    return (isDigits(m) && isDigits(n) && compareNumbers(m, n)) || (m < n ? -1 : 1);
  }
  return x.length - y.length;
}

const parts = (name: string): string[] => (/\d/.test(name) && name.length <= 253 ? name.split(/(\d+)/) : [name]);
/** Of a part of a name, which is all digits or has none; names too long to be split count as none. */
const isDigits = (part: string): boolean => part.length <= 253 && /^\d/.test(part);

function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}

/** The width beyond which a line is broken at the next blank. */
const WIDTH = 80;

/** Characters that only a double-quoted scalar can hold: what the reference does not print, and line breaks beside `\n`. */
// eslint-disable-next-line no-control-regex -- these are the characters in question
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udfff]/;
const INDICATORS = "#,[]{}&*!|>'\"%@`";

function addString(lines: YamlLines, text: string, head: Head, indent: number): void {
  // What goes on stands deeper than what holds it, also at the top.
  const margin = indent === 0 ? 2 : indent;
  const hint = /^[ \n]/.test(text) ? "2" : "";
  // Readers differ about hints of a text that nothing holds.
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

/** Whether a text of several lines can be a block: nothing unprintable, no blank where blanks get lost. */
const isLiteral = (text: string): boolean => !UNPRINTABLE.test(text) && !text.endsWith(" ") && !text.includes(" \n");

/** A text of one line in the form that the reference gives a key. */
const inlineString = (text: string): string => inlineLines(text, -Infinity, 0)[0]!;

/** The lines of a text in the first form that can hold it: plain, in single or in double quotes. */
function inlineLines(text: string, column: number, margin: number): readonly string[] {
  if (UNPRINTABLE.test(text) || text.includes("\n")) return doubleQuoted(text, column, margin);
  if (isTaken(text)) {
    // As a key an empty text is in single quotes.
    return text === "" && column === -Infinity ? ["''"] : doubleQuoted(text, column, margin);
  }
  if (isPlain(text)) return folded(text, column, margin, 0);
  return folded(`'${text.replaceAll("'", "''")}'`, column, margin, 1);
}

/** Whether a text without line breaks, of which nothing is unprintable, means itself without quotes. */
function isPlain(text: string): boolean {
  const first = text[0]!;
  if (first === " " || text.endsWith(" ")) return false;
  if (text.startsWith("---") || text.startsWith("...") || INDICATORS.includes(first)) return false;
  if ("?:-".includes(first) && (text.length === 1 || text[1] === " ")) return false;
  return !text.includes(": ") && !text.endsWith(":") && !text.includes(" #");
}

/** Breaks a text at single blanks beyond the width; not at those of its first and last `edge` characters inside of quotes. */
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
  const code = char.codePointAt(0)!;
  const [mark, size] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).toUpperCase().padStart(Number(size), "0")}`;
}
