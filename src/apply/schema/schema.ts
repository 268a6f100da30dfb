/**
 * The schema model: what apply, patch and the API machinery need of a type, compiled once per schema.
 *
 * A schema is written as JSON Schema with the `x-kubernetes-*` extensions (see `meta/types.ts` for the vocabulary). This
 * file compiles it to a {@link Type}: a small tree of scalars, structs, maps and lists, with how lists and maps merge
 * (MARK-1..16) and when a member is printed. It does not validate; the walker in `schema/` and the rules of kinds do.
 *
 * @module
 */

/** JSON Schema as the definitions of kinds write it: the keywords that are read here, others pass through. */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly default?: unknown;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-keelson-presence"?: Presence;
  /** A value of any JSON type with one owner. */
  readonly "x-keelson-any-json"?: boolean;
  /** The value matches one of these, by its JSON type. */
  readonly "x-keelson-either"?: readonly JsonSchema[];
}

/**
 * When a member of a struct is printed.
 *
 * - `omitEmpty`: left out when it is empty (`""`, `0`, `false`, `[]`, `{}` of a map); a struct is left out when absent.
 * - `keepZero`: left out when absent, printed whenever it was sent, empty or not.
 * - `always`: printed also when absent, as the zero value of its type.
 * - `alwaysNull`: printed also when absent, as null.
 */
export type Presence = "omitEmpty" | "keepZero" | "always" | "alwaysNull";

/** A string, number or boolean, or any JSON value that is owned as if it were one. `format` is that of the schema: `date-time`, `micro-time`, `quantity`, `byte`, `int32`, `int64`. */
export interface ScalarType {
  readonly kind: "scalar";
  readonly scalar: "string" | "integer" | "number" | "boolean" | "intOrString" | "json";
  readonly format: string | undefined;
  readonly schema: JsonSchema;
}

/** A struct: declared members, each of its own type. `atomic` structs have one owner; `open` ones keep unknown members. */
export interface StructType {
  readonly kind: "struct";
  readonly fields: ReadonlyMap<string, Field>;
  readonly atomic: boolean;
  readonly open: boolean;
  readonly schema: JsonSchema;
}

/** A map from any key to values of one type. */
export interface MapType {
  readonly kind: "map";
  readonly item: Type;
  readonly atomic: boolean;
  readonly schema: JsonSchema;
}

/** A list. `merge` says how appliers share it, `patchStrategy` and `patchMergeKey` how a strategic merge patch does. */
export interface ListType {
  readonly kind: "list";
  readonly item: Type;
  readonly merge: "atomic" | "set" | "map";
  /** The members that identify an entry of a `map` list, in the order of the schema. */
  readonly keys: readonly string[];
  readonly patchStrategy: readonly string[];
  readonly patchMergeKey: string | undefined;
  readonly schema: JsonSchema;
}

/** A value without a schema: objects have granular members, lists are atomic (MARK-16). */
export interface AnyType {
  readonly kind: "any";
  readonly schema: JsonSchema;
}

/** The type of a value in an object. */
export type Type = ScalarType | StructType | MapType | ListType | AnyType;

/** A member of a struct. */
export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly presence: Presence;
  /** Whether the published schema lists it as required. */
  readonly required: boolean;
  /** The `default` of the schema; undefined when there is none, or when an empty member is left out and it is the zero value. */
  readonly default: unknown;
  /**
   * The value of this key for an entry of a keyed list that lacks it: the default, or the zero value of a member that is
   * always printed. Undefined: the entry has no such key.
   */
  readonly keyDefault: unknown;
}

const compiled = new WeakMap<JsonSchema, Type>();

/** Compiles a schema; the same schema object gives the same type. */
export function typeOf(schema: JsonSchema): Type {
  let type = compiled.get(schema);
  if (!type) {
    type = compile(schema);
    compiled.set(schema, type);
  }
  return type;
}

/** {@link typeOf} for a schema that is known to be a struct. */
export function structOf(schema: JsonSchema): StructType {
  const type = typeOf(schema);
  if (type.kind !== "struct") throw new Error(`Expected the schema of an object with properties, got ${type.kind}`);
  return type;
}

function compile(schema: JsonSchema): Type {
  if (schema["x-kubernetes-int-or-string"]) return scalar(schema, "intOrString");
  if (schema["x-keelson-any-json"]) return scalar(schema, "json");
  switch (schema.type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return scalar(schema, schema.type);
    case "array":
      return list(schema);
    case "object":
      return object(schema);
    default:
      return { kind: "any", schema };
  }
}

const scalar = (schema: JsonSchema, kind: ScalarType["scalar"]): ScalarType => ({
  kind: "scalar",
  scalar: kind,
  format: schema.format,
  schema,
});

function list(schema: JsonSchema): ListType {
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  const strategy = schema["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  const declared = schema["x-kubernetes-list-type"];
  // MARK-14: without a list type, a merge strategy with a merge key makes the list a map.
  const merge = declared ?? (strategy.includes("merge") ? (mergeKey ? "map" : "set") : "atomic");
  if (merge !== "atomic" && merge !== "set" && merge !== "map") {
    throw new Error(`Expected x-kubernetes-list-type to be atomic, set or map, got ${merge}`);
  }
  return {
    kind: "list",
    item: typeOf(schema.items ?? {}),
    merge,
    keys: merge === "map" ? (schema["x-kubernetes-list-map-keys"] ?? (mergeKey ? [mergeKey] : [])) : [],
    patchStrategy: strategy,
    patchMergeKey: mergeKey,
    schema,
  };
}

function object(schema: JsonSchema): StructType | MapType | AnyType {
  const atomic = schema["x-kubernetes-map-type"] === "atomic";
  if (schema.properties) return struct(schema, schema.properties, atomic);
  const items = schema.additionalProperties;
  if (typeof items === "object") return { kind: "map", item: typeOf(items), atomic, schema };
  // An atomic object without a schema of its members.
  if (atomic) return { kind: "map", item: { kind: "any", schema: {} }, atomic, schema };
  return { kind: "any", schema };
}

/** The members of a struct are compiled when they are first read, so that a schema may contain itself. */
function struct(schema: JsonSchema, properties: Readonly<Record<string, JsonSchema>>, atomic: boolean): StructType {
  const required = new Set(schema.required);
  let fields: ReadonlyMap<string, Field> | undefined;
  return {
    kind: "struct",
    atomic,
    open: schema["x-kubernetes-preserve-unknown-fields"] === true,
    schema,
    get fields() {
      fields ??= new Map(
        Object.keys(properties).map((name) => [name, field(name, properties[name]!, required.has(name))]),
      );
      return fields;
    },
  };
}

function field(name: string, schema: JsonSchema, required: boolean): Field {
  const type = typeOf(schema);
  const presence = schema["x-keelson-presence"] ?? "omitEmpty";
  const zero = presence === "always" && type.kind === "scalar" ? ZEROS[type.scalar] : undefined;
  // A member that is omitted when empty needs no default that equals its zero value.
  const isLeftOut = schema["x-keelson-presence"] === "omitEmpty" && type.kind === "scalar";
  const fills = !isLeftOut || schema.default !== ZEROS[type.scalar];
  return {
    name,
    type,
    presence,
    required,
    default: fills ? schema.default : undefined,
    keyDefault: schema.default ?? zero,
  };
}

const ZEROS: Readonly<Record<ScalarType["scalar"], unknown>> = {
  string: "",
  integer: 0,
  number: 0,
  boolean: false,
  intOrString: 0,
  json: null,
};
