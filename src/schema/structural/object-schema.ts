/**
 * The schema of a whole custom object, for field ownership and OpenAPI.
 *
 * @module
 */
import type { JsonSchema } from "../../apply/schema/schema.ts";
import { ObjectMetaSchema } from "../../meta/object-meta.ts";
import { type TSchema, always, optional, text } from "../../meta/types.ts";
import type { Structural } from "./schema.ts";

const HEAD = {
  apiVersion: optional(text("Group and version of this form of the object.")),
  kind: optional(text("The kind of the object.")),
  metadata: always(ObjectMetaSchema),
};

const made = new WeakMap<Structural, TSchema>();

/**
 * The schema of an object whose definition has this `openAPIV3Schema`: with the common members of objects, also of embedded
 * ones (MARK-16, CRD-44). The same schema object gives the same result.
 */
export function customObjectSchema(schema: Structural): TSchema {
  let object = made.get(schema);
  if (!object) made.set(schema, (object = withHead(membersOf(schema)) as TSchema));
  return object;
}

const withHead = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: "object",
  properties: { ...schema.properties, ...(HEAD as unknown as Record<string, JsonSchema>) },
});

/** A schema with the common members of embedded objects; the schema itself where nothing is embedded. */
function membersOf(schema: Structural): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  const next: { -readonly [K in keyof Structural]: unknown } = { ...schema };
  let changed = false;
  const put = (member: "properties" | "items" | "additionalProperties", before: unknown, after: unknown): void => {
    if (after === before) return;
    next[member] = after;
    changed = true;
  };
  if (properties) put("properties", properties, mapped(properties));
  if (items) put("items", items, embeddedOf(items));
  if (typeof additionalProperties === "object") {
    put("additionalProperties", additionalProperties, embeddedOf(additionalProperties));
  }
  return (changed ? next : schema) as JsonSchema;
}

function embeddedOf(schema: Structural): JsonSchema {
  const members = membersOf(schema);
  return schema["x-kubernetes-embedded-resource"] ? withHead(members) : members;
}

function mapped(properties: Readonly<Record<string, Structural>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(properties).map(([name, schema]) => [name, schema, embeddedOf(schema)] as const);
  return entries.every(([, before, after]) => before === after)
    ? properties
    : Object.fromEntries(entries.map(([name, , after]) => [name, after]));
}
