/**
 * The values of expressions at run time.
 *
 * bool, string and null are JavaScript values; int is bigint, uint is wrapped, double is number, bytes are Uint8Array. Lists
 * and maps are classes, so that JSON is read without a copy. A failure is a value, since `&&` and `||` may ignore it.
 *
 * @module
 */
import { unescapeName } from "./names.ts";

/** Any value. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | List
  | Dict
  | Optional
  | TypeValue
  | Opaque
  | Failure;

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** The error of an evaluation. */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A timestamp: nanoseconds since 1970, and the offset of its source in minutes. */
export class Timestamp {
  readonly nanos: bigint;
  readonly offset: number;

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A duration in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value that may be missing. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const NONE: Optional = new Optional(undefined);

/** A type as a value. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library. */
export abstract class Opaque {
  /** The name of its type. */
  abstract readonly typeName: string;
  /** Its text: `1500m`, `10.0.0.0/24`. */
  abstract readonly text: string;
  abstract equals(other: Opaque): boolean;
}

/** A message without fields; its unknown fields count for equality. */
export class EmptyMessage extends Opaque {
  readonly typeName: string;
  readonly unknown: Uint8Array;

  constructor(typeName: string, unknown: Uint8Array) {
    super();
    this.typeName = typeName;
    this.unknown = unknown;
  }

  get text(): string {
    return `${this.typeName}{}`;
  }

  equals(other: Opaque): boolean {
    return other instanceof EmptyMessage && equals(this.unknown, other.unknown);
  }
}

/** A list. */
export abstract class List {
  abstract readonly size: number;
  abstract at(index: number): Value;
  /** Equality, where it is not that of the elements in order. */
  equals?(other: List): boolean | undefined;
  /** The operator `+`, where it is not concatenation. */
  plus?(other: List): List;

  *[Symbol.iterator](): Iterator<Value> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A list of an array of values. */
export class Values extends List {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.values = values;
  }

  get size(): number {
    return this.values.length;
  }

  at(index: number): Value {
    return this.values[index]!;
  }
}

/** A map, or an object with members. */
export abstract class Dict {
  abstract readonly size: number;
  /** The value of a key; undefined where there is none. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
  /** The name of the type of an object with a schema. */
  readonly typeName: string | undefined = undefined;
}

/** An object whose members are computed at their first access. It has no size, contains nothing, and is equal to itself only. */
export class Lazy extends Dict {
  override readonly typeName: string;
  readonly #makers: ReadonlyMap<string, () => Value>;
  readonly #made = new Map<string, Value>();

  constructor(typeName: string, makers: ReadonlyMap<string, () => Value>) {
    super();
    this.typeName = typeName;
    this.#makers = makers;
  }

  get size(): number {
    return this.#makers.size;
  }

  get(key: Value): Value | undefined {
    const name = typeof key === "string" ? unescapeName(key) : undefined;
    const make = name === undefined ? undefined : this.#makers.get(name);
    if (name === undefined || make === undefined) return undefined;
    const value = this.#made.get(name) ?? make();
    this.#made.set(name, value);
    return value;
  }

