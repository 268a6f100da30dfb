/**
 * Structural schemas: the schemas of custom objects, as the JSON of `openAPIV3Schema`.
 *
 * This folder does for structural schemas what `schema/` does for built-in kinds, with the rules of custom objects: sent values
 * are kept, unknown members are pruned, defaults are set on reads too, and only the keywords of the schema validate values.
 * Everything is compiled once for each schema object, on first use, and is collected with it.
 *
 * @module
 */
import { type Value, isObject } from "../../value/value.ts";

/** A structural schema, at any depth; it was validated when its definition was written. */
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

/** The schema of the values of a map; undefined where any value is allowed, or none. */
export const valuesOf = ({ additionalProperties }: Structural): Structural | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : undefined;

/** Whether a predicate holds for a schema or for any below it; evaluated once for each schema object. */
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

/** A part of a value with its schema, and its path in causes. */
interface Part {
  readonly schema: Structural;
  readonly value: Value;
  readonly path: string;
}

/** The children of a value that the schema describes. */
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

/** The path of a member. */
export const memberAt = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** The identity members of objects, which schemas do not describe. */
export const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
