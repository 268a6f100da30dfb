/**
 * The schema of a whole custom object: what ownership, patches and documents read of a kind, from its structural schema.
 *
 * @module
 */
import type { JsonSchema } from "../../apply/schema/schema.ts";
import { ObjectMetaSchema } from "../../meta/object-meta.ts";
import { type TSchema, always, optional, text } from "../../meta/types.ts";
import { type StructuralSchema, schemaOfOthers } from "./structural-schema.ts";

const schemas = new WeakMap<StructuralSchema, TSchema>();

const HEAD = {
  apiVersion: text("Group and version of this form of the object."),
  kind: text("The kind of the object."),
};

/**
 * The schema of an object of a custom kind: apiVersion, kind and metadata, and the members of its own. Whatever was sent is
 * printed, so every member has the presence `keepZero`; embedded objects have the metadata that objects have. The same
 * schema gives the same result.
 */
export function customObjectSchema(schema: StructuralSchema): TSchema {
  let whole = schemas.get(schema);
  if (!whole) {
    const members = {
      apiVersion: optional(HEAD.apiVersion),
      kind: optional(HEAD.kind),
      metadata: always(ObjectMetaSchema),
    };
    whole = { ...nested(schema, false), properties: { ...propertiesOf(schema, false), ...members } } as TSchema;
    schemas.set(schema, whole);
  }
  return whole;
}

/** @param isOpen whether an outer schema preserves unknown members: those below do so too for whoever merges */
function nested(schema: StructuralSchema, isOpen: boolean): JsonSchema {
  const opens = isOpen || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const items = schema.items ? { items: nested(schema.items, opens) } : {};
  return { ...schema, ...formatOf(schema), ...items, ...membersOf(schema, opens) } as JsonSchema;
}

/** The formats that mean something to built-in kinds alone mean nothing here. */
function formatOf({ format }: StructuralSchema): { format?: undefined } {
  return format === "quantity" || format === "micro-time" ? { format: undefined } : {};
}

function membersOf(schema: StructuralSchema, opens: boolean): object {
  const others = schemaOfOthers(schema);
  const additionalProperties = others ? { additionalProperties: nested(others, opens) } : {};
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const properties = { ...propertiesOf(schema, opens), ...(isEmbedded ? EMBEDDED : {}) };
  if (Object.keys(properties).length === 0) {
    return { properties: schema.additionalProperties === false ? {} : undefined, ...additionalProperties };
  }
  const takesMore = schema.additionalProperties === true || (opens && schema.additionalProperties === undefined);
  return { properties, ...additionalProperties, ...(takesMore ? { "x-keelson-open": true } : {}) };
}

const propertiesOf = (schema: StructuralSchema, opens: boolean): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, own]) => [name, kept(nested(own, opens))]));

const kept = (schema: JsonSchema): JsonSchema => ({ ...schema, "x-keelson-presence": "keepZero" });

/** What every embedded object has. */
const EMBEDDED: Readonly<Record<string, JsonSchema>> = {
  apiVersion: kept(HEAD.apiVersion as JsonSchema),
  kind: kept(HEAD.kind as JsonSchema),
  metadata: kept(ObjectMetaSchema as TSchema as JsonSchema),
};
