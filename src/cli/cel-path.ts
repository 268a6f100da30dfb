import type { Schema } from "../cel/index.ts";
import { type Value, isObject } from "../value/value.ts";
import { CliError } from "./cli-error.ts";

/** A path in an object and its schema: names of members and indices of lists. */
export type Path = readonly (string | number)[];

/** Parses a path: `spec.ports[0]`, `.metadata.labels['a.b']`. @throws CliError of usage for an invalid path */
export function parsePath(text: string): Path {
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length;) {
    const found = text[at] === "[" ? bracketsAt(text, at) : nameAt(text, at);
    if (!found) throw new CliError(`expected --at to be a path such as spec.ports[0], got ${text}`, { usage: true });
    path.push(found.step);
    at = found.end;
  }
  return path;
}

interface Found {
  readonly step: string | number;
  readonly end: number;
}

function nameAt(text: string, at: number): Found | undefined {
  const start = text[at] === "." ? at + 1 : at;
  let end = start;
  while (end < text.length && /[\w-]/.test(text[end]!)) end++;
  return end === start ? undefined : { step: text.slice(start, end), end };
}

function bracketsAt(text: string, at: number): Found | undefined {
  const quote = text[at + 1];
  const isQuoted = quote === "'" || quote === '"';
  const end = isQuoted ? text.indexOf(quote, at + 2) + 1 : text.indexOf("]", at);
  if (end <= at + 1 || text[end] !== "]") return undefined;
  if (isQuoted) return { step: text.slice(at + 2, end - 1), end: end + 1 };
  const digits = text.slice(at + 1, end);
  return /^\d+$/.test(digits) ? { step: Number(digits), end: end + 1 } : undefined;
}

/** Returns the schema at a path. @throws CliError if there is none */
export function schemaAt(schema: Schema, path: Path): Schema {
  let at: Schema | undefined = schema;
  for (const [i, step] of path.entries()) {
    const values: Schema | boolean | undefined = at.additionalProperties;
    if (typeof step === "number") at = at.items;
    else at = at.properties?.[step] ?? (typeof values === "object" ? values : undefined);
    if (!at) throw new CliError(`expected the schema to have ${shown(path.slice(0, i + 1))}`);
  }
  return at;
}

/** Returns the value at a path. @throws CliError if there is none */
export function valueAt(value: Value, path: Path): Value {
  let at: Value | undefined = value;
  for (const [i, step] of path.entries()) {
    if (typeof step === "number") at = Array.isArray(at) ? at[step] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) throw new CliError(`expected the object to have ${shown(path.slice(0, i + 1))}`);
  }
  return at;
}

const shown = (path: Path): string =>
  path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
