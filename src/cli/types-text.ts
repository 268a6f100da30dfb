/** The maximum length of a line. */
const WIDTH = 120;

/** Converts a text to PascalCase: `my-kind` becomes `MyKind`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");

/** Returns a documentation comment, which no text can end; empty for an empty text. */
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

/** Returns a literal. */
export function literal(value: string | number | boolean | null): string {
  if (typeof value === "number") return JSON.stringify(value).replace("e+", "e");
  const text = JSON.stringify(value);
  const count = (quote: string): number => String(value).split(quote).length;
  if (typeof value !== "string" || count(`"`) <= count("'")) return text;
  return `'${text.slice(1, -1).replaceAll(`\\"`, `"`).replaceAll("'", "\\'")}'`;
}

/** Returns the name of a member, with quotes if it needs them. */
export const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** Returns a union of types without duplicates. */
export const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

/** Returns a list type. */
export const listOf = (item: string): string => `readonly ${item.includes(" ") ? `(${item})` : item}[]`;

/** Returns a map type. */
export const mapOf = (values: string): string => `{ readonly [key: string]: ${values} }`;

const MAP = /^\{ readonly \[key: string\]: (.*) \}( \| null)?$/;

/** Returns a member of an interface; `head` is the part before the colon. A long map type has several lines. */
export function member(head: string, type: string, indent: string): string {
  const line = `${indent}${head}: ${type};\n`;
  const [, inner, rest = ""] = MAP.exec(type) ?? [];
  if (line.length <= WIDTH + 1 || inner === undefined) return line;
  const values = member("readonly [key: string]", inner, `${indent}  `);
  return `${indent}${head}: {\n${values}${indent}}${rest};\n`;
}

/** Returns the declaration of a union type. */
export function alias(name: string, types: readonly string[]): string {
  const line = `export type ${name} = ${union(types)};\n`;
  if (line.length <= WIDTH + 1) return line;
  const bar = types.length > 1 ? "| " : "";
  return `export type ${name} =\n${types.map((type) => `  ${bar}${type}`).join("\n")};\n`;
}
