/**
 * What a structural schema makes of a value, said as simply as can be: slow, without regard for places and reasons.
 *
 * @module
 */
import type { Structural } from "../../src/schema/structural/schema.ts";
import { type Value, type ValueObject, equal, isObject } from "../../src/value/value.ts";

const entriesOf = (value: ValueObject): [string, Value][] => Object.entries(value);
const memberOf = ({ properties = {}, additionalProperties }: Structural, key: string): Structural | undefined =>
  Object.hasOwn(properties, key)
    ? properties[key]
    : typeof additionalProperties === "object"
      ? additionalProperties
      : undefined;
const isOpen = (schema: Structural): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true;

/** What is left of a value of which nothing is known. */
function bare(value: Value): Value {
  if (Array.isArray(value)) return value.map(bare);
  return isObject(value) ? {} : value;
}

/** The value without unknown members, and without nulls that mean absent (CRD-43). */
export function pruned(schema: Structural, value: Value, keeps: boolean = isOpen(schema)): Value {
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.map((item) => (items ? pruned(items, item, keeps || isOpen(items)) : keeps ? item : bare(item)));
  }
  if (!isObject(value)) return value;
  const left: [string, Value][] = [];
  for (const [key, sent] of entriesOf(value)) {
    const member = memberOf(schema, key);
    const isMap = schema.additionalProperties !== undefined;
    if (!member && !isMap && !keeps) continue;
    if (sent === null && member && !member.nullable && member.default === undefined) continue;
    left.push([key, member ? pruned(member, sent) : isMap ? bare(sent) : sent]);
  }
  return Object.fromEntries(left);
}

/** The value with defaults where nothing was said (CRD-42). */
export function filled(schema: Structural, value: Value): Value {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => filled(items, isNothing(items, item) ? items.default! : item)) : value;
  }
  if (!isObject(value)) return value;
  const all: [string, Value][] = entriesOf(value);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (member.default !== undefined && !Object.hasOwn(value, name)) all.push([name, member.default]);
  }
  return Object.fromEntries(
    all.map(([key, item]) => {
      const member = memberOf(schema, key);
      return [key, member ? filled(member, isNothing(member, item) ? member.default! : item) : item];
    }),
  );
}

/** Whether a null is there for which the default stands. */
const isNothing = (schema: Structural, value: Value): boolean =>
  value === null && !schema.nullable && schema.default !== undefined;

/** Whether a value is what a schema says, by the words that {@link file://./schemas.ts} draws. */
export function fits(schema: Structural, value: Value): boolean {
  if (value === null) return takesNull(schema) && isAllowed(schema, value);
  return (
    hasType(schema, value) &&
    isAllowed(schema, value) &&
    hasSize(schema, value) &&
    (schema.allOf ?? []).every((one) => fits(one, value)) &&
    (schema.anyOf === undefined || schema.anyOf.some((one) => fits(one, value))) &&
    (schema.oneOf === undefined || schema.oneOf.filter((one) => fits(one, value)).length === 1) &&
    (schema.not === undefined || !fits(schema.not, value)) &&
    fitsBelow(schema, value)
  );
}

/** A place of no type takes nulls, too. */
const takesNull = (schema: Structural): boolean =>
  schema.nullable === true || (schema.type === undefined && !schema["x-kubernetes-int-or-string"]);

const isAllowed = ({ enum: allowed }: Structural, value: Value): boolean =>
  allowed === undefined || allowed.some((one) => equal(one, value));

function hasType(schema: Structural, value: Value): boolean {
  if (schema["x-kubernetes-int-or-string"]) return typeof value === "string" || Number.isInteger(value);
  switch (schema.type) {
    case undefined:
      return true;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "string":
    case "boolean":
      // What has a format is judged by it, and lists are not.
      return (
        typeof value === schema.type || (isFormatted(schema) && (typeof value === "string" || Array.isArray(value)))
      );
    default:
      return typeof value === schema.type;
  }
}

const isFormatted = ({ format }: Structural): boolean => format === "ipv4";

/** Whether words about numbers, texts, lists and objects hold; each is about values of one type. */
function hasSize(schema: Structural, value: Value): boolean {
  const between = (size: number, least = -Infinity, most = Infinity): boolean => size >= least && size <= most;
  if (typeof value === "number") {
    const { minimum: least = -Infinity, maximum: most = Infinity } = schema;
    const touches = (schema.exclusiveMinimum && value === least) || (schema.exclusiveMaximum && value === most);
    return (
      between(value, least, most) && !touches && (schema.multipleOf === undefined || value % schema.multipleOf === 0)
    );
  }
  if (typeof value === "string") {
    const { pattern } = schema;
    const isOfForm = !isFormatted(schema) || /^(?:\d{1,3}\.){3}\d{1,3}$/.test(value);
    return (
      between(Array.from(value).length, schema.minLength, schema.maxLength) &&
      (pattern === undefined || new RegExp(pattern, "u").test(value)) &&
      isOfForm
    );
  }
  if (Array.isArray(value)) return between(value.length, schema.minItems, schema.maxItems);
  if (!isObject(value)) return true;
  return between(Object.keys(value).length, schema.minProperties, schema.maxProperties);
}

function fitsBelow(schema: Structural, value: Value): boolean {
  const { items, required = [] } = schema;
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(items, item));
  if (!isObject(value)) return true;
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return entriesOf(value).every(([key, item]) => {
    const member = memberOf(schema, key);
    return member ? fits(member, item) : schema.additionalProperties !== false;
  });
}
