/**
 * Whether what a definition says is a structural schema (CRD-40, 42, 45, 46; KEP-95): every word that may not be used, or not
 * there, is told by its path. What was taken before is taken again, also where rules have become stricter since.
 *
 * A schema is structural when the type of every place is said once, outside of allOf, anyOf, oneOf and not; what is said in
 * there only judges values. So pruning and defaults do not depend on which alternative a value fits.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { RegexFault, regexOf } from "../../util/regex.ts";
import type { Steps } from "../../util/steps.ts";
import { type Value, equal, isObject } from "../../value/value.ts";
import { OBJECT_MEMBERS } from "./schema.ts";

/** A schema as somebody wrote it: any word may be there. */
export type Written = Readonly<Record<string, unknown>>;

/** What is asked of a schema beside what is asked of every one. */
export interface SchemaCheck {
  /** Whether objects have a status path: then the root may use few words. */
  readonly hasStatus: boolean;
  /** Which rules the schema before did not obey: they are not asked of this one (CRD-46). */
  readonly before?: Relaxed;
}

/** Rules that are not asked. */
export interface Relaxed {
  readonly types: boolean;
  readonly structure: boolean;
  readonly sets: boolean;
  readonly keys: boolean;
}

/** Which rules a schema that was taken does not obey; in steps, since there may be tens of thousands of schemas in one. */
export function* relaxedBy(schema: Written): Steps<Relaxed> {
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
 * Tells what is wrong with a schema, and says whether its form is right, so that its defaults and its rules may be looked at;
 * likewise in steps.
 */
export function* checkSchema(
  schema: Written,
  path: string,
  { hasStatus, before }: SchemaCheck,
  errors: FieldErrors,
): Steps<boolean> {
  const faults = [
    ...(hasStatus ? rootFaults(schema, path) : []),
    ...(schema["nullable"] === true ? [forbidden(`${path}.nullable`, "the root of an object is never null")] : []),
  ];
  const unread = before?.structure ? undefined : yield* firstUnread(schema);
  const structure = before?.structure || unread ? [] : yield* collected(structureFaults(schema, path));
  const words = yield* collected(wordFaults(schema, path, ROOT, before));
  const all = [...faults, ...structure, ...words];
  if (all.length === 0 && unread) all.push(invalid(path, "", unread));
  for (const { kind, field, got, why, allowed } of all) {
    if (kind === "required") errors.required(field, why);
    else if (kind === "forbidden") errors.forbidden(field, why);
    else if (kind === "notSupported") errors.notSupported(field, got, allowed ?? []);
    else errors.invalid(field, got, why);
  }
  return structure.length === 0 && !unread && !before?.structure;
}

/** Looks for faults; it stops between two schemas, and gives nothing then. */
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

const schemaIn = (value: unknown): Written | undefined =>
  isObject((value ?? null) as Value) ? (value as Written) : undefined;
/** A list of the schema in a value, or of nothing. */
const oneIn = (value: unknown): readonly Written[] => {
  const schema = schemaIn(value);
  return schema ? [schema] : [];
};
const schemasIn = (value: unknown): readonly Written[] => (Array.isArray(value) ? (value as Written[]) : []);
const namedIn = (value: unknown): readonly (readonly [string, Written])[] =>
  Object.entries((schemaIn(value) ?? {}) as Record<string, Written>);
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

/** Words whose values are lists of schemas that a value is judged by. */
const ALTERNATIVES = ["allOf", "oneOf", "anyOf"] as const;

/** A schema and all below it, judging ones included. */
function* everySchema(schema: Written): Generator<Written> {
  yield schema;
  for (const nested of nestedIn(schema)) yield* everySchema(nested);
}

/** The schemas that stand right in one. */
function nestedIn(schema: Written): readonly Written[] {
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

/** The status must be found as a member of the root, whatever else the schema says. */
function rootFaults(schema: Written, path: string): Fault[] {
  const { type } = schema;
  if (type && type !== "object") return [invalid(`${path}.type`, type, "expected object: objects have a status path")];
  const stranger = Object.keys(schema).find((word) => !WORDS_AT_ROOT.has(word) && isSet(schema[word]));
  return stranger === undefined
    ? []
    : [
        invalid(
          path,
          stranger,
          "expected the root to say nothing that could hide the status: objects have a status path",
        ),
      ];
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== "";

// Words that nobody reads.

const UNREAD = ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];

/** Whether there is more than an empty text or map. */
const isGiven = (value: unknown): boolean =>
  isSet(value) && (typeof value !== "object" || Object.keys(value as object).length > 0);

/** What keeps a schema from being read at all; undefined when nothing does. */
function* firstUnread(schema: Written): Steps<string | undefined> {
  for (const one of everySchema(schema)) {
    const fault = unreadIn(one);
    if (fault !== undefined) return fault;
    yield;
  }
  return undefined;
}

/** The schemas of a whole one that can not be read, for something in them or below them; each is looked at once, in steps. */
export function* unreadable(schema: Written): Steps<ReadonlySet<object>> {
  const found = new Set<object>();
  yield* holdsUnread(schema, found);
  return found;
}

function* holdsUnread(schema: Written, found: Set<object>): Steps<boolean> {
  yield;
  let isUnread = unreadIn(schema) !== undefined;
  for (const nested of nestedIn(schema)) if (yield* holdsUnread(nested, found)) isUnread = true;
  if (isUnread) found.add(schema);
  return isUnread;
}

/** What keeps a schema from being read, those in it aside. */
function unreadIn(one: Written): string | undefined {
  const word = UNREAD.find((w) => isGiven(one[w]) || (w === "additionalItems" && (one[w] ?? null) !== null));
  if (word !== undefined) return `expected a schema without ${word}`;
  if (Array.isArray(one["items"])) return "expected items to be one schema";
  return one["x-kubernetes-preserve-unknown-fields"] === false
    ? "expected x-kubernetes-preserve-unknown-fields to be true or not there"
    : undefined;
}

function* isUnstructured(schema: Written): Steps<boolean> {
  if ((yield* firstUnread(schema)) !== undefined) return true;
  return (yield* collected(structureFaults(schema, ""))).length > 0;
}

// The structure: the type of every place, said once.

type Level = "root" | "member" | "item";

function* structureFaults(schema: Written, path: string): Faults {
  yield* placeFaults(schema, "root", path);
  yield* incomplete(schema, schema, path, path);
}

function* placeFaults(schema: Written, level: Level, path: string): Faults {
  yield undefined;
  const { type, items, additionalProperties } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  if (type === "array" && !items) yield required(`${path}.items`, "expected the schema of the elements");
  const item = schemaIn(items);
  if (item) yield* placeFaults(item, "item", `${path}.items`);
  for (const [name, member] of namedIn(schema["properties"])) {
    yield* placeFaults(member, "member", `${path}.properties[${name}]`);
  }
  if (additionalProperties !== undefined) {
    if (level === "root")
      yield forbidden(`${path}.additionalProperties`, "the root of an object has members of its own");
    if (isEmbedded) yield forbidden(`${path}.additionalProperties`, "an embedded object has members of its own");
    const values = schemaIn(additionalProperties);
    if (values) yield* placeFaults(values, "member", `${path}.additionalProperties`);
  }
  if (isIntOrString && isOpen) {
    yield invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, "expected it not to be an integer or a text");
  }
  if (isIntOrString && isEmbedded) {
    yield invalid(`${path}.x-kubernetes-embedded-resource`, true, "expected it not to be an integer or a text");
  }
  const isPattern = (one: Written | undefined): boolean => equal((one?.["anyOf"] ?? null) as Value, INT_OR_STRING);
  yield* judgingFaults(schema, isPattern(schema), isPattern(schemasIn(schema["allOf"])[0]), path);
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
  { type }: Written,
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

/** What says which object it is are texts, and its metadata an object. */
function* headFaults(schema: Written, path: string): Generator<Fault> {
  const properties = schemaIn(schema["properties"]) ?? {};
  const expected = { kind: "string", apiVersion: "string", metadata: "object" };
  for (const [name, type] of Object.entries(expected)) {
    const member = Object.hasOwn(properties, name) ? schemaIn(properties[name]) : undefined;
    if (member && member["type"] !== type) {
      yield invalid(`${path}.properties[${name}].type`, member["type"] ?? "", `expected ${type}`);
    }
  }
}

/** Of the metadata of an object a schema may restrict the name, and what it is made of (CRD-45). */
function* metadataFaults(metadata: Written, path: string): Generator<Fault> {
  const { type: _type, default: _default, properties, ...others } = metadata;
  const strangers = [
    ...namedIn(properties)
      .map(([name]) => name)
      .filter((name) => name !== "name" && name !== "generateName"),
    ...Object.keys(others).filter((word) => isSet(others[word])),
  ];
  if (strangers.length > 0) yield forbidden(path, "expected nothing but name and generateName");
}

/** What a schema that only judges may not say, and how it is not said. */
const UNSAID: readonly (readonly [word: string, how: string])[] = [
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

function* judgingFaults(schema: Written, skipsAnyOf: boolean, skipsFirst: boolean, path: string): Faults {
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

function* nestedFaults(schema: Written, skipsAnyOf: boolean, path: string): Faults {
  yield undefined;
  yield* judgingFaults(schema, skipsAnyOf, false, path);
  const items = schemaIn(schema["items"]);
  if (items) yield* nestedFaults(items, false, `${path}.items`);
  for (const [name, member] of namedIn(schema["properties"])) {
    const place = `${path}.properties[${name}]`;
    yield* nestedFaults(member, false, place);
    if (name === "metadata") yield forbidden(place, "expected metadata to be judged outside of alternatives");
  }
  for (const [word, how] of UNSAID) {
    const value = schema[word];
    if (isSet(value) && !(Array.isArray(value) && value.length === 0)) {
      yield forbidden(`${path}.${word}`, `must be ${how} to be structural`);
    }
  }
}

/** Every place that is judged is there in the structure. */
function* incomplete(judging: Written, structure: Written | undefined, place: string, path: string): Faults {
  for (const word of ALTERNATIVES) {
    for (const [i, one] of schemasIn(judging[word]).entries()) {
      yield* incompleteBelow(one, structure, place, `${path}.${word}[${i}]`);
    }
  }
  const not = schemaIn(judging["not"]);
  if (not) yield* incompleteBelow(not, structure, place, `${path}.not`);
}

function* incompleteBelow(judging: Written, structure: Written | undefined, place: string, path: string): Faults {
  yield undefined;
  if (!structure) {
    yield required(place, `expected it, because ${path} judges it`);
    return;
  }
  yield* incomplete(judging, structure, place, path);
  const items = schemaIn(judging["items"]);
  if (items) yield* incompleteBelow(items, schemaIn(structure["items"]), `${place}.items`, `${path}.items`);
  const properties = schemaIn(structure["properties"]) ?? {};
  for (const [name, member] of namedIn(judging["properties"])) {
    const known = Object.hasOwn(properties, name) ? schemaIn(properties[name]) : undefined;
    yield* incompleteBelow(member, known, `${place}.properties[${name}]`, `${path}.properties[${name}]`);
  }
}

// Words, one schema at a time.

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** Where in a schema another one is. */
interface Place {
  readonly isRoot: boolean;
  /** Inside of metadata, kind or apiVersion of an object. */
  readonly insideHead: boolean;
  /** Why no default may be here. */
  readonly noDefault: string | undefined;
}

const ROOT: Place = { isRoot: true, insideHead: false, noDefault: undefined };

/** Words that are known and not supported. */
const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
/** Of these, those that may not be there, whatever they say. */
const SAID_EMPTY = ["additionalItems", "dependencies", "$ref"];

function* wordFaults(schema: Written, path: string, place: Place, before: Relaxed | undefined): Faults {
  yield undefined;
  const { type, items, additionalProperties } = schema;
  if (type && !TYPES.includes(type as string) && !before?.types) yield notSupported(`${path}.type`, type, TYPES);
  if (type === "null") yield forbidden(`${path}.type`, "expected nullable instead");
  if (schema["default"] !== undefined && schema["default"] !== null && place.noDefault !== undefined) {
    yield forbidden(`${path}.default`, place.noDefault);
  }
  for (const word of UNSUPPORTED) {
    const isSaid = SAID_EMPTY.includes(word) ? (schema[word] ?? null) !== null : isGiven(schema[word]);
    if (isSaid) yield forbidden(`${path}.${word}`, `${word} is not supported`);
  }
  if (Array.isArray(items) && items.length > 0) yield forbidden(`${path}.items`, "expected one schema");
  if (place.insideHead && schema["x-kubernetes-embedded-resource"]) {
    yield forbidden(`${path}.x-kubernetes-embedded-resource`, "expected no object inside of metadata");
  }
  if (schema["uniqueItems"]) yield forbidden(`${path}.uniqueItems`, "expected x-kubernetes-list-type: set instead");
  const hasMembers = namedIn(schema["properties"]).length > 0;
  if (hasMembers && (additionalProperties === false || schemaIn(additionalProperties))) {
    yield forbidden(`${path}.additionalProperties`, "expected it not beside properties");
  }
  yield* markFaults(schema, path, before);
  yield* wordsBelow(schema, path, place, before);
}

const below = (place: Place): Place => (place.isRoot ? { ...place, isRoot: false } : place);

function* wordsBelow(schema: Written, path: string, place: Place, before: Relaxed | undefined): Faults {
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

/** The marks of this field: how writers share lists and maps (MARK-1..17). */
function* markFaults(schema: Written, path: string, before: Relaxed | undefined): Generator<Fault> {
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

/** Elements of a set are scalars, or are replaced as a whole. */
function setFaults(schema: Written): Below[] {
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

/** Elements that are told apart are never null, and always have their keys. */
function keyFaults(schema: Written): Below[] {
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

/** A list that is told apart by keys has keys, which are scalar members of its elements. */
function* keyedFaults(schema: Written, path: string): Generator<Fault> {
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
