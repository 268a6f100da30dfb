/**
 * What expressions of mutating policies have in addition to those of others (CEL-27): values of the object, `Object.spec{...}`, operations of a
 * JSON patch, `JSONPatch{...}`, and `jsonpatch.escapeKey`.
 *
 * A value of the object has any members: they are compared with the schema when it is applied. The name of its type is its path in the
 * object, which {@link misplacedTypes} checks.
 *
 * @module
 */
import { JsonNumber, type Value as Json, type ValueObject, setMember } from "../../value/value.ts";
import { type Functions, functionsOf } from "../environment.ts";
import { allFunctions } from "../library/index.ts";
import { fn } from "../library/contract.ts";
import { WALK, walk } from "../library/costs.ts";
import type { Message } from "../message.ts";
import { durationText, timestampText } from "../times.ts";
import { DYN, STRING, type Type, listOf, structOf } from "../types.ts";
import { Dict, Duration, Failure, List, Optional, Timestamp, Uint, type Value } from "../values.ts";
import { once } from "../../util/once.ts";

const OBJECT = "Object";
const NO_FIELDS: ReadonlyMap<string, Type> = new Map();

const objectType = (name: string): Type => ({ ...structOf(name, NO_FIELDS), isOpen: true });

/** The type of the expression of an apply configuration. */
export const OBJECT_TYPE: Type = objectType(OBJECT);

const PATCH_FIELDS: ReadonlyMap<string, Type> = new Map([
  ["op", STRING],
  ["from", STRING],
  ["path", STRING],
  ["value", DYN],
]);

const PATCH_TYPE: Type = structOf("JSONPatch", PATCH_FIELDS);

/** The type of the expression of a JSON patch: a list of operations. */
export const PATCH_LIST_TYPE: Type = listOf(PATCH_TYPE);

/** A value of a literal in a mutation: a part of the object, or an operation of a JSON patch. */
export class MadeValue extends Dict {
  override readonly typeName: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" ? this.fields.get(key) : undefined;
  }

  keys(): Iterable<Value> {
    return this.fields.keys();
  }
}

const PATCH_MESSAGE: Message = {
  name: "JSONPatch",
  type: PATCH_TYPE,
  fields: PATCH_FIELDS,
  make: (fields) => new MadeValue("JSONPatch", new Map(fields)),
};

/** The message types of mutations by name. */
export function mutationMessage(name: string): Message | undefined {
  if (name === "JSONPatch") return PATCH_MESSAGE;
  if (name !== OBJECT && !name.startsWith(`${OBJECT}.`)) return undefined;
  return {
    name,
    type: objectType(name),
    fields: NO_FIELDS,
    isOpen: true,
    make: (fields) => new MadeValue(name, new Map(fields)),
  };
}

/** `~` and `/` have other meanings in a path of a JSON patch. */
const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** All functions, with those of mutations. */
export const mutationFunctions: () => Functions = once(() => {
  const own = functionsOf([[fn("|jsonpatch.escapeKey(string): string", escapeKey, walk(WALK, true))]]);
  return new Map([...allFunctions(), ...own]);
});

/** How many types {@link misplacedTypes} reports: a value may have one type at many paths. */
const MAX_MISPLACED = 10;

/** Reports the first types that do not have the name of their path, as in `Object.spec{ selector: Object.spec.wrong{} }`. */
export function misplacedTypes(value: Value): readonly string[] {
  const found: string[] = [];
  if (value instanceof MadeValue) findMisplaced(value, value.typeName, found);
  return found;
}

function findMisplaced(value: Value, path: string, found: string[]): void {
  if (found.length >= MAX_MISPLACED) return;
  if (value instanceof MadeValue) {
    if (value.typeName !== path) found.push(misplaced(value.typeName, path));
    for (const [name, field] of value.fields) findMisplaced(field, `${path}.${name}`, found);
    return;
  }
  // Only lists and maps that the expression created may contain such values.
  if (value instanceof List) for (const item of value) findMisplaced(item, path, found);
  if (value instanceof Dict) for (const key of value.keys()) findMisplaced(value.get(key)!, path, found);
}

const misplaced = (name: string, path: string): string =>
  `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;

/** How many values the JSON of a result may have: an expression can create a large value that uses few parts many times. */
const MAX_VALUES = 400_000;

/** The value as JSON; a failure where it has no JSON form, or has too many values. */
export const jsonOfMade = (value: Value): Json | Failure => madeJson(value, { left: MAX_VALUES });

/** How many more values the JSON may have. */
interface Room {
  left: number;
}

function madeJson(value: Value, room: Room): Json | Failure {
  if (room.left-- <= 0) return new Failure(`the expression evaluated to more than ${MAX_VALUES} values`);
  switch (typeof value) {
    case "bigint":
      return integerJson(value);
    case "string":
    case "boolean":
    case "number":
      return value;
    default:
      return jsonOfObject(value, room);
  }
}

function jsonOfObject(value: Exclude<Value, string | boolean | number | bigint>, room: Room): Json | Failure {
  if (value === null || value instanceof Failure) return value;
  if (value instanceof Uint) return integerJson(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof List) return jsonList(value, room);
  if (value instanceof Dict) return jsonObject(value, room);
  if (value instanceof Optional && value.value !== undefined) return madeJson(value.value, room);
  return new Failure("the expression evaluated to a type that could not marshal to JSON");
}

const integerJson = (value: bigint): Json => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : (new JsonNumber(String(value)) as unknown as Json);
};

function jsonList(list: List, room: Room): Json | Failure {
  const items: Json[] = [];
  for (const item of list) {
    const json = madeJson(item, room);
    if (json instanceof Failure) return json;
    items.push(json);
  }
  return items;
}

function jsonObject(dict: Dict, room: Room): Json | Failure {
  const object: ValueObject = {};
  for (const key of dict.keys()) {
    if (typeof key !== "string") return new Failure("map keys must be strings, as in JSON");
    const json = madeJson(dict.get(key)!, room);
    if (json instanceof Failure) return json;
    setMember(object, key, json);
  }
  return object;
}
