import type { Static, TSchema } from "../meta/types.ts";
import type { ApiObject, ResourceDefinition, ResourceRules } from "./definition.ts";

/** An object of the kind that has this schema, in wire form. */
export type ObjectOf<S extends TSchema> = ApiObject & Static<S>;

type Defaulted = Partial<Pick<ResourceDefinition, "deleteReturns" | "description">>;

/**
 * Defines a kind by its schema, and by rules for objects of the type of the schema. By default the description is that of the
 * schema, and a delete returns a Status; the singular is the kind in lower case.
 */
export function defineResource<S extends { readonly description: string }>(
  schema: S,
  rules: ResourceRules<ObjectOf<S>> & Defaulted,
): ResourceDefinition {
  // The walker of the schema has decoded every object before a rule sees it.
  const ofAny = rules as unknown as ResourceRules & Defaulted;
  const { description } = schema;
  return { description, deleteReturns: "status", ...ofAny, singular: rules.kind.toLowerCase(), schema };
}
