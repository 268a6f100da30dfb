/**
 * Pieces of TypeScript as text, in the form that formatters give them.
 *
 * @module
 */

/** How long a line may be. */
const WIDTH = 120;

/** Words that begin with a capital and hold nothing but letters and digits: `my-kind` becomes `MyKind`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

/** A comment that documents what follows; empty where there is nothing to say. No text ends it. */
export function comment(text: string, indent: string): string {
  const lines = text
    .trim()
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r]/);
  if (lines.length > 1) {
    const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
    return `${indent}/**\n${body.join("\n")}\n${indent} */\n`;
  }
  return lines[0] === "" ? "" : `${indent}/** ${lines[0]} */\n`;
}

/** A text, a number, a boolean or null as a literal. */
export function literal(value: string | number | boolean | null): string {
  if (typeof value === "number") return JSON.stringify(value).replace("e+", "e");
  const text = JSON.stringify(value);
  const count = (quote: string): number => String(value).split(quote).length;
  if (typeof value !== "string" || count(`"`) <= count("'")) return text;
  return `'${text.slice(1, -1).replaceAll(`\\"`, `"`).replaceAll("'", "\\'")}'`;
}

/** The name of a member, in quotes where it needs them. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** A type that is one of some: none of them is there twice. */
export const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

/** A list of a type. */
export const listOf = (item: string): string => `readonly ${item.includes(" ") ? `(${item})` : item}[]`;

/** A map with values of a type. */
export const mapOf = (values: string): string => `{ readonly [key: string]: ${values} }`;

/** A map, or nothing. */
const MAP = /^\{ readonly \[key: string\]: (.*) \}( \| null)?$/;

/** A member of an interface: `head` is its name with all before the colon. A map that is too long for a line is opened. */
export function member(head: string, type: string, indent: string): string {
  const line = `${indent}${head}: ${type};\n`;
  const [, inner, rest = ""] = MAP.exec(type) ?? [];
  if (line.length <= WIDTH + 1 || inner === undefined) return line;
  const values = member("readonly [key: string]", inner, `${indent}  `);
  return `${indent}${head}: {\n${values}${indent}}${rest};\n`;
}

/** A type with a name that is one of some. */
export function alias(name: string, types: readonly string[]): string {
  const line = `export type ${name} = ${union(types)};\n`;
  if (line.length <= WIDTH + 1) return line;
  const bar = types.length > 1 ? "| " : "";
  return `export type ${name} =\n${types.map((type) => `  ${bar}${type}`).join("\n")};\n`;
}
