/**
 * Validates that the schema of a definition is structural (CRD-40, 42, 45, 46; KEP-95): every keyword that may not be used,
 * or not at its path, is an error. Faults of the schema before are allowed, also where rules have become stricter since.
 *
 * A schema is structural when the type of every value is defined once, outside of allOf, anyOf, oneOf and not; schemas in
 * those only validate values. So pruning and defaults do not depend on the alternative that a value matches.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { RegexFault, regexOf } from "../../util/regex.ts";
import type { Steps } from "../../util/steps.ts";
import { type Value, equal, isObject } from "../../value/value.ts";
import { OBJECT_MEMBERS } from "./schema.ts";

/** A schema before validation: it may have any keyword. */
export type SchemaValue = Readonly<Record<string, unknown>>;

/** Additional rules for a schema. */
export interface SchemaCheck {
  /** Whether objects have a status subresource: then the root may use few keywords. */
  readonly hasStatus: boolean;
  /** The rules that the schema before violated: they do not apply to this one (CRD-46). */
  readonly before?: Exemptions;
}

/** Rules that do not apply. */
export interface Exemptions {
  readonly types: boolean;
  readonly structure: boolean;
  readonly sets: boolean;
  readonly keys: boolean;
}

/** The rules that an accepted schema violates; in steps, since it may contain tens of thousands of schemas. */
export function* exemptionsOf(schema: SchemaValue): Steps<Exemptions> {
  let [types, sets, keys] = [false, false, false];
  for (const one of everySchema(schema)) {
    const { type } = one;
    types ||= Boolean(type) && !TYPES.includes(type as string);
    sets ||= setFaults(one).length > 0;
    keys ||= keyFaults(one).length > 0;
    yield;
  }
  return { types, structure: yield* isUnstructured(schema), sets, keys };
}

/**
 * Validates a schema, in steps; returns whether it is structural, so that its defaults and its rules may be validated.
 */
export function* checkSchema(
  schema: SchemaValue,
  path: string,
  { hasStatus, before }: SchemaCheck,
  errors: FieldErrors,
): Steps<boolean> {
  const faults = [
    ...(hasStatus ? rootFaults(schema, path) : []),
    ...(schema["nullable"] === true ? [forbidden(`${path}.nullable`, "the root of an object is never null")] : []),
  ];
  const unsupported = before?.structure ? undefined : yield* firstUnsupported(schema);
  const structure = before?.structure || unsupported ? [] : yield* collected(structureFaults(schema, path));
  const words = yield* collected(wordFaults(schema, path, ROOT, before));
  const all = [...faults, ...structure, ...words];
  if (all.length === 0 && unsupported) all.push(invalid(path, "", unsupported));
  for (const { kind, field, got, why, allowed } of all) {
    if (kind === "required") errors.required(field, why);
    else if (kind === "forbidden") errors.forbidden(field, why);
    else if (kind === "notSupported") errors.notSupported(field, got, allowed ?? []);
    else errors.invalid(field, got, why);
  }
  return structure.length === 0 && !unsupported && !before?.structure;
}

/** Finds faults; undefined ends a step. */
type Faults = Generator<Fault | undefined>;

/** All faults that are found. */
function* collected(faults: Faults): Steps<Fault[]> {
  const found: Fault[] = [];
  for (const fault of faults) {
    if (fault) found.push(fault);
    else yield;
  }
  return found;
}

interface Fault {
  readonly kind: "required" | "invalid" | "forbidden" | "notSupported";
  readonly field: string;
  readonly why: string;
  readonly got?: unknown;
  readonly allowed?: readonly string[];
}

const required = (field: string, why: string): Fault => ({ kind: "required", field, why });
const invalid = (field: string, got: unknown, why: string): Fault => ({ kind: "invalid", field, got, why });
const forbidden = (field: string, why: string): Fault => ({ kind: "forbidden", field, why });
const notSupported = (field: string, got: unknown, allowed: readonly string[]): Fault => ({
  kind: "notSupported",
  field,
  got,
  why: "",
  allowed,
});

const schemaIn = (value: unknown): SchemaValue | undefined =>
  isObject((value ?? null) as Value) ? (value as SchemaValue) : undefined;
