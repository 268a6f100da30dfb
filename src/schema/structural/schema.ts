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
import type { Value } from "../../value/value.ts";

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

/** The members that say which object something is: not described by schemas. */
export const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
