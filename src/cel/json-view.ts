/**
 * Views of JSON values without a schema: integers are int, other numbers double, objects maps.
 *
 * @module
 */
import { type Value as Json, type ValueObject, asJsonNumber, getMember } from "../value/value.ts";
import { Dict, List, type Value } from "./values.ts";

/** Converts a number. */
export type Numbers = (value: number, integer: bigint | undefined) => Value;

const INT64_LIMIT = 2n ** 63n;

/** Integers of 64 bits are int, all others double. */
export const INTEGERS: Numbers = (value, integer) =>
  integer === undefined || integer >= INT64_LIMIT || integer < -INT64_LIMIT ? value : integer;

/** Every number is a double. */
export const DOUBLES: Numbers = (value) => value;

/** A JSON value as a value of expressions, without a copy. */
export function jsonView(json: Json, numbers: Numbers = INTEGERS): Value {
  switch (typeof json) {
    case "number":
      return numbers(json, Number.isSafeInteger(json) && !Object.is(json, -0) ? BigInt(json) : undefined);
    case "string":
    case "boolean":
      return json;
    default:
  }
  if (json === null) return null;
  if (Array.isArray(json)) return new JsonList(json, numbers);
  const number = asJsonNumber(json);
  return number ? numbers(number.value, number.integer) : new JsonMap(json as ValueObject, numbers);
}

class JsonList extends List {
  readonly #json: readonly Json[];
  readonly #numbers: Numbers;

  constructor(json: readonly Json[], numbers: Numbers) {
    super();
    this.#json = json;
    this.#numbers = numbers;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return jsonView(this.#json[index]!, this.#numbers);
  }
}

class JsonMap extends Dict {
  readonly #json: ValueObject;
  readonly #numbers: Numbers;

  constructor(json: ValueObject, numbers: Numbers) {
    super();
    this.#json = json;
    this.#numbers = numbers;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    const member = typeof key === "string" ? getMember(this.#json, key) : undefined;
    return member === undefined ? undefined : jsonView(member, this.#numbers);
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}
