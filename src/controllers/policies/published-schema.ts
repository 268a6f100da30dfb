/**
 * Schemas of kinds for expressions: from documents of OpenAPI, where parts refer to others by name, and from definitions.
 */
import type { Schema } from "../../cel/schema/declaration.ts";

/** A part of a document. */
interface PublishedSchema extends Omit<Schema, "items" | "properties" | "additionalProperties" | "allOf"> {
  readonly $ref?: string;
  readonly items?: PublishedSchema;
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly additionalProperties?: PublishedSchema | boolean;
  readonly allOf?: readonly PublishedSchema[];
  readonly "x-kubernetes-group-version-kind"?: readonly KindName[];
}

/** A kind in a version. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A document of OpenAPI v3. */
export interface PublishedDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, PublishedSchema>> };
}

/** The most parts of one schema; one that refers to itself has no end. */
const MAX_PARTS = 50_000;

/** The schema of the metadata of all objects. */
const METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The schema of a kind in a document, without references; undefined for one that does not exist, or is infinite. */
export function publishedSchema(document: PublishedDocument, { group, version, kind }: KindName): Schema | undefined {
  const schemas = document.components?.schemas ?? {};
  const isIt = (one: KindName): boolean => one.group === group && one.version === version && one.kind === kind;
  const found = Object.values(schemas).find((schema) => schema["x-kubernetes-group-version-kind"]?.some(isIt));
  return found && new Resolver(schemas).resolve(found, []);
}

/** The schema of a custom kind, with the members of every object; `document` is that of the core group. */
export function customSchema(schema: Schema, document: PublishedDocument): Schema {
  const schemas = document.components?.schemas ?? {};
  const found = schemas[METADATA];
  const metadata = found && new Resolver(schemas).resolve(found, []);
  const properties = { ...schema.properties, apiVersion: TEXT, kind: TEXT, ...(metadata ? { metadata } : {}) };
  return { ...schema, type: "object", properties };
}

const TEXT: Schema = { type: "string" };
const REFERENCE = "#/components/schemas/";

/** Replaces references by the schemas that they name. */
class Resolver {
  readonly #schemas: Readonly<Record<string, PublishedSchema>>;
  #parts = 0;

  constructor(schemas: Readonly<Record<string, PublishedSchema>>) {
    this.#schemas = schemas;
  }

  /** @param within the names of the enclosing schemas */
  resolve(schema: PublishedSchema, within: readonly string[]): Schema | undefined {
    if (++this.#parts > MAX_PARTS) return undefined;
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference !== undefined) return this.#named(reference.slice(REFERENCE.length), within);
    const { items, properties, additionalProperties, allOf: _, ...others } = schema;
    const own: Schema = schema.format === "int-or-string" ? { "x-kubernetes-int-or-string": true } : others;
    const parts: Record<string, unknown> = { ...own };
    if (items) parts["items"] = this.resolve(items, within);
    if (properties) parts["properties"] = this.#members(properties, within);
    if (typeof additionalProperties === "object")
      parts["additionalProperties"] = this.resolve(additionalProperties, within);
    const isWhole = Object.values(parts).every((part) => part !== undefined);
    return isWhole ? (parts as Schema) : undefined;
  }

  #named(name: string, within: readonly string[]): Schema | undefined {
    const schema = this.#schemas[name];
    return schema && !within.includes(name) ? this.resolve(schema, [...within, name]) : undefined;
  }

  #members(
    properties: Readonly<Record<string, PublishedSchema>>,
    within: readonly string[],
  ): Readonly<Record<string, Schema>> | undefined {
    const resolved: [string, Schema][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const schema = this.resolve(property, within);
      if (!schema) return undefined;
      resolved.push([name, schema]);
    }
    return Object.fromEntries(resolved);
  }
}