/** A list of the schema in a value, or of nothing. */
const oneIn = (value: unknown): readonly SchemaValue[] => {
  const schema = schemaIn(value);
  return schema ? [schema] : [];
};
const schemasIn = (value: unknown): readonly SchemaValue[] => (Array.isArray(value) ? (value as SchemaValue[]) : []);
const namedIn = (value: unknown): readonly (readonly [string, SchemaValue])[] =>
  Object.entries((schemaIn(value) ?? {}) as Record<string, SchemaValue>);
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

/** Keywords with lists of schemas that validate a value. */
const ALTERNATIVES = ["allOf", "oneOf", "anyOf"] as const;

/** A schema and all below it, alternatives included. */
function* everySchema(schema: SchemaValue): Generator<SchemaValue> {
  yield schema;
  for (const nested of nestedIn(schema)) yield* everySchema(nested);
}

/** The schemas directly in one. */
function nestedIn(schema: SchemaValue): readonly SchemaValue[] {
  const { items, additionalProperties, not, additionalItems } = schema;
  const one = [items, additionalProperties, not, additionalItems].flatMap(oneIn);
  const lists = [...ALTERNATIVES.flatMap((word) => schemasIn(schema[word])), ...schemasIn(items)];
  const named = ["properties", "patternProperties", "definitions", "dependencies"].flatMap((word) =>
    Object.values(schemaIn(schema[word]) ?? {}).flatMap(oneIn),
  );
  return [...one, ...lists, ...named];
}

// The root of an object with a status path.

const WORDS_AT_ROOT = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);

/** The status must be a member of the root, whatever else the schema has. */
function rootFaults(schema: SchemaValue, path: string): Fault[] {
  const { type } = schema;
  if (type && type !== "object") return [invalid(`${path}.type`, type, "expected object: objects have a status path")];
  const unexpected = Object.keys(schema).find((word) => !WORDS_AT_ROOT.has(word) && isSet(schema[word]));
  return unexpected === undefined
    ? []
    : [
        invalid(
          path,
          unexpected,
          "expected no keyword at the root that could hide the status: objects have a status path",
        ),
      ];
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== "";

// Unsupported keywords.

const UNSUPPORTED_WORDS = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
];

/** Whether a value is not empty. */
const isNotEmpty = (value: unknown): boolean =>
  isSet(value) && (typeof value !== "object" || Object.keys(value as object).length > 0);

/** Why a schema cannot be used at all; undefined when it can. */
function* firstUnsupported(schema: SchemaValue): Steps<string | undefined> {
  for (const one of everySchema(schema)) {
    const fault = unsupportedIn(one);
    if (fault !== undefined) return fault;
    yield;
  }
  return undefined;
}

/** The schemas in one that cannot be used, for a keyword in them or below them; visits each once, in steps. */
export function* unsupportedSchemas(schema: SchemaValue): Steps<ReadonlySet<object>> {
  const found = new Set<object>();
  yield* hasUnsupported(schema, found);
  return found;
}

function* hasUnsupported(schema: SchemaValue, found: Set<object>): Steps<boolean> {
  yield;
  let isUnsupported = unsupportedIn(schema) !== undefined;
  for (const nested of nestedIn(schema)) if (yield* hasUnsupported(nested, found)) isUnsupported = true;
  if (isUnsupported) found.add(schema);
  return isUnsupported;
}

/** Why a schema cannot be used, without those in it. */
function unsupportedIn(one: SchemaValue): string | undefined {
  const word = UNSUPPORTED_WORDS.find(
    (w) => isNotEmpty(one[w]) || (w === "additionalItems" && (one[w] ?? null) !== null),
  );
  if (word !== undefined) return `expected a schema without ${word}`;
  if (Array.isArray(one["items"])) return "expected items to be one schema";
  return one["x-kubernetes-preserve-unknown-fields"] === false
    ? "expected x-kubernetes-preserve-unknown-fields to be true or not there"
    : undefined;
}

