/**
 * Values and what they were: which part of an object before belongs to which of its next state (CEL-42, CEL-46).
 *
 * @module
 */
import { canonicalJson } from "../../value/canonical.ts";
import { type Value, equal, isObject } from "../../value/value.ts";
import type { Schema } from "../schema/declaration.ts";

/** A value that was there before, at the same place. */
export class Pair {
  readonly #value: Value;
  readonly #old: Value;
  readonly #schema: Schema;
  #same: boolean | undefined;
  #byKey: ReadonlyMap<string, Value> | undefined;

  constructor(value: Value, old: Value, schema: Schema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Whether the value is what it was; elements of lists that are told apart by keys may have changed places. */
  get same(): boolean {
    return (this.#same ??= this.#compare());
  }

  /** The pair of a member. */
  member(name: string): Pair | undefined {
    const [value, old] = [this.#value, this.#old];
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name))
      return undefined;
    const { properties, additionalProperties: values } = this.#schema;
    const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const schema = own ?? (typeof values === "object" ? values : undefined);
    return schema && new Pair(value[name]!, old[name]!, schema);
  }

  /** The pair of an element: found by its keys, in lists that are told apart by keys alone. */
  element(i: number): Pair | undefined {
    const { items } = this.#schema;
    if (!items || !Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    this.#byKey ??= elementsByKey(this.#schema, this.#old);
    const old = this.#byKey.get(keyOf(this.#schema, this.#value[i]!) ?? "");
    return old === undefined ? undefined : new Pair(this.#value[i]!, old, items);
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!isKeyed(this.#schema)) return equal(value, old);
      return value.every((_, i) => this.element(i)?.same === true);
    }
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      return names.length === Object.keys(old).length && names.every((name) => this.member(name)?.same === true);
    }
    return equal(value, old);
  }
}

const isKeyed = (schema: Schema): boolean => schema["x-kubernetes-list-type"] === "map";

/** The elements of a list by their keys; none where the list is not told apart by keys. */
export function elementsByKey(schema: Schema, list: readonly Value[]): ReadonlyMap<string, Value> {
  const byKey = new Map<string, Value>();
  if (!isKeyed(schema)) return byKey;
  for (const element of list) {
    const key = keyOf(schema, element);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, element);
  }
  return byKey;
}

/** The key of an element as a text; undefined for what is no object. */
export function keyOf(schema: Schema, element: Value): string | undefined {
  if (!isObject(element)) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return canonicalJson(keys.map((key) => (Object.hasOwn(element, key) ? element[key]! : null)));
}
