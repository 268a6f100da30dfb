/**
 * Correlates the parts of an object with those of the old object (CEL-42, CEL-46).
 *
 * @module
 */
import { canonicalJson } from "../../value/canonical.ts";
import { type Value, equal, isObject } from "../../value/value.ts";
import type { Schema } from "../schema/declaration.ts";

/** A value with the old value at its path. */
export class CorrelatedValue {
  readonly #value: Value;
  readonly #old: Value;
  readonly #schema: Schema;
  #isEqual: boolean | undefined;
  #byKey: ReadonlyMap<string, Value> | undefined;

  constructor(value: Value, old: Value, schema: Schema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** Whether the value equals the old one; elements of lists with keys may have another order. */
  get isEqual(): boolean {
    return (this.#isEqual ??= this.#compare());
  }

  /** The correlated value of a member. */
  member(name: string): CorrelatedValue | undefined {
    const [value, old] = [this.#value, this.#old];
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name))
      return undefined;
    const { properties, additionalProperties: values } = this.#schema;
    const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const schema = own ?? (typeof values === "object" ? values : undefined);
    return schema && new CorrelatedValue(value[name]!, old[name]!, schema);
  }

  /** The correlated value of an element, found by its keys; only lists with keys have any. */
  element(i: number): CorrelatedValue | undefined {
    const { items } = this.#schema;
    if (!items || !Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    this.#byKey ??= elementsByKey(this.#schema, this.#old);
    const old = this.#byKey.get(keyOf(this.#schema, this.#value[i]!) ?? "");
    return old === undefined ? undefined : new CorrelatedValue(this.#value[i]!, old, items);
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!isKeyed(this.#schema)) return equal(value, old);
      return value.every((_, i) => this.element(i)?.isEqual === true);
    }
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      return names.length === Object.keys(old).length && names.every((name) => this.member(name)?.isEqual === true);
    }
    return equal(value, old);
  }
}

const isKeyed = (schema: Schema): boolean => schema["x-kubernetes-list-type"] === "map";

/** The elements of a list by their keys; none where the list has no keys. */
export function elementsByKey(schema: Schema, list: readonly Value[]): ReadonlyMap<string, Value> {
  const byKey = new Map<string, Value>();
  if (!isKeyed(schema)) return byKey;
  for (const element of list) {
    const key = keyOf(schema, element);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, element);
  }
  return byKey;
}

/** The key of an element as a text; undefined where it is not an object. */
export function keyOf(schema: Schema, element: Value): string | undefined {
  if (!isObject(element)) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return canonicalJson(keys.map((key) => (Object.hasOwn(element, key) ? element[key]! : null)));
}
