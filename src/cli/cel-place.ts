/**
 * A place in an object and in its schema: `spec.ports[0]`, `.metadata.labels['a.b']`.
 *
 * @module
 */
import type { Schema } from "../cel/index.ts";
import { type Value, isObject } from "../value/value.ts";
import { CliError } from "./cli-error.ts";

/** Names of members and indices of lists, from the outside in. */
export type Place = readonly (string | number)[];

const STEP = /\.?([\w-]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/y;

/** Takes a place apart. @throws CliError of usage for what is none */
export function parsePlace(text: string): Place {
  const place: (string | number)[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (!match) throw new CliError(`expected --at to be a place such as spec.ports[0], got ${text}`, { usage: true });
    const [, name, index, single, double] = match;
    place.push(index === undefined ? (name ?? single ?? double ?? "") : Number(index));
  }
  return place;
}

/** The schema at a place. @throws CliError where there is none */
export function schemaAt(schema: Schema, place: Place): Schema {
  let at: Schema | undefined = schema;
  for (const [i, step] of place.entries()) {
    const values: Schema | boolean | undefined = at.additionalProperties;
    if (typeof step === "number") at = at.items;
    else at = at.properties?.[step] ?? (typeof values === "object" ? values : undefined);
    if (!at) throw new CliError(`expected the schema to have ${shown(place.slice(0, i + 1))}`);
  }
  return at;
}

/** The value at a place. @throws CliError where there is none */
export function valueAt(value: Value, place: Place): Value {
  let at: Value | undefined = value;
  for (const [i, step] of place.entries()) {
    if (typeof step === "number") at = Array.isArray(at) ? at[step] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) throw new CliError(`expected the object to have ${shown(place.slice(0, i + 1))}`);
  }
  return at;
}

const shown = (place: Place): string =>
  place.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
