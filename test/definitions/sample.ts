/**
 * Definitions with the shapes of well-known operators, each with objects that fit it and objects that do not.
 *
 * @module
 */
import { type Json, object } from "./words.ts";

/** One version of a sample. */
export interface SampleVersion {
  readonly name: string;
  /** The members of the root. */
  readonly members: Json;
  /** Words of the root beside its members. */
  readonly root?: Json;
  /** Words of the version: subresources, columns, deprecation. */
  readonly more?: Json;
}

/** An object that does not fit. */
export interface Misfit {
  readonly why: string;
  readonly body: Json;
  /** `Reason field`, sorted. */
  readonly causes: readonly string[];
}

/** What a sample is made of. */
export interface SampleParts {
  readonly of: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly names?: Json;
  readonly scope?: "Cluster" | "Namespaced";
  readonly annotations?: Json;
  /** The last one is stored. */
  readonly versions: readonly SampleVersion[];
  /** An object of the stored version that fits, without what every object has. */
  readonly valid: Json;
  /** What it is when it is read; as it was sent where this is not there. */
  readonly becomes?: Json;
  readonly misfits: readonly Misfit[];
}

/** A definition, and objects that it judges. */
export interface Sample extends SampleParts {
  readonly definition: Json;
  /** The version that is stored. */
  readonly version: string;
}

/** Puts a definition together. */
export function sample(parts: SampleParts): Sample {
  const { group, kind, plural, scope = "Namespaced", versions, names = {}, annotations } = parts;
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, ...(annotations ? { annotations } : {}) },
    spec: {
      group,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...names },
      versions: versions.map(({ name, members, root = {}, more = {} }, i) => ({
        name,
        served: true,
        storage: i === versions.length - 1,
        ...more,
        schema: { openAPIV3Schema: rootOf(kind, members, root) },
      })),
    },
  };
  return { ...parts, definition, version: versions.at(-1)!.name };
}

function rootOf(kind: string, members: Json, root: Json): Json {
  const head = {
    apiVersion: { type: "string", description: "Group and version of this form." },
    kind: { type: "string", description: "The kind of the object." },
    metadata: { type: "object" },
  };
  const described = Object.entries(members).map(([name, schema]) => [
    name,
    withDescriptions(schema as Json, name, kind),
  ]);
  return object({ ...head, ...Object.fromEntries(described) }, { description: `A ${kind}.`, ...root });
}

/** A schema each of whose members says what it is, as generated definitions do. */
function withDescriptions(schema: Json, name: string, owner: string): Json {
  const { properties, items, additionalProperties } = schema;
  const below = (next: unknown, at: string): unknown =>
    typeof next === "object" && next !== null ? withDescriptions(next as Json, at, name) : next;
  const members = Object.entries((properties ?? {}) as Json).map(([key, member]) => [key, below(member, key)]);
  return {
    description: `The ${name} of ${owner}, and what belongs to it. What nobody says is left as it was, and filled in by who takes care of it.`,
    ...schema,
    ...(properties ? { properties: Object.fromEntries(members) as Json } : {}),
    ...(items ? { items: below(items, `element of ${name}`) } : {}),
    ...(additionalProperties ? { additionalProperties: below(additionalProperties, `value of ${name}`) } : {}),
  };
}

export const STATUS = { subresources: { status: {} } };