function* isUnstructured(schema: SchemaValue): Steps<boolean> {
  if ((yield* firstUnsupported(schema)) !== undefined) return true;
  return (yield* collected(structureFaults(schema, ""))).length > 0;
}

// The structure: the type of every value, defined once.

type Level = "root" | "member" | "item";

function* structureFaults(schema: SchemaValue, path: string): Faults {
  yield* positionFaults(schema, "root", path);
  yield* incomplete(schema, schema, path, path);
}

function* positionFaults(schema: SchemaValue, level: Level, path: string): Faults {
  yield undefined;
  const { type, items, additionalProperties } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  if (type === "array" && !items) yield required(`${path}.items`, "expected the schema of the elements");
  const item = schemaIn(items);
  if (item) yield* positionFaults(item, "item", `${path}.items`);
  for (const [name, member] of namedIn(schema["properties"])) {
    yield* positionFaults(member, "member", `${path}.properties[${name}]`);
  }
  if (additionalProperties !== undefined) {
    if (level === "root")
      yield forbidden(`${path}.additionalProperties`, "the root of an object has members of its own");
    if (isEmbedded) yield forbidden(`${path}.additionalProperties`, "an embedded object has members of its own");
    const values = schemaIn(additionalProperties);
    if (values) yield* positionFaults(values, "member", `${path}.additionalProperties`);
  }
  if (isIntOrString && isOpen) {
    yield invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, "expected it not to be an integer or a text");
  }
  if (isIntOrString && isEmbedded) {
    yield invalid(`${path}.x-kubernetes-embedded-resource`, true, "expected it not to be an integer or a text");
  }
  const isPattern = (one: SchemaValue | undefined): boolean => equal((one?.["anyOf"] ?? null) as Value, INT_OR_STRING);
  yield* alternativeFaults(schema, isPattern(schema), isPattern(schemasIn(schema["allOf"])[0]), path);
  yield* typeFaults(schema, level, path, { isEmbedded, isOpen, isIntOrString });
  if (level === "root" || isEmbedded) yield* headFaults(schema, path);
  const metadata = schemaIn(schemaIn(schema["properties"])?.["metadata"]);
  if (metadata && level === "root") yield* metadataFaults(metadata, `${path}.properties[metadata]`);
  if (isEmbedded && !isOpen && namedIn(schema["properties"]).length === 0) {
    yield required(`${path}.properties`, "expected the members of the embedded object, or unknown ones to be kept");
  }
}

const INT_OR_STRING: Value = [{ type: "integer" }, { type: "string" }];

function* typeFaults(
  { type }: SchemaValue,
  level: Level,
  path: string,
  { isEmbedded, isOpen, isIntOrString }: Readonly<Record<"isEmbedded" | "isOpen" | "isIntOrString", boolean>>,
): Generator<Fault> {
  if (isEmbedded && type !== "object") {
    const why = "expected object: it is an embedded object";
    yield type ? invalid(`${path}.type`, type, why) : required(`${path}.type`, why);
  } else if (!type && !isIntOrString && !isOpen) {
    yield required(`${path}.type`, level === "root" ? "expected object" : "expected the type of the value");
  }
  if (level === "root" && type && type !== "object") yield invalid(`${path}.type`, type, "expected object at the root");
}

/** Kind and apiVersion are strings, and metadata is an object. */
function* headFaults(schema: SchemaValue, path: string): Generator<Fault> {
  const properties = schemaIn(schema["properties"]) ?? {};
  const expected = { kind: "string", apiVersion: "string", metadata: "object" };
  for (const [name, type] of Object.entries(expected)) {
    const member = Object.hasOwn(properties, name) ? schemaIn(properties[name]) : undefined;
    if (member && member["type"] !== type) {
      yield invalid(`${path}.properties[${name}].type`, member["type"] ?? "", `expected ${type}`);
    }
  }
}

/** A schema may restrict the name and generateName of the metadata, and nothing else (CRD-45). */
function* metadataFaults(metadata: SchemaValue, path: string): Generator<Fault> {
  const { type: _type, default: _default, properties, ...others } = metadata;
  const unexpected = [
    ...namedIn(properties)
      .map(([name]) => name)
      .filter((name) => name !== "name" && name !== "generateName"),
    ...Object.keys(others).filter((word) => isSet(others[word])),
  ];
  if (unexpected.length > 0) yield forbidden(path, "expected nothing but name and generateName");
}

