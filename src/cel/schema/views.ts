/**
 * Views of JSON values by their schema, without a copy (CEL-30..35).
 *
 * @module
 */
import { type Value as Json, type ValueObject, asJsonNumber } from "../../value/value.ts";
import { parseGoBase64Url } from "../../util/go-base64.ts";
import { parseFormatDuration } from "../../util/go-duration.ts";
import { goQuoted } from "../../util/go-quote.ts";
import { timestampIn } from "../times.ts";
import { Dict, Duration, Failure, List, type Value, equals, identityOf, keyText } from "../values.ts";
import type { Declaration, Field } from "./declaration.ts";

/** The view of a value by its declaration; undefined where the value counts as absent. */
export function viewOf(value: Json | undefined, declaration: Declaration): Value | undefined {
  if (value === undefined || value === null) return undefined;
  switch (declaration.type.kind) {
    case "int":
      return integerOf(value);
    case "double":
      return typeof value === "number" ? value : (asJsonNumber(value)?.value ?? mismatch("double", value));
    case "bool":
      return typeof value === "boolean" ? value : mismatch("bool", value);
    case "string":
      return typeof value === "string" ? value : mismatch("string", value);
    case "bytes":
      return typeof value === "string" ? bytesOf(value) : mismatch("string", value);
    case "duration":
      return typeof value === "string" ? durationOf(value) : mismatch("string", value);
    case "timestamp":
      return typeof value === "string" ? timestampOf(value, declaration.schema.format) : mismatch("string", value);
    case "list":
      return Array.isArray(value) ? listView(value, declaration) : typeMismatch("an array", "array");
    case "map":
      return isPlain(value) ? new MapView(value, declaration.item!) : typeMismatch("an object", "object");
    case "struct":
      return isPlain(value) ? new ObjectView(value, declaration) : typeMismatch("an object", "object");
    default:
      return anyOf(value);
  }
}

const isPlain = (value: Json): value is ValueObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !asJsonNumber(value);

const typeMismatch = (what: string, type: string): Failure =>
  new Failure(`invalid data, expected ${what} for the provided schema with type=${type}`);

function mismatch(expected: string, value: Json): Failure {
  return new Failure(`invalid data, expected ${expected}, got ${foundType(value)}`);
}

function foundType(value: Json): string {
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return asJsonNumber(value) ? "int64" : "map[string]interface {}";
  }
}

function integerOf(value: Json): Value {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : mismatch("int", value);
  return asJsonNumber(value)?.integer ?? mismatch("int", value);
}

/** A value of any type. */
function anyOf(value: Json): Value {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === "string" || typeof value === "boolean") return value;
  return asJsonNumber(value)?.integer ?? mismatch("XIntOrString value to be either a string or integer", value);
}