  keys(): Iterable<Value> {
    return this.#makers.keys();
  }
}

/** A map of entries. */
export class Entries extends Dict {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const entry of entries) this.#entries.set(entryText(entry[0]), entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A number without a key of its own type finds the equal integer key of another type. */
  get(key: Value): Value | undefined {
    const own = this.#entries.get(entryText(key));
    if (own) return own[1];
    const number = typeof key === "number" && Number.isInteger(key) ? BigInt(key) : plainInteger(key);
    if (number === undefined) return undefined;
    return (this.#entries.get(`i${number}`) ?? this.#entries.get(`u${number}`))?.[1];
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}

const plainInteger = (key: Value): bigint | undefined =>
  key instanceof Uint ? key.value : typeof key === "bigint" ? key : undefined;

/** Equal keys of one type have one text; `1` and `1u` differ. */
function entryText(key: Value): string {
  if (typeof key === "bigint") return `i${key}`;
  if (key instanceof Uint) return `u${key.value}`;
  return key === null ? "null" : keyText(key);
}

/** Equal values have one text, such as `1`, `1u` and `1.0`. */
export function keyText(key: Value): string {
  switch (typeof key) {
    case "string":
      return `s${key}`;
    case "bigint":
      return `n${key}`;
    case "boolean":
      return `b${key}`;
    case "number":
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
    default:
      return key instanceof Uint ? `n${key.value}` : "?";
  }
}

/**
 * A text that two values share exactly where they are {@link equals equal}; undefined where there is none: only scalars, and
 * lists and maps of them, have one.
 */
export function identityOf(value: Value): string | undefined {
  if (value === null) return "null";
  if (value instanceof List) return value.equals ? undefined : identityOfAll("[", [...value]);
  if (value instanceof Dict) return value instanceof Lazy ? undefined : identityOfDict(value);
  const text = keyText(value);
  return text === "?" || Number.isNaN(value) ? undefined : `${text.length}${text}`;
}

function identityOfDict(dict: Dict): string | undefined {
  const entries = [...dict.keys()].map((key) => [keyText(key), dict.get(key)!] as const);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return identityOfAll(`{${dict.typeName ?? ""} `, sorted.flat());
}

function identityOfAll(kind: string, parts: readonly Value[]): string | undefined {
  const texts = parts.map(identityOf);
  return texts.includes(undefined) ? undefined : `${kind}${parts.length} ${texts.join("")}`;
}

/** Whether a value may be a key of a map. */
export const isKey = (key: Value): boolean =>
  ["string", "bigint", "boolean", "number"].includes(typeof key) || key instanceof Uint || key === null;

const NUMBERS = new Set(["bigint", "number"]);
const isNumber = (value: Value): boolean => NUMBERS.has(typeof value) || value instanceof Uint;
const plain = (value: Value): bigint | number => (value instanceof Uint ? value.value : (value as bigint | number));

/** Whether two values are equal, numbers of different types included. */
export function equals(a: Value, b: Value): boolean {
  if (isNumber(a) && isNumber(b)) return compare(a, b) === 0;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (a instanceof List) return b instanceof List && listsEqual(a, b);
  if (a instanceof Dict) return b instanceof Dict && dictsEqual(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    return a.value === undefined || b.value === undefined ? a.value === b.value : equals(a.value, b.value);
  }
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
  return false;
}

function listsEqual(a: List, b: List): boolean {
  const special = a.equals?.(b) ?? b.equals?.(a);
  if (special !== undefined) return special;
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equals(a.at(i), b.at(i))) return false;
  return true;
}

function dictsEqual(a: Dict, b: Dict): boolean {
  if (a instanceof Lazy || b instanceof Lazy) return a === b;
  if (a.typeName !== b.typeName || a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !equals(a.get(key)!, other)) return false;
  }
  return true;
}

const MIN_INT64 = -(2 ** 63);

/** Compares an integer and a double, as doubles where the integer fits (CEL-8). */
function mixedOrder(x: bigint | number, y: bigint | number): number {
  if (typeof x === "bigint") return -mixedOrder(y, x);
  const double = Number(y);
  if (Number.isNaN(x)) return NaN;
  if (x < MIN_INT64) return -1;
  return x < double ? -1 : x > double ? 1 : 0;
}

/** Compares two values: negative, zero or positive; undefined where they are not comparable. */
export function compare(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [plain(a), plain(b)];
    if (typeof x !== typeof y) return mixedOrder(x, y);
    return x < y ? -1 : x > y ? 1 : Number.isNaN(x) || Number.isNaN(y) ? NaN : 0;
  }
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  const moments = a instanceof Timestamp && b instanceof Timestamp;
  if (moments || (a instanceof Duration && b instanceof Duration)) {
    const difference = a.nanos - (b as Duration).nanos;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return undefined;
}

/** Compares texts by their UTF-8. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    // Surrogates mean code points beyond the basic plane, which come after all others.
    const [high, low] = [isSurrogate(x), isSurrogate(y)];
    return high === low ? x - y : high ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;

/** The name of the type of a value. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      return typeNameOfObject(value);
  }
}

function typeNameOfObject(value: Value): string {
  if (value === null) return "null_type";
  if (value instanceof Uint) return "uint";
  if (value instanceof List) return "list";
  if (value instanceof Lazy) return value.typeName;
  if (value instanceof Dict) return "map";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof Optional) return "optional_type";
  if (value instanceof TypeValue) return "type";
  return value instanceof Opaque ? value.typeName : "error";
}

const GO_NAMES: Readonly<Record<string, string>> = {
  null_type: "types.Null",
  bool: "types.Bool",
  int: "types.Int",
  uint: "types.Uint",
  double: "types.Double",
  string: "types.String",
  bytes: "types.Bytes",
  "google.protobuf.Timestamp": "types.Timestamp",
  "google.protobuf.Duration": "types.Duration",
  optional_type: "*types.Optional",
  type: "*types.Type",
  list: "*types.baseList",
  map: "*types.baseMap",
  "google.protobuf.Empty": "*types.protoObj",
  "kubernetes.NamedFormat": "cel.Format",
};

/** The Go type of a value, for error messages. */
export function goTypeOf(value: Value): string {
  const name = typeNameOf(value);
  return GO_NAMES[name] ?? (value instanceof Opaque ? `cel.${name.slice(name.lastIndexOf(".") + 1)}` : name);
}

/** The number of code points of a text. */
export function pointsOf(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** The size of a value for costs: code points, bytes, elements; 1 for others. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return pointsOf(value);
  if (value instanceof List || value instanceof Dict) return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Opaque && "size" in value) return Number(value.size);
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}