/** Keywords that an alternative may not have, and their required value. */
const STRUCTURAL_ONLY: readonly (readonly [word: string, how: string])[] = [
  ["type", "empty"],
  ["additionalProperties", "undefined"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
];

function* alternativeFaults(schema: SchemaValue, skipsAnyOf: boolean, skipsFirst: boolean, path: string): Faults {
  for (const word of ALTERNATIVES) {
    if (word === "anyOf" && skipsAnyOf) continue;
    for (const [i, one] of schemasIn(schema[word]).entries()) {
      yield* nestedFaults(one, word === "allOf" && i === 0 && skipsFirst, `${path}.${word}[${i}]`);
    }
  }
  const not = schemaIn(schema["not"]);
  if (not) yield* nestedFaults(not, false, `${path}.not`);
  const { pattern } = schema;
  const why = typeof pattern === "string" && pattern !== "" ? patternFault(pattern) : undefined;
  if (why !== undefined) yield invalid(`${path}.pattern`, pattern, why);
}

function patternFault(pattern: string): string | undefined {
  try {
    regexOf(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RegexFault) return `expected a regular expression: ${error.message}`;
    throw error;
  }
}

function* nestedFaults(schema: SchemaValue, skipsAnyOf: boolean, path: string): Faults {
  yield undefined;
  yield* alternativeFaults(schema, skipsAnyOf, false, path);
  const items = schemaIn(schema["items"]);
  if (items) yield* nestedFaults(items, false, `${path}.items`);
  for (const [name, member] of namedIn(schema["properties"])) {
    const place = `${path}.properties[${name}]`;
    yield* nestedFaults(member, false, place);
    if (name === "metadata") yield forbidden(place, "expected metadata to be judged outside of alternatives");
  }
  for (const [word, how] of STRUCTURAL_ONLY) {
    const value = schema[word];
    if (isSet(value) && !(Array.isArray(value) && value.length === 0)) {
      yield forbidden(`${path}.${word}`, `must be ${how} to be structural`);
    }
  }
}

/** Every value that an alternative validates has a type in the structure. */
function* incomplete(
  alternative: SchemaValue,
  structure: SchemaValue | undefined,
  place: string,
  path: string,
): Faults {
  for (const word of ALTERNATIVES) {
    for (const [i, one] of schemasIn(alternative[word]).entries()) {
      yield* incompleteBelow(one, structure, place, `${path}.${word}[${i}]`);
    }
  }
  const not = schemaIn(alternative["not"]);
  if (not) yield* incompleteBelow(not, structure, place, `${path}.not`);
}

function* incompleteBelow(
  alternative: SchemaValue,
  structure: SchemaValue | undefined,
  place: string,
  path: string,
): Faults {
  yield undefined;
  if (!structure) {
    yield required(place, `expected it, because ${path} judges it`);
    return;
  }
  yield* incomplete(alternative, structure, place, path);
  const items = schemaIn(alternative["items"]);
  if (items) yield* incompleteBelow(items, schemaIn(structure["items"]), `${place}.items`, `${path}.items`);
  const properties = schemaIn(structure["properties"]) ?? {};
  for (const [name, member] of namedIn(alternative["properties"])) {
    const known = Object.hasOwn(properties, name) ? schemaIn(properties[name]) : undefined;
    yield* incompleteBelow(member, known, `${place}.properties[${name}]`, `${path}.properties[${name}]`);
  }
}

// Keywords, one schema at a time.

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** The position of a schema in another one. */
interface Position {
  readonly isRoot: boolean;
  /** Inside of metadata, kind or apiVersion of an object. */
  readonly insideHead: boolean;
  /** Why a default is forbidden here. */
  readonly noDefault: string | undefined;
}

const ROOT: Position = { isRoot: true, insideHead: false, noDefault: undefined };

/** Known keywords that are not supported. */
const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
/** Of these, those that may not be set to any value. */
const NEVER_ALLOWED = ["additionalItems", "dependencies", "$ref"];

function* wordFaults(schema: SchemaValue, path: string, place: Position, before: Exemptions | undefined): Faults {
  yield undefined;
  const { type, items, additionalProperties } = schema;
  if (type && !TYPES.includes(type as string) && !before?.types) yield notSupported(`${path}.type`, type, TYPES);
  if (type === "null") yield forbidden(`${path}.type`, "expected nullable instead");
  if (schema["default"] !== undefined && schema["default"] !== null && place.noDefault !== undefined) {
    yield forbidden(`${path}.default`, place.noDefault);
  }
  for (const word of UNSUPPORTED) {
    const isPresent = NEVER_ALLOWED.includes(word) ? (schema[word] ?? null) !== null : isNotEmpty(schema[word]);
    if (isPresent) yield forbidden(`${path}.${word}`, `${word} is not supported`);
  }
  if (Array.isArray(items) && items.length > 0) yield forbidden(`${path}.items`, "expected one schema");
  if (place.insideHead && schema["x-kubernetes-embedded-resource"]) {
    yield forbidden(`${path}.x-kubernetes-embedded-resource`, "expected no object inside of metadata");
  }
  if (schema["uniqueItems"]) yield forbidden(`${path}.uniqueItems`, "expected x-kubernetes-list-type: set instead");
  const hasMembers = namedIn(schema["properties"]).length > 0;
  if (hasMembers && (additionalProperties === false || schemaIn(additionalProperties))) {
    yield forbidden(`${path}.additionalProperties`, "expected it not together with properties");
  }
  yield* markFaults(schema, path, before);
  yield* wordsBelow(schema, path, place, before);
}

const below = (place: Position): Position => (place.isRoot ? { ...place, isRoot: false } : place);

function* wordsBelow(schema: SchemaValue, path: string, place: Position, before: Exemptions | undefined): Faults {
  const inner = below(place);
  const values = schemaIn(schema["additionalProperties"]);
  if (values) {
    const noDefault = place.insideHead ? "expected no default for any member of metadata" : place.noDefault;
    yield* wordFaults(values, `${path}.additionalProperties`, { ...inner, noDefault }, before);
  }
  for (const [name, member] of namedIn(schema["properties"])) {
    const isHead = (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) && OBJECT_MEMBERS.has(name);
    const noDefault = isHead && place.isRoot ? `expected no default for ${name} of an object` : place.noDefault;
    const next = { ...inner, insideHead: place.insideHead || isHead, noDefault };
    yield* wordFaults(member, `${path}.properties[${name}]`, next, before);
  }
  for (const word of ["not", "items"]) {
    const one = schemaIn(schema[word]);
    if (one) yield* wordFaults(one, `${path}.${word}`, inner, before);
  }
  for (const word of [...ALTERNATIVES, "items"]) {
    for (const [i, one] of schemasIn(schema[word]).entries())
      yield* wordFaults(one, `${path}.${word}[${i}]`, inner, before);
  }
  for (const word of ["definitions", "dependencies"]) {
    for (const [name, one] of namedIn(schema[word])) {
      if (schemaIn(one)) yield* wordFaults(one, `${path}.${word}[${name}]`, inner, before);
    }
  }
}

/** The `x-kubernetes-*` markers: how writers share lists and maps (MARK-1..17). */
function* markFaults(schema: SchemaValue, path: string, before: Exemptions | undefined): Generator<Fault> {
  const { type } = schema;
  const mapType = schema["x-kubernetes-map-type"];
  const listType = schema["x-kubernetes-list-type"];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    yield invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "expected true, or nothing");
  }
  const needsType = (expected: string, mark: string): Fault =>
    type
      ? invalid(`${path}.type`, type, `expected ${expected}, because of ${mark}`)
      : required(`${path}.type`, `expected ${expected}, because of ${mark}`);
  if (mapType !== undefined && type !== "object") yield needsType("object", "x-kubernetes-map-type");
  if (mapType !== undefined && !["atomic", "granular"].includes(mapType as string)) {
    yield notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]);
  }
  if (listType !== undefined && type !== "array") yield needsType("array", "x-kubernetes-list-type");
  else if (!before?.sets) for (const { at, ...fault } of setFaults(schema)) yield { ...fault, field: `${path}.${at}` };
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType as string)) {
    yield notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]);
  }
  yield* keyedFaults(schema, path);
  if (!before?.keys) for (const { at, ...fault } of keyFaults(schema)) yield { ...fault, field: `${path}.${at}` };
}

