/**
 * Values to YAML text, for answers: block style, members in the order of their names, strings quoted wherever any YAML
 * reader might take them for something else. What comes out reads back as the same JSON with YAML 1.1 and 1.2 readers.
 *
 * @module
 */

import { asJsonNumber, type Value } from "./value.ts";

/** The YAML text of a value, one document without a marker, ending in a newline. Long strings are not folded. */
export function encodeYaml(value: Value): string {
  const lines: string[] = [];
  writeNode(lines, value, "", "");
  return lines.join("\n") + "\n";
}

/** Writes a value whose first line begins with `head` (indentation and `key:` or `-`); further lines get `indent`. */
function writeNode(lines: string[], value: Value, head: string, indent: string): void {
  const space = head === "" || head.endsWith(" ") ? head : `${head} `;
  if (typeof value === "string") {
    for (const line of stringLines(value, space, indent)) lines.push(line);
    return;
  }
  if (typeof value !== "object" || value === null || asJsonNumber(value)) {
    return void lines.push(space + (JSON.stringify(value) ?? "null"));
  }
  if (Array.isArray(value)) return writeSequence(lines, value, head, indent);
  const keys = byName(Object.keys(value));
  if (keys.length === 0) return void lines.push(`${space}{}`);
  const isItem = head.endsWith("- ");
  if (!isItem && head !== "") lines.push(head);
  keys.forEach((key, i) => {
    const start = isItem && i === 0 ? head : indent;
    writeNode(lines, value[key]!, `${start}${inlineString(key)}:`, childIndent(value[key]!, indent));
  });
}

function writeSequence(lines: string[], items: Value[], head: string, indent: string): void {
  const isItem = head.endsWith("- ");
  if (items.length === 0) return void lines.push(head === "" || isItem ? `${head}[]` : `${head} []`);
  if (!isItem && head !== "") lines.push(head);
  items.forEach((item, i) => {
    writeNode(lines, item, `${isItem && i === 0 ? head : indent}- `, `${indent}  `);
  });
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
