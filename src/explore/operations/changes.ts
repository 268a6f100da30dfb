/**
 * The changes that a user could make to an object, member by member, as its schema permits.
 *
 * @module
 */
import { propertyOf, type Structural, valuesOf } from "../../schema/structural/schema.ts";
import { fits } from "../../schema/structural/validate.ts";
import { equal, isObject, setMember, type Value, type ValueObject } from "../../value/value.ts";
import { itemBeside, sampleOf, valuesBeside } from "./values.ts";

/** A change of an object. */
export interface Change {
  /** The member: `.spec.replicas`. */
  readonly path: string;
  /** `.spec.replicas set to 3`. */
  readonly name: string;
  /** Returns the object after it: computed on demand, since a large object has many changes. */
  readonly after: () => ValueObject;
  /** Whether it is made and taken back. */
  readonly returns: boolean;
  /** The lower, the earlier it is worth a try. */
  readonly rank: number;
}

/** A member for which no change is known. */
export interface Skipped {
  readonly path: string;
  readonly why: string;
}

const RANK = { changed: 0, unset: 1, set: 1, items: 1, broken: 2, back: 2, whole: 3, other: 3, bound: 4 } as const;

/** Of longer lists and larger maps only the first ones, and the last one, are changed by themselves. */
const MAX_PARTS = 3;
const MAX_DEPTH = 32;
const MAX_SHOWN = 40;
const NOT_SPEC = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Returns the object with the defaults of its schema, as the server stores it. */
export function withDefaults(schema: Structural, value: Value): Value {
  if (Array.isArray(value)) return schema.items ? value.map((item) => withDefaults(schema.items!, item)) : value;
  if (!isObject(value)) return value;
  const object: ValueObject = {};
  for (const [name, member] of Object.entries(value)) {
    const below = propertyOf(schema, name) ?? valuesOf(schema);
    setMember(object, name, below ? withDefaults(below, member) : member);
  }
  for (const [name, below] of Object.entries(schema.properties ?? {})) {
    if (below.default === undefined || Object.hasOwn(value, name)) continue;
    setMember(object, name, withDefaults(below, below.default));
  }
  return object;
}

/** Finds the changes of an object; all members but the identity and the status are changed. */
export function changesOf(
  schema: Structural,
  object: ValueObject,
): { readonly changes: readonly Change[]; readonly skipped: readonly Skipped[] } {
  const walk = new Walk();
  for (const name of Object.keys(schema.properties ?? {})) {
    if (NOT_SPEC.has(name)) continue;
    walk.member(schema, object, name, { path: "", depth: 0, put: (value) => value as ValueObject });
  }
  // A sort keeps the order of those of equal rank: outer members come first, in the order of the schema.
  const changes = walk.changes.toSorted((a, b) => a.rank - b.rank || a.depth - b.depth);
  return { changes: changes.map(({ depth: _depth, ...change }) => change), skipped: walk.skipped };
}

/** A place in the object. */
interface Place {
  readonly path: string;
  readonly depth: number;
  /** Returns the whole object with another value here. */
  readonly put: (value: Value) => ValueObject;
}

class Walk {
  readonly changes: (Change & { readonly depth: number })[] = [];
  readonly skipped: Skipped[] = [];

