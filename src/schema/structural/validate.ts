/**
 * Validates a value against a structural schema (CRD-40, 44, 45, 46).
 *
 * Faults have the messages of kube-openapi, which people search for and programs match.
 *
 * Predicates that are compiled once and allocate nothing decide whether a value is valid; only for an invalid one the schema
 * is walked again, with paths. On an update a fault is allowed where the value has not changed: by path, in keyed lists by
 * key, in maps by key.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { CauseReason } from "../../meta/status.ts";
import { type Value, asJsonNumber, equal, isObject } from "../../value/value.ts";
import { canonicalJson } from "../../value/canonical.ts";
import { regexOf } from "../../util/regex.ts";
import { checkWork } from "../../util/work-limit.ts";
import { formatOf } from "./formats.ts";
import { type Structural, propertyOf, valuesOf } from "./schema.ts";

/** One fault. */
interface Fault {
  readonly reason: CauseReason;
  /** The path in the cause: `spec.list[0]`; `<nil>` for the value itself. */
  readonly field: string;
  readonly message: string;
}

/** Validates whole objects by the schema of their kind. */
export interface Validator {
  /**
   * Adds the faults of a value; `old` is the value before, undefined for a new one.
   *
   * @throws WorkTooLong where many alternatives would take too long on this thread
   */
  validate(value: unknown, old: unknown, errors: FieldErrors): void;
}

const validators = new WeakMap<Structural, Validator>();

/** The validator of a schema, compiled on first use, once for each schema object. */
export function validatorOf(schema: Structural): Validator {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = newValidator(schema)));
  return validator;
}

function newValidator(schema: Structural): Validator {
  return {
    validate(value, old, errors) {
      if (fits(schema, value as Value)) return;
      const was = old === undefined ? NOTHING : (old as Value);
      for (const { reason, field, message } of check(schema, value as Value, was, "", 0).faults) {
        errors.add(reason, field, message);
      }
    },
  };
}

const predicates = new WeakMap<Structural, (value: Value) => boolean>();

/** Whether a value fits a schema. */
export function fits(schema: Structural, value: Value): boolean {
  let predicate = predicates.get(schema);
  if (!predicate) predicates.set(schema, (predicate = compile(schema)));
  return predicate(value);
}

/** Whether a value fits an alternative; a schema may have ten thousands of them for each item of a list. */
function suits(schema: Structural, value: Value): boolean {
  checkWork(0);
  return fits(schema, value);
}

type JsonKind = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** The JSON type of a value: a number without a fraction is an integer, unless it needs a double. */
function kindOf(value: Value): JsonKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "string":
      return "string";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number";
    default:
      return asJsonNumber(value) ? "integer" : "object";
  }
}

/** The types that a schema allows; undefined for any. */
const typesOf = (schema: Structural): readonly string[] | undefined =>
  schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type ? [schema.type] : undefined;

/** Whether the type of a value is allowed; the format validates texts. */
function hasType(schema: Structural, kind: JsonKind): boolean {
  const types = typesOf(schema);
  if (!types) return true;
  if (kind === "null") return schema.nullable === true;
  const isNumeric = types.includes("number") || types.includes("integer");
  if (!isNumeric && formatOf(schema.format) && (kind === "string" || kind === "array")) return true;
  return types.includes(kind) || (kind === "integer" && types.includes("number"));
}