type Below = Omit<Fault, "field"> & { readonly at: string };

/** Elements of a set are scalars, or atomic. */
function setFaults(schema: SchemaValue): Below[] {
  const item = schemaIn(schema["items"]);
  if (schema["x-kubernetes-list-type"] !== "set" || !item) return [];
  const why = "expected atomic: the elements of a set have one owner each";
  const [list, map] = [item["x-kubernetes-list-type"], item["x-kubernetes-map-type"]];
  if (item["type"] === "array" && list !== undefined && list !== "atomic") {
    return [{ kind: "invalid", at: "items.x-kubernetes-list-type", got: list, why }];
  }
  if (item["type"] === "object" && map !== "atomic") {
    return [{ kind: "invalid", at: "items.x-kubernetes-map-type", got: map ?? "", why }];
  }
  return [];
}

/** Elements of sets and keyed lists are never null, and have their keys. */
function keyFaults(schema: SchemaValue): Below[] {
  const item = schemaIn(schema["items"]);
  const type = schema["x-kubernetes-list-type"];
  if (!item || (type !== "set" && type !== "map")) return [];
  const faults: Below[] = [];
  const forbid = (at: string): void =>
    void faults.push({ kind: "forbidden", at, why: `expected no null in a list of type ${type}` });
  if (item["nullable"]) forbid("items.nullable");
  if (type === "set") return faults;
  const needed = new Set(textsIn(item["required"]));
  const properties = schemaIn(item["properties"]) ?? {};
  for (const key of textsIn(schema["x-kubernetes-list-map-keys"])) {
    const member = Object.hasOwn(properties, key) ? schemaIn(properties[key]) : undefined;
    if (!member) continue;
    const at = `items.properties[${key}]`;
    if (!needed.has(key) && (member["default"] ?? undefined) === undefined) {
      faults.push({ kind: "required", at: `${at}.default`, why: "expected a default, or the key to be required" });
    }
    if (member["nullable"]) forbid(`${at}.nullable`);
  }
  return faults;
}

