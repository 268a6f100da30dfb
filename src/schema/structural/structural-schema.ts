/**
 * Structural schemas: the `openAPIV3Schema` of a version of a custom kind, as it is stored.
 *
 * This room turns one into what the registry needs of a kind: a walker (`walker.ts`), a validator (`validate.ts`), the
 * schema of a whole object (`object-schema.ts`); `check.ts` refuses those that are none. A schema is plain JSON and is never
 * changed; what is compiled from it hangs on the schema object itself and goes with it. Rules in CEL are not looked at
 * here.
 *
 * @module
 */
import type { JsonSchema } from "../../apply/schema/schema.ts";

/** A schema of one place in a custom object: the words of JSONSchemaProps that decide something. */
export interface StructuralSchema extends Omit<JsonSchema, "properties" | "items" | "additionalProperties"> {
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly nullable?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
}

/** The schema of the members that `properties` does not name; undefined where there is none, also for `true`. */
export const schemaOfOthers = (schema: StructuralSchema): StructuralSchema | undefined =>
  typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;

/** Whether members are allowed that `properties` does not name; `false` counts, as it does where objects are pruned. */
export const takesOthers = (schema: StructuralSchema): boolean => (schema.additionalProperties ?? null) !== null;

/** The `default` of a schema, undefined when there is none. */
export const defaultOf = (schema: StructuralSchema): unknown => schema.default ?? undefined;

/** Whether null is as good as absent at a place: it is left out, or gives way to the default. */
export const isNullUnset = (schema: StructuralSchema): boolean => schema.nullable !== true;
