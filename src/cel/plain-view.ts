/**
 * JSON as expressions see it where no schema says more: integers are int, other numbers double, objects maps.
 *
 * @module
 */
import { type Value as Json, type ValueObject, asJsonNumber, getMember } from "../value/value.ts";
import { Dict, List, type Value } from "./values.ts";

/** What becomes of a number. */
export type Numbers = (value: number, integer: bigint | undefined) => Value;

const WIDEST = 2n ** 63n;

/** Integers of 64 bits are int, all others double. */
export const INTEGERS: Numbers = (value, integer) =>
  integer === undefined || integer >= WIDEST || integer < -WIDEST ? value : integer;

/** Every number is a double. */
export const DOUBLES: Numbers = (value) => value;

/** A value in place. */
export function plainView(json: Json, numbers: Numbers = INTEGERS): Value {
  switch (typeof json) {
    case "number":
      return numbers(json, Number.isSafeInteger(json) && !Object.is(json, -0) ? BigInt(json) : undefined);
    case "string":
    case "boolean":
      return json;
    default:
  }
  if (json === null) return null;
  if (Array.isArray(json)) return new PlainList(json, numbers);
  const number = asJsonNumber(json);
  return number ? numbers(number.value, number.integer) : new PlainMap(json as ValueObject, numbers);
}

class PlainList extends List {
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
    return plainView(this.#json[index]!, this.#numbers);
  }
}

class PlainMap extends Dict {
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
    return member === undefined ? undefined : plainView(member, this.#numbers);
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}