/** The keywords that validate a value that is not null, besides its type and its children. */
const WORDS: readonly {
  readonly name: keyof Structural;
  readonly has: (schema: Structural) => boolean;
  readonly kinds: readonly JsonKind[];
  readonly holds: (schema: Structural, value: never) => boolean;
  readonly fault: (schema: Structural, value: never, path: string) => Pick<Fault, "reason" | "message">;
}[] = [
  word(
    "maxLength",
    ["string"],
    (s, v: string) => lengthOf(v) <= s.maxLength!,
    (s) => ({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${s.maxLength} bytes`,
    }),
  ),
  word(
    "minLength",
    ["string"],
    (s, v: string) => lengthOf(v) >= s.minLength!,
    (s, v, at) => wrong(v, `${at} in body should be at least ${s.minLength} chars long`),
  ),
  word(
    "pattern",
    ["string"],
    (s, v: string) => regexOf(s.pattern!).test(v),
    (s, v, at) => wrong(v, `${at} in body should match '${s.pattern}'`),
  ),
  word(
    "format",
    ["string"],
    (s, v: string) => formatOf(s.format)?.(v) ?? true,
    (s, v, at) => ({
      ...wrong(v, `${at} in body must be of type ${s.format}: ${shown(v)}`),
      reason: "FieldValueTypeInvalid",
    }),
  ),
  word(
    "multipleOf",
    ["integer", "number"],
    (s, v: number) => isMultiple(v, s.multipleOf!),
    (s, v, at) => wrong(v, `${at} in body should be a multiple of ${s.multipleOf}`),
  ),
  word(
    "maximum",
    ["integer", "number"],
    (s, v: number) => (s.exclusiveMaximum ? +v < s.maximum! : +v <= s.maximum!),
    (s, v, at) => wrong(v, `${at} in body should be less than ${s.exclusiveMaximum ? "" : "or equal to "}${s.maximum}`),
  ),
  word(
    "minimum",
    ["integer", "number"],
    (s, v: number) => (s.exclusiveMinimum ? +v > s.minimum! : +v >= s.minimum!),
    (s, v, at) =>
      wrong(v, `${at} in body should be greater than ${s.exclusiveMinimum ? "" : "or equal to "}${s.minimum}`),
  ),
  word(
    "minItems",
    ["array"],
    (s, v: Value[]) => v.length >= s.minItems!,
    (s, v, at) => wrong(v.length, `${at} in body should have at least ${s.minItems} items`),
  ),
  word(
    "maxItems",
    ["array"],
    (s, v: Value[]) => v.length <= s.maxItems!,
    (s, v) => tooMany(v.length, s.maxItems!),
  ),
  word(
    "minProperties",
    ["object"],
    (s, v: object) => Object.keys(v).length >= s.minProperties!,
    (s, v, at) => wrong(Object.keys(v).length, `${at} in body should have at least ${s.minProperties} properties`),
  ),
  word(
    "maxProperties",
    ["object"],
    (s, v: object) => Object.keys(v).length <= s.maxProperties!,
    (s, v) => tooMany(Object.keys(v).length, s.maxProperties!),
  ),
];

function word<T>(
  name: keyof Structural,
  kinds: readonly JsonKind[],
  holds: (schema: Structural, value: T) => boolean,
  fault: (schema: Structural, value: T, path: string) => Pick<Fault, "reason" | "message">,
): (typeof WORDS)[number] {
  return { name, has: (schema) => schema[name] !== undefined, kinds, holds, fault };
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const wrong = (value: unknown, why: string): Pick<Fault, "reason" | "message"> => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${shown(value)}: ${why}`,
});

const tooMany = (got: number, max: number): Pick<Fault, "reason" | "message"> => ({
  reason: "FieldValueTooMany",
  message: `Too many: ${got}: must have at most ${max} items`,
});

/** The length of a text in code points. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 1; i < text.length; i++) {
    const [high, low] = [text.charCodeAt(i - 1), text.charCodeAt(i)];
    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) length--;
  }
  return length;
}

/** Whether a number is a multiple of another, within the precision of doubles. */
function isMultiple(value: number, factor: number): boolean {
  const times = factor < 1 ? (1 / factor) * +value : +value / factor;
  return factor > 0 && Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

const isAllowed = ({ enum: allowed }: Structural, value: Value): boolean => {
  if (allowed === undefined) return true;
  if (allowed.length <= FEW) return allowed.some((one) => equal(one, value));
  let texts = enums.get(allowed);
  if (!texts) enums.set(allowed, (texts = new Set(allowed.map(canonicalJson))));
  return texts.has(canonicalJson(value));
};

/** Up to so many values are compared one by one. */
const FEW = 16;

/** The texts of the allowed values, of schemas that allow many. */
const enums = new WeakMap<readonly Value[], ReadonlySet<string>>();

function compile(schema: Structural): (value: Value) => boolean {
  const { allOf = [], anyOf = [], oneOf = [], not, items, required = [], additionalProperties } = schema;
  const words = Map.groupBy(
    WORDS.filter(({ has }) => has(schema)).flatMap((one) => one.kinds.map((kind) => ({ kind, holds: one.holds }))),
    ({ kind }) => kind,
  );
  const values = valuesOf(schema);
  const closed = additionalProperties === false;
  const anyItem = items !== undefined;
  const known = schema.properties !== undefined;
  const checksMembers = known || values !== undefined || closed;
  return (value) => {
    const kind = kindOf(value);
    if (!hasType(schema, kind) || !isAllowed(schema, value)) return false;
    if (kind === "null") return true;
    for (const { holds } of words.get(kind) ?? NONE) if (!holds(schema, value as never)) return false;
    for (const one of allOf) if (!suits(one, value)) return false;
    if (anyOf.length > 0 && !anyOf.some((one) => suits(one, value))) return false;
    if (oneOf.length > 0 && oneOf.filter((one) => suits(one, value)).length !== 1) return false;
    if (not && suits(not, value)) return false;
    if (kind === "array") return !anyItem || (value as Value[]).every((item) => fits(items, item));
    if (kind !== "object") return true;
    const object = value as { [key: string]: Value };
    for (const name of required) if (!Object.hasOwn(object, name)) return false;
    if (!checksMembers) return true;
    for (const key in object) {
      const member = propertyOf(schema, key) ?? values;
      if (member ? !fits(member, object[key]!) : closed) return false;
    }
    return true;
  };
}

const NONE: readonly { readonly holds: (schema: Structural, value: never) => boolean }[] = [];

/** The old value of a new one. */
const NOTHING: unique symbol = Symbol("nothing");
type Before = Value | typeof NOTHING;

/** The faults of a check, and how many parts are valid, to find the best of several alternatives. */
interface Found {
  faults: Fault[];
  matches: number;
  /** Whether a member below has a fault and has changed: then the whole has changed. */
  changed?: boolean;
}

/** Whether the limit of faults is reached. */
const isFull = ({ faults }: Found): boolean => faults.length >= MAX_FAULTS;

/** The limit of nested schemas. */
const MAX_DEPTH = 1000;

/** The faults of a value, in the order of the keywords; unchanged values have none. */
function check(schema: Structural, value: Value, old: Before, path: string, depth: number): Found {
  const found: Found = { faults: [], matches: 1 };
  const kind = kindOf(value);
  const { faults } = found;
  const add = (fault: Pick<Fault, "reason" | "message">, at = path): void =>
    void faults.push({ ...fault, field: fieldOf(at) });
  if (hasType(schema, kind)) found.matches++;
  else {
    const expected = (typesOf(schema) ?? []).join(",");
    add({
      reason: "FieldValueTypeInvalid",
      message: `Invalid value: ${shown(kind)}: ${path} in body must be of type ${expected}: ${shown(kind)}`,
    });
  }
  if (kind !== "null" && depth < MAX_DEPTH) {
    merge(found, checkAlternatives(schema, value, path, depth));
    let length = false;
    for (const { name, has, kinds, holds, fault } of WORDS) {
      if (!has(schema) || !kinds.includes(kind) || holds(schema, value as never)) continue;
      // Only the first fault of the length and the pattern of a text is reported.
      const isOfText = kind === "string" && name !== "format";
      if (!isOfText || !length) add(fault(schema, value as never, path));
      length ||= isOfText;
    }
    if (kind === "integer" || kind === "number" || kind === "string" || kind === "array") found.matches++;
    if (kind === "array") merge(found, checkItems(schema, value as Value[], old, path, depth));
  }
  if (!isAllowed(schema, value)) {
    const allowed = schema.enum!.slice(0, 50).map(shown).join(", ");
    add({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${shown(value)}: supported values: ${allowed}`,
    });
  }
  if (kind === "object" && depth < MAX_DEPTH) {
    merge(found, checkMembers(schema, value as { [key: string]: Value }, old, path, depth));
  }
  if (faults.length > 0 && old !== NOTHING && !found.changed) {
    if (isAsBefore(schema, value, old)) faults.length = 0;
    else found.changed = true;
  }
  if (faults.length > MAX_FAULTS) faults.length = MAX_FAULTS;
  return found;
}

/** The limit of faults of a response. */
const MAX_FAULTS = 1000;

const fieldOf = (path: string): string => (path === "" ? "<nil>" : path);

/** The path of a member. */
const memberOf = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function merge(found: Found, other: Found): void {
  if (!isFull(found)) found.faults.push(...other.faults);
  found.matches += other.matches;
  if (other.changed) found.changed = true;
}

function checkAlternatives(schema: Structural, value: Value, path: string, depth: number): Found {
  const found: Found = { faults: [], matches: 1 };
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  // An alternative is not compared with the old value: only the whole is.
  const results = (all: readonly Structural[]): Found[] =>
    all.map((one) => {
      checkWork(0);
      return check(one, value, NOTHING, path, depth + 1);
    });
  const fail = (why: string): void => {
    found.faults.push({
      reason: "FieldValueInvalid",
      field: "<nil>",
      message: `Invalid value: "": ${JSON.stringify(path)} ${why}`,
    });
  };
  const best = (all: readonly Found[]): Found =>
    all.reduce((one, other) => (other.matches > one.matches ? other : one));
  if (anyOf.length > 0) {
    const all = results(anyOf);
    const fitting = all.find(({ faults }) => faults.length === 0);
    if (!fitting) fail("must validate at least one schema (anyOf)");
    merge(found, fitting ?? best(all));
  }
  if (oneOf.length > 0) {
    const all = results(oneOf);
    const fitting = all.filter(({ faults }) => faults.length === 0);
    const count = fitting.length === 0 ? "Found none valid" : `Found ${fitting.length} valid alternatives`;
    if (fitting.length !== 1) fail(`must validate one and only one schema (oneOf). ${count}`);
    if (fitting.length === 0) merge(found, best(all));
    if (fitting.length === 1) merge(found, fitting[0]!);
  }
  if (allOf.length > 0) {
    const all = results(allOf);
    for (const one of all) merge(found, one);
    if (all.some(({ faults }) => faults.length > 0)) fail("must validate all the schemas (allOf)");
  }
  if (not && fits(not, value)) fail("must not validate the schema (not)");
  return found;
}

function checkItems(schema: Structural, value: Value[], old: Before, path: string, depth: number): Found {
  const found: Found = { faults: [], matches: 0 };
  const { items } = schema;
  if (!items) return found;
  const before = elementsBefore(schema, old);
  for (const [i, item] of value.entries()) {
    if (isFull(found)) break;
    merge(found, check(items, item, before?.(item) ?? NOTHING, `${path}[${i}]`, depth + 1));
  }
  // An item was compared with the one of its key, which may have another position.
  found.changed = false;
  return found;
}

function checkMembers(
  schema: Structural,
  value: { readonly [key: string]: Value },
  old: Before,
  path: string,
  depth: number,
): Found {
  const found: Found = { faults: [], matches: 0 };
  const { required = [], additionalProperties } = schema;
  const values = valuesOf(schema);
  const was = old !== NOTHING && isObject(old) ? old : undefined;
  for (const key of Object.keys(value)) {
    if (isFull(found)) break;
    const member = propertyOf(schema, key) ?? values;
    const isHead = path === "" && (key === "apiVersion" || key === "kind");
    const before = was && !isHead && Object.hasOwn(was, key) ? was[key]! : NOTHING;
    if (member) merge(found, check(member, value[key]!, before, memberOf(path, key), depth + 1));
    else if (additionalProperties === false) {
      found.faults.push({
        ...wrong(key, `${memberOf(path, key)} in body is a forbidden property`),
        field: fieldOf(path),
      });
    }
  }
  for (const name of required) {
    if (isFull(found)) break;
    if (Object.hasOwn(value, name)) continue;
    found.faults.push({
      reason: "FieldValueRequired",
      field: memberOf(path, name),
      message: "Required value",
    });
  }
  return found;
}

/** A function that finds the old element of a keyed list by its key. */
function elementsBefore(schema: Structural, old: Before): ((item: Value) => Value | undefined) | undefined {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || !keys || !Array.isArray(old)) return undefined;
  let byKey: Map<string, Value> | undefined;
  return (item) => {
    byKey ??= new Map(old.map((element) => [keyOf(keys, element), element]));
    return byKey.get(keyOf(keys, item));
  };
}

const keyOf = (keys: readonly string[], element: Value): string =>
  isObject(element) ? canonicalJson(keys.map((key) => element[key] ?? null)) : canonicalJson([element]);

/** Whether a value has not changed, elements of keyed lists in any order. */
function isAsBefore(schema: Structural, value: Value, old: Value): boolean {
  if (equal(value, old)) return true;
  if (Array.isArray(value) && Array.isArray(old)) {
    const before = elementsBefore(schema, old);
    if (!before || !schema.items || value.length !== old.length) return false;
    return value.every((item) => {
      const was = before(item);
      return was !== undefined && isAsBefore(schema.items!, item, was);
    });
  }
  if (!isObject(value) || !isObject(old)) return false;
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(old, name)) return false;
    const member = propertyOf(schema, name) ?? valuesOf(schema);
    return member ? isAsBefore(member, value[name]!, old[name]!) : equal(value[name]!, old[name]!);
  });
}
