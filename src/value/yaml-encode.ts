/**
 * Values to YAML text, for answers: block style, members in the order of their names, strings quoted wherever any YAML
 * reader might take them for something else. What comes out reads back as the same JSON with YAML 1.1 and 1.2 readers.
 *
 * @module
 */

import { atOnce, type Steps } from "../util/steps.ts";
import { asJsonNumber, type Value, type ValueObject } from "./value.ts";

/** The YAML text of a value, one document without a marker, ending in a newline. Long strings are not folded. */
export const encodeYaml = (value: Value): string => atOnce(encodeYamlSteps(value));

/** {@link encodeYaml} in steps. */
export function* encodeYamlSteps(value: Value): Steps<string> {
  const writer = new Writer(value);
  while (writer.write(NODES_AT_ONCE)) yield;
  yield;
  return writer.lines.join("\n") + "\n";
}

/** Members and items that are written in one step. */
const NODES_AT_ONCE = 500;

/** An object or a list of which `at` parts have been written, each further one in lines that begin with `indent`. */
interface Open {
  readonly of: ValueObject | readonly Value[];
  /** In the order in which they are written; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  at: number;
  /** What the line of the first part begins with, where that is not `indent`. */
  readonly first: string;
  readonly indent: string;
}

/** Writes lines; what has been begun is kept on a stack, so that it may stop after any part. */
class Writer {
  readonly lines: string[] = [];
  readonly #open: Open[] = [];

  constructor(value: Value) {
    this.#node(value, "", "");
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
    const start = at === 0 ? first : indent;
    if (!keys) return this.#node((of as readonly Value[])[at]!, `${start}- `, `${indent}  `);
    const key = keys[at]!;
    const value = (of as ValueObject)[key]!;
    this.#node(value, `${start}${inlineString(key)}:`, childIndent(value, indent));
  }

  /** Begins a value whose first line begins with `head` (indentation and `key:` or `-`); further lines get `indent`. */
  #node(value: Value, head: string, indent: string): void {
    const { lines } = this;
    const space = head === "" || head.endsWith(" ") ? head : `${head} `;
    if (typeof value === "string") {
      for (const line of stringLines(value, space, indent)) lines.push(line);
      return;
    }
    if (typeof value !== "object" || value === null || asJsonNumber(value)) {
      return void lines.push(space + (JSON.stringify(value) ?? "null"));
    }
    const keys = Array.isArray(value) ? undefined : byName(Object.keys(value));
    const { length } = keys ?? (value as Value[]);
    if (length === 0) return void lines.push(`${space}${keys ? "{}" : "[]"}`);
    // The first part of an item stands in the line of its dash.
    const isItem = head.endsWith("- ");
    if (!isItem && head !== "") lines.push(head);
    this.#open.push({ of: value, keys, length, at: 0, first: isItem ? head : indent, indent });
  }
}

/** A sequence stands in the column of its key, as the reference writes it; everything else two columns further. */
const childIndent = (value: Value, indent: string): string => (Array.isArray(value) ? indent : `${indent}  `);

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

/** Text that no YAML reader takes for anything else, whatever its version. */
const PLAIN = /^[A-Za-z/][A-Za-z0-9_./-]*(?:[ :=,+@*()][A-Za-z0-9_./-]+)*$/;
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/** Characters that only a double-quoted scalar can hold: controls, and what YAML takes for a line break or a mark. */
// eslint-disable-next-line no-control-regex -- these are the characters in question
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udfff]/;

function stringLines(text: string, head: string, indent: string): string[] {
  if (!text.includes("\n") || !isLiteral(text)) return [head + inlineString(text)];
  const chomp = text.endsWith("\n\n") || text === "\n" ? "+" : text.endsWith("\n") ? "" : "-";
  const body = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  // The lines of a block stand deeper than what holds it, also at the top.
  const margin = indent === "" ? "  " : indent;
  return [`${head}|${chomp}`, ...body.map((line) => (line === "" ? "" : margin + line))];
}

/** Whether a text of several lines can be a block: nothing unprintable but tabs, no blank where blanks get lost. */
function isLiteral(text: string): boolean {
  return !UNPRINTABLE.test(text.replaceAll("\t", "")) && /^\S/.test(text) && !/[ \t]$/m.test(text);
}

function inlineString(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text;
  if (!UNPRINTABLE.test(text) && !text.includes("\n")) return `'${text.replaceAll("'", "''")}'`;
  // JSON's escapes are YAML's, but JSON leaves some characters bare that YAML does not.
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escapeCode);
}

const escapeCode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