  member(schema: Structural, object: ValueObject, name: string, parent: Place): void {
    const below = propertyOf(schema, name);
    if (!below || parent.depth > MAX_DEPTH) return;
    const isOptional = !(schema.required ?? []).includes(name);
    const place = within(parent, memberPath(parent.path, name), (value) => {
      const copy = { ...object };
      setMember(copy, name, value);
      return copy;
    });
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined) return this.#absent(below, place);
    if (isOptional && !equal(value, below.default)) {
      this.#thereAndBack(place, "unset", () => parent.put(without(object, name)), RANK.unset, "then set again");
    }
    this.#value(below, value, place, name);
  }

  #absent(schema: Structural, place: Place): void {
    const sample = sampleOf(schema);
    if (sample === undefined) return this.#skip(place, unknownText(schema));
    this.#thereAndBack(place, `set to ${shown(sample)}`, () => place.put(sample), RANK.set, "then unset");
  }

  #value(schema: Structural, value: Value, place: Place, name: string): void {
    if (Array.isArray(value)) return this.#list(schema, value, place, name);
    if (isObject(value)) return this.#object(schema, value, place);
    const candidates = valuesBeside(schema, value);
    if (candidates.length === 0) return this.#skip(place, unknownText(schema));
    const first = candidates.findIndex(({ isBound }) => !isBound);
    for (const [i, { value: other, isBound }] of candidates.entries()) {
      const how = `set to ${shown(other)}`;
      if (i === Math.max(0, first)) {
        this.#thereAndBack(place, how, () => place.put(other), RANK.changed, `then back to ${shown(value)}`);
      } else if (isBound || schema.enum) {
        this.#add(place, how, () => place.put(other), isBound ? RANK.bound : RANK.other);
      }
    }
    if (typeof value === "string" && isReference(place.path, name)) this.#broken(schema, value, place);
  }

  /** The name of another object is changed to one that does not exist, and back. */
  #broken(schema: Structural, value: string, place: Place): void {
    const other = `${value}-is-not-there`;
    if (!fits(schema, other)) return this.#skip(place, `${shown(other)} is no name that the schema accepts`);
    const how = `broken: set to ${shown(other)}, then mended`;
    this.#add(place, how, () => place.put(other), RANK.broken, true);
  }

  #object(schema: Structural, value: ValueObject, place: Place): void {
    const values = valuesOf(schema);
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] || schema["x-kubernetes-embedded-resource"];
    if (!schema.properties && !values) {
      return this.#skip(place, isOpen ? "its schema does not say which members it has" : "it has no members");
    }
    for (const name of Object.keys(schema.properties ?? {})) this.member(schema, value, name, place);
    if (schema.properties) {
      const least = sampleOf(schema);
      if (least !== undefined && !equal(withDefaults(schema, least), value)) {
        this.#add(place, `replaced by ${shown(least)}`, () => place.put(withDefaults(schema, least)), RANK.whole);
      }
    }
    if (values) this.#map(schema, values, value, place);
  }

  #map(schema: Structural, values: Structural, map: ValueObject, place: Place): void {
    const entries = Object.entries(map).filter(([key]) => propertyOf(schema, key) === undefined);
    const sample = entries[0]?.[1] ?? sampleOf(values);
    if (sample === undefined) this.#skip(place, unknownText(values));
    else if (!Object.hasOwn(map, "added")) {
      const after = (): ValueObject => place.put({ ...map, added: sample });
      this.#thereAndBack(place, `with the key added`, after, RANK.items, "then without it");
    }
    for (const [key, value] of endsOf(entries)) {
      const entry = within(place, `${place.path}['${key}']`, (other) => {
        const copy = { ...map };
        setMember(copy, key, other);
        return copy;
      });
      this.#thereAndBack(entry, "removed", () => place.put(without(map, key)), RANK.items, "then added again");
      this.#value(values, value, entry, key);
    }
  }

  #list(schema: Structural, list: readonly Value[], place: Place, name: string): void {
    const { items } = schema;
    if (!items) return this.#skip(place, "its schema does not say what its items are");
    const added = itemBeside(schema, list);
    if (added === undefined) this.#skip(place, `no other item is known that the schema accepts`);
    else {
      const text = `with ${shown(added)} added`;
      this.#thereAndBack(place, text, () => place.put([...list, added]), RANK.items, "then without it");
      this.#add(place, `with ${shown(added)} added in front`, () => place.put([added, ...list]), RANK.other);
    }
    if (list.length > 1) {
      this.#thereAndBack(place, "in reverse order", () => place.put(list.toReversed()), RANK.items, "then as before");
    }
    if (list.length > 0) this.#thereAndBack(place, "emptied", () => place.put([]), RANK.other, "then filled again");
    this.#toLength(schema, list, schema.maxItems, place);
    for (const [i, item] of endsOf([...list.entries()])) {
      const one = within(place, `${place.path}[${i}]`, (value) => list.with(i, value) as Value[]);
      this.#thereAndBack(one, "removed", () => place.put(list.toSpliced(i, 1)), RANK.items, "then added again");
      this.#value(items, item, one, name);
    }
  }

  /** A list with as many items as it may have. */
  #toLength(schema: Structural, list: readonly Value[], most: number | undefined, place: Place): void {
    if (most === undefined || most > 16 || most <= list.length + 1) return;
    let full: readonly Value[] = list;
    while (full.length < most) {
      const item = itemBeside(schema, full);
      if (item === undefined) return;
      full = [...full, item];
    }
    this.#add(place, `with ${most} items, the most`, () => place.put([...full]), RANK.bound);
  }

  #thereAndBack(place: Place, how: string, after: () => ValueObject, rank: number, back: string): void {
    this.#add(place, how, after, rank);
    this.#add(place, `${how}, ${back}`, after, Math.max(rank, RANK.back), true);
  }

  #add({ path, depth }: Place, how: string, after: () => ValueObject, rank: number, returns = false): void {
    this.changes.push({ path, name: `${path} ${how}`, after, returns, rank, depth });
  }

  #skip({ path }: Place, why: string): void {
    this.skipped.push({ path, why });
  }
}

const within = (parent: Place, path: string, put: (value: Value) => Value): Place => ({
  path,
  depth: parent.depth + 1,
  put: (value) => parent.put(put(value)),
});

const without = (object: ValueObject, name: string): ValueObject => {
  const { [name]: _removed, ...rest } = object;
  return rest;
};

const memberPath = (path: string, name: string): string =>
  /^[A-Za-z_][\w-]*$/.test(name) ? `${path}.${name}` : `${path}['${name}']`;

/** The first ones and the last one. */
const endsOf = <T>(all: readonly T[]): readonly T[] =>
  all.length <= MAX_PARTS ? all : [...all.slice(0, MAX_PARTS - 1), all.at(-1)!];

/** Whether a text names another object: `secretName`, `.secretRef.name`. */
const isReference = (path: string, name: string): boolean =>
  /[a-z]Names?$/.test(name) || (name === "name" && /(?:Ref|Reference)(?:s\[\d+\])?\.name$/.test(path));

const unknownText = ({ pattern, format, type }: Structural): string => {
  if (pattern !== undefined) return `no other text is known for the pattern ${shown(pattern)}`;
  if (format !== undefined) return `no other value is known for the format ${format}`;
  return `no other value is known for ${type === undefined ? "a member without a type" : `this ${type}`}`;
};

function shown(value: Value): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