/** kube-apiserver expects the base64url alphabet here, though the format `byte` is base64. */
function bytesOf(text: string): Value {
  const bytes = parseGoBase64Url(text);
  return typeof bytes === "number"
    ? new Failure(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${bytes}`)
    : bytes;
}

/** @throws WorkTooLong */
function durationOf(text: string): Value {
  const nanos = parseFormatDuration(text);
  return nanos === undefined
    ? new Failure(`Invalid duration ${text}: unable to parse ${text} as duration`)
    : new Duration(nanos);
}

function timestampOf(text: string, format: string | undefined): Value {
  if (format === "date") {
    const date = /^\d{4}-\d\d-\d\d$/.test(text) ? timestampIn(`${text}T00:00:00Z`) : undefined;
    return (
      date ?? new Failure(`Invalid date formatted string ${text}: parsing time ${goQuoted(text)}: ${wrongDate(text)}`)
    );
  }
  const found = timestampIn(text) ?? timestampIn(`${text}Z`);
  if (found) return found;
  const layout = wrongDate(text).startsWith("cannot") ? ` as "2006-01-02T15:04:05"` : "";
  return new Failure(
    `Invalid date-time formatted string ${text}: parsing time ${goQuoted(text)}${layout}: ${wrongDate(text)}`,
  );
}

function wrongDate(text: string): string {
  const [, , month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (month !== undefined && (Number(month) < 1 || Number(month) > 12)) return "month out of range";
  return day === undefined ? `cannot parse ${goQuoted(text)} as "2006"` : "day out of range";
}

function listView(value: readonly Json[], declaration: Declaration): List {
  const type = declaration.schema["x-kubernetes-list-type"];
  if (type === "set") return new SetView(value, declaration);
  const keys = declaration.schema["x-kubernetes-list-map-keys"];
  return type === "map" && keys ? new KeyedView(value, declaration, keys) : new ListView(value, declaration);
}

/** A list. */
class ListView extends List {
  readonly json: readonly Json[];
  readonly declaration: Declaration;

  constructor(json: readonly Json[], declaration: Declaration) {
    super();
    this.json = json;
    this.declaration = declaration;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return viewOf(this.json[index], this.declaration.item!) ?? null;
  }
}

/** The union of two lists. */
class UnionList extends List {
  readonly #values: readonly Value[];
  readonly #like: List;

  constructor(values: readonly Value[], like: List) {
    super();
    this.#values = values;
    this.#like = like;
  }

  get size(): number {
    return this.#values.length;
  }

  at(index: number): Value {
    return this.#values[index]!;
  }

  override equals(other: List): boolean | undefined {
    return this.#like instanceof SetView ? sameElements(this, other) : undefined;
  }
}

/** Whether two lists have the same size, and the second contains each element of the first. */
function sameElements(a: List, b: List): boolean {
  if (a.size !== b.size) return false;
  const texts = new Set<string>();
  const others: Value[] = [];
  for (const one of b) {
    const text = identityOf(one);
    if (text === undefined) others.push(one);
    else texts.add(text);
  }
  return [...a].every((one) => {
    const text = identityOf(one);
    return text === undefined ? others.some((other) => equals(one, other)) : texts.has(text);
  });
}

/** A set: the order does not matter, and `+` adds only new elements (CEL-32). */
class SetView extends ListView {
  override equals(other: List): boolean {
    return sameElements(this, other);
  }

  override plus(other: List): List {
    const values = [...this];
    const seen = new Set(values.map(textOf));
    for (const one of other) {
      const text = textOf(one);
      if (seen.has(text)) continue;
      seen.add(text);
      values.push(one);
    }
    return new UnionList(values, this);
  }
}

/** The identity of a value in a set: scalars by value, others by their JSON. */
const textOf = (value: Value): string => {
  const text = keyText(value);
  return text === "?"
    ? JSON.stringify(value, (_key, one: unknown) => (typeof one === "bigint" ? `${one}n` : one))
    : text;
};

/** A list with keys: the order does not matter, and `+` replaces elements with equal keys (CEL-32). */
class KeyedView extends ListView {
  readonly #keys: readonly string[];

  constructor(json: readonly Json[], declaration: Declaration, keys: readonly string[]) {
    super(json, declaration);
    this.#keys = keys;
  }

  #keyOf(element: Value): string {
    if (!(element instanceof Dict)) return "";
    return JSON.stringify(this.#keys.map((key) => keyText(element.get(key) ?? null)));
  }

  override equals(other: List): boolean {
    if (this.size !== other.size) return false;
    const byKey = new Map([...other].map((element) => [this.#keyOf(element), element]));
    return [...this].every((element) => {
      const same = byKey.get(this.#keyOf(element));
      return same !== undefined && equals(element, same);
    });
  }

  override plus(other: List): List {
    const byKey = new Map([...this].map((element) => [this.#keyOf(element), element]));
    for (const element of other) byKey.set(this.#keyOf(element), element);
    return new UnionList([...byKey.values()], this);
  }
}

/** A map; nulls count as absent. */
class MapView extends Dict {
  readonly #json: ValueObject;
  readonly #item: Declaration;

  constructor(json: ValueObject, item: Declaration) {
    super();
    this.#json = json;
    this.#item = item;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" && Object.hasOwn(this.#json, key) ? viewOf(this.#json[key], this.#item) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}

/** An object with the members of its schema. */
class ObjectView extends Dict {
  readonly #json: ValueObject;
  readonly #fields: ReadonlyMap<string, Field>;
  override readonly typeName: string;

  constructor(json: ValueObject, declaration: Declaration) {
    super();
    this.#json = json;
    this.#fields = declaration.fields!;
    this.typeName = declaration.type.name;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const field = this.#fields.get(key) ?? (key === "namespace" ? this.#fields.get("__namespace__") : undefined);
    if (!field || !Object.hasOwn(this.#json, field.name)) return undefined;
    return viewOf(this.#json[field.name], field.declaration);
  }

  *keys(): Iterable<Value> {
    for (const key of this.#fields.keys()) if (this.get(key) !== undefined) yield key;
  }
}
