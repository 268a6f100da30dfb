import type { Static, TSchema } from "../meta/types.ts";
import type { ApiObject, ResourceDefinition, ResourceRules } from "./definition.ts";

/** An object of the kind that has this schema, in wire form. */
export type ObjectOf<S extends TSchema> = ApiObject & Static<S>;

/**
 * Defines a kind by its schema, and by rules that see its objects as the schema describes them. The description is that of
 * the schema by default, the singular is the kind in lower case.
 */
export function defineResource<S extends { readonly description: string }>(
  schema: S,
  rules: ResourceRules<ObjectOf<S>> & { readonly description?: string },
): ResourceDefinition {
  // The walker of the schema has decoded every object before a rule sees it.
  const ofAny = rules as unknown as ResourceRules & { readonly description?: string };
  return { description: schema.description, ...ofAny, singular: rules.kind.toLowerCase(), schema };
}
