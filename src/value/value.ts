/**
 * JSON values of all rooms.
 *
 * A value is a result of `JSON.parse`: plain objects, arrays, strings, finite numbers, booleans, null. Values of a store or a
 * cache are shared and must not be changed; copy them first.
 *
 * Keys are data. `__proto__` and `constructor` are legal keys of a ConfigMap, so never copy members with `to[key] = v`
 * when `key` is not known; use {@link setMember}.
 *
 * @module
 */

/** Any JSON value. */
export type Value = null | boolean | number | string | Value[] | ValueObject;

/** A JSON object: its own properties, with any keys. */
export interface ValueObject {
  [key: string]: Value;
}

/**
 * A number with its literal, where a JavaScript number would lose something: an integer beyond 2^53, a number beyond the
 * doubles (`1e400`), or an integer that is written as a float (`19.0`, `2e1`), which is no valid integer of a schema.
 *
 * A decoded body contains such numbers in place of a {@link Value}. The walker of a schema (`schema/`) accepts or refuses them
 * and replaces them with plain numbers, except for integers of 64 bits beyond the doubles: those are stored and printed with
 * all their digits (`exact-text.ts`). They are rare, so {@link Value} does not include this class; test for it with
 * {@link asJsonNumber}.
 */
export class JsonNumber {
  static #printed = 0;
  /** The literal, as JSON writes numbers. */
  readonly text: string;
  /** The nearest double; infinite when there is none. */
  readonly value: number;

  constructor(text: string) {
    this.text = text;
    this.value = Number(text);
  }

  /** How many were printed as literals so far; the difference shows whether a text has some. */
  static get printed(): number {
    return JsonNumber.#printed;
  }

  /**
   * The exact value of an integer literal without a fraction or an exponent, else undefined. Undefined beyond the doubles, too,
   * because the conversion takes quadratic time.
   */
  get integer(): bigint | undefined {
    return Number.isFinite(this.value) && /^-?\d+$/.test(this.text) ? BigInt(this.text) : undefined;
  }

  /** Returns the nearest double, for comparisons with numbers. */
  valueOf(): number {
    return this.value;
  }

  /** Returns the value for `JSON.stringify`: the literal where a double is not exact, else the number. */
  toJSON(): unknown {
    const exact = this.integer === undefined ? Number.isFinite(this.value) : Number.isSafeInteger(this.value);
    if (exact) return this.value;
    JsonNumber.#printed++;
    return rawJSON(this.text);
  }
}

/** Returns a value that is a {@link JsonNumber}, else undefined. */
export function asJsonNumber(value: unknown): JsonNumber | undefined {
  return value instanceof JsonNumber ? value : undefined;
}

/** `JSON.rawJSON`, which the type library does not have yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown };

/** Whether `value` is a JSON object (neither an array nor null nor a {@link JsonNumber}). */
export function isObject(value: unknown): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

/** Whether `value` is a JSON object or an array. */
export function isContainer(value: unknown): value is Value[] | ValueObject {
  return typeof value === "object" && value !== null && !(value instanceof JsonNumber);
}

/** Sets an own member, also one called `__proto__`. */
export function setMember(object: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}

/** Returns an own member; undefined for members of the prototype. */
export function getMember(object: ValueObject, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A member of a value; undefined where the value is no object, or has no such member. */
export const memberOf = (value: Value | undefined, key: string): Value | undefined =>
  isObject(value) ? getMember(value, key) : undefined;

/** A value that is a text; else the empty one. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A member of a value that is a text; else the empty one. */
export const textIn = (value: Value | undefined, key: string): string => textOf(memberOf(value, key));

/** A deep copy. */
export function clone<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) return value.map(clone) as T;
  // A spread copies the shape of the object at once, and an own member called `__proto__` as such.
  const copy = { ...value } as ValueObject;
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === "object" && member !== null) copy[key] = clone(member);
  }
  return copy as T;
}

/** Whether two values are the same JSON: members in any order, elements in the same order, numbers by value. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" && typeof b !== "object") return false;
  if (a instanceof JsonNumber || b instanceof JsonNumber) return equalNumbers(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalElements(a, b);
  if (!isObject(a) || !isObject(b)) return false;
  let left = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equal(a[key], b[key])) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}

function equalElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i])) return false;
  return true;
}

function equalNumbers(a: unknown, b: unknown): boolean {
  const [x, y] = [exactly(a), exactly(b)];
  if (x === undefined || y === undefined) return false;
  return typeof x === typeof y ? x === y : Number(x) === Number(y);
}

/** The exact value of a number of either kind; the literal of one that no double holds. */
function exactly(value: unknown): bigint | number | string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  const number = asJsonNumber(value);
  if (!number) return undefined;
  if (number.integer !== undefined) return number.integer;
  if (!Number.isFinite(number.value)) return number.text;
  return Number.isInteger(number.value) ? BigInt(number.value) : number.value;
}
