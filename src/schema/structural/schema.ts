/**
 * Structural schemas: what definitions say of custom objects, as the JSON of `openAPIV3Schema`.
 *
 * This folder makes of a structural schema what `schema/` makes of the vocabulary of built-in kinds, with the other rules
 * that custom objects have: what was sent is kept as it was sent, unknown members are pruned, defaults are filled in on reads
 * too, and values are judged by the words of the schema alone. Everything is compiled once for each schema object, when it
 * is first needed, and goes with it.
 *
 * @module
 */
import { type Value, isObject } from "../../value/value.ts";

/** A structural schema, at any depth; it was checked when its definition was written. */
export interface Structural {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Value;
  readonly nullable?: boolean;
  readonly enum?: readonly Value[];
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Structural;
  readonly properties?: Readonly<Record<string, Structural>>;
  readonly additionalProperties?: Structural | boolean;
  readonly allOf?: readonly Structural[];
  readonly anyOf?: readonly Structural[];
  readonly oneOf?: readonly Structural[];
  readonly not?: Structural;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly object[];
}

/** A member of a schema's properties; keys are data. */
export const propertyOf = ({ properties }: Structural, name: string): Structural | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined;

/** The schema of the values of a map; undefined where any value will do, or none. */
export const valuesOf = ({ additionalProperties }: Structural): Structural | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined;

/** Whether something holds for a schema or for any below it; asked once for each schema object. */
export function anywhere(holds: (schema: Structural) => boolean): (schema: Structural) => boolean {
  const known = new WeakMap<Structural, boolean>();
  return function isThere(schema): boolean {
    let is = known.get(schema);
    if (is === undefined) {
      const below = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)];
      is = holds(schema) || below.some((one) => one !== undefined && isThere(one));
      known.set(schema, is);
    }
    return is;
  };
}

/** A part of a value with its schema, and its place as causes name it. */
interface Part {
  readonly schema: Structural;
  readonly value: Value;
  readonly path: string;
}

/** The parts right below a value that the schema describes. */
export function* partsOf(schema: Structural, value: Value, path: string): Generator<Part> {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [i, item] of value.entries()) yield { schema: items, value: item, path: `${path}[${i}]` };
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = propertyOf(schema, key);
      const values = member ? undefined : valuesOf(schema);
      const below = member ?? values;
      if (below) yield { schema: below, value: value[key]!, path: values ? `${path}[${key}]` : memberAt(path, key) };
    }
  }
}

/** The place of a member. */
export const memberAt = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** The members that say which object something is: not described by schemas. */
export const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