/** A keyed list has keys, which are scalar members of its elements. */
function* keyedFaults(schema: SchemaValue, path: string): Generator<Fault> {
  const listType = schema["x-kubernetes-list-type"];
  const keys = textsIn(schema["x-kubernetes-list-map-keys"]);
  if (keys.length > 0 && listType !== "map") {
    const field = `${path}.x-kubernetes-list-type`;
    yield listType === undefined
      ? required(field, "expected map: there are keys")
      : invalid(field, listType, "expected map: there are keys");
  }
  if (listType !== "map") return;
  if (keys.length === 0) yield required(`${path}.x-kubernetes-list-map-keys`, "expected the keys of the list");
  const { items } = schema;
  const item = schemaIn(items);
  if (!items) yield required(`${path}.items`, "expected the schema of the elements");
  else if (!item) yield invalid(`${path}.items`, items, "expected one schema");
  else if (item["type"] !== "object")
    yield invalid(`${path}.items.type`, item["type"] ?? "", "expected object: there are keys");
  if (item?.["type"] !== "object") return;
  const properties = schemaIn(item["properties"]) ?? {};
  const seen = new Set<string>();
  const field = `${path}.x-kubernetes-list-map-keys`;
  for (const key of keys) {
    const member = Object.hasOwn(properties, key) ? schemaIn(properties[key]) : undefined;
    if (!member) yield invalid(field, keys, "expected the names of members of the elements");
    else if (member["type"] === "array" || member["type"] === "object") {
      yield invalid(`${path}.items.properties[${key}].type`, member["type"], "expected a scalar: it is a key");
    }
    if (seen.has(key)) yield invalid(field, keys, "expected each key once");
    seen.add(key);
  }
}
