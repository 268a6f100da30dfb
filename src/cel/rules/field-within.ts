/**
 * The fieldPath of rules: `.spec.replicas`, `.labels['a.b']` (CEL-39).
 *
 * @module
 */
import type { Schema } from "../schema/declaration.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/** The path in the form of causes (`spec.replicas`, `labels[a.b]`); undefined where the schema does not have it. */
export function fieldWithin(schema: Schema, path: string): string | undefined {
  const tokens = tokensOf(path);
  if (!tokens || path === "") return undefined;
  let at: Schema = schema;
  let field = "";
  for (let i = 0; i < tokens.length;) {
    const name = nameAt(tokens, i);
    if (name === undefined) return undefined;
    i += tokens[i] === "[" ? 3 : 2;
    const { properties, additionalProperties } = at;
    if (properties) {
      if (!Object.hasOwn(properties, name)) return undefined;
      field += field === "" ? name : `.${name}`;
      at = properties[name]!;
    } else if (typeof additionalProperties === "object") {
      field += `[${name}]`;
      at = additionalProperties;
    } else return undefined;
  }
  return field;
}

const PUNCTUATION = ".[]";

/** Splits a path into quoted texts, punctuation and names; undefined where a quote is not closed. */
function tokensOf(path: string): readonly string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0, end = 0; at < path.length; at = end) {
    end = at + 1;
    if (path[at] === "'") {
      while (end < path.length && path[end] !== "'") end += path[end] === "\\" ? 2 : 1;
      if (++end > path.length) return undefined;
    } else if (!PUNCTUATION.includes(path[at]!)) {
      while (end < path.length && path[end] !== "'" && !PUNCTUATION.includes(path[end]!)) end++;
    }
    tokens.push(path.slice(at, end));
  }
  return tokens;
}

/** The name of a step: `.name` or `['name']`. */
function nameAt(tokens: readonly string[], i: number): string | undefined {
  const next = tokens[i + 1];
  if (next === undefined) return undefined;
  if (tokens[i] === ".") return next;
  if (tokens[i] !== "[" || tokens[i + 2] !== "]" || !next.startsWith("'")) return undefined;
  let isValid = true;
  const name = next.slice(1, -1).replaceAll(/\\(.)/gs, (_, escaped: string) => {
    const meant = ESCAPES[escaped];
    if (meant === undefined) isValid = false;
    return meant ?? "";
  });
  return isValid ? name : undefined;
}
