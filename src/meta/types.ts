/**
 * The vocabulary of schemas: JSON Schema with the `x-kubernetes-*` markers.
 *
 * A schema has the TypeScript type of its values ({@link Static}); at run time it is plain data. Kinds import the vocabulary
 * as `t`: `t.optional(t.text("..."))`.
 *
 * A schema defines of each member its type, how writers share it (list and map types, MARK-1..14) and when it is printed.
 * The last one decides the form on the wire and which fields a writer owns. The outer function of the member sets it:
 *
 * - {@link required}: the schema lists it as required; always printed.
 * - {@link always}: may be left out by a client, is always printed (`spec: {}`, `reportingComponent: ""`).
 * - {@link optional}: printed unless empty (`""`, `0`, `false`, no entries).
 * - {@link pointer}: printed when it was sent, also when empty (`readOnly: false`, `emptyDir: {}`).
 * - {@link nullable}: always printed, null when there is none (`apiGroup: null`); {@link requiredOrNull}: listed as required,
 *   too.
 *
 * @module
 */
/** A schema of values of an unknown type. */
export type TSchema = object;

/** A schema of the values of a type. */
export interface Of<T> {
  /** The type; never set at run time. */
  readonly "~type"?: T;
}

/** Marks a member that an object may lack, in types. */
export interface Lacking {
  /** Never set at run time. */
  readonly "~lacking": true;
}

/** The TypeScript type of the values of a schema. */
export type Static<T extends TSchema> = T extends Of<infer V> ? V : unknown;

type With = Record<string, unknown>;
type Text = Of<string>;
type Bool = Of<boolean>;
type Int = Of<number>;
type Unknown = Of<unknown>;
type Optional<T extends TSchema> = T & Lacking;
type Nullable<T extends TSchema> = Optional<Of<Static<T> | null>>;
type List<T extends TSchema> = Of<Static<T>[]>;
type MapOf<T extends TSchema> = Of<Record<string, Static<T>>>;

/** A schema of objects with the schemas of their members. */
export interface Struct<P extends Record<string, TSchema>> extends Of<Members<P>> {
  readonly description: string;
  readonly properties: P;
}

/** The members that an object may lack. */
type Lacked<P> = { [M in keyof P]: P[M] extends Lacking ? M : never }[keyof P];

type Members<P extends Record<string, TSchema>> = Plain<
  { [M in Exclude<keyof P, Lacked<P>>]: Static<P[M]> } & { [M in Lacked<P>]?: Static<P[M]> }
>;

/** Flattens an intersection of types. */
type Plain<T> = { [M in keyof T]: T[M] };

/** Marks a member that an object may lack; not enumerable, so that it is no part of the JSON Schema. */
const OPTIONAL = Symbol("optional");

const presence = (schema: TSchema, when: string, mayLack: boolean): TSchema => {
  const member = { ...schema, "x-keelson-presence": when };
  if (mayLack) Object.defineProperty(member, OPTIONAL, { value: true });
  return member as TSchema;
};

/** A member that the published schema requires and that is always printed. */
export const required = <T extends TSchema>(schema: T): T => presence(schema, "always", false) as T;

/** A member that clients may leave out and that is always printed, as its zero value when unset. */
export const always = <T extends TSchema>(schema: T): T => presence(schema, "always", true) as T;

/** A member that is left out when it is empty. */
export const optional = <T extends TSchema>(schema: T): Optional<T> =>
  presence(schema, "omitEmpty", true) as Optional<T>;

/** A member that is printed whenever it was sent, also when it is empty. */
export const pointer = <T extends TSchema>(schema: T): Optional<T> => presence(schema, "keepZero", true) as Optional<T>;

/** A member that is always printed, as null when unset. */
export const nullable = <T extends TSchema>(schema: T): Nullable<T> =>
  presence(schema, "alwaysNull", true) as Nullable<T>;

/** A member that the published schema requires and that is always printed, as null when unset. */
export const requiredOrNull = <T extends TSchema>(schema: T): Nullable<T> =>
  presence(schema, "alwaysNull", false) as Nullable<T>;

/** A member that the published schema requires and that is printed as an {@link optional} or {@link pointer} one. */
export const needed = <T extends TSchema>(schema: T): Optional<T> =>
  presence(schema, (schema as With)["x-keelson-presence"]?.toString() ?? "omitEmpty", false) as Optional<T>;

/** A struct with a patch strategy: `retainKeys` drops members that a strategic merge patch does not have, `replace` drops all. */
export const patchedBy = <T extends TSchema>(strategy: "retainKeys" | "replace", schema: T): T =>
  ({ ...schema, "x-kubernetes-patch-strategy": strategy }) as T;

const schemaOf = <T extends TSchema>(members: With, description: string | undefined, extra: With = {}): T =>
  ({ ...members, ...(description === undefined ? {} : { description }), ...extra }) as unknown as T;

/** A string. */
export const text = (description?: string, extra?: With): Text => schemaOf({ type: "string" }, description, extra);

/** A boolean. */
export const bool = (description?: string, extra?: With): Bool => schemaOf({ type: "boolean" }, description, extra);

/** A signed integer of 32 bits. */
export const int32 = (description?: string, extra?: With): Int =>
  schemaOf({ type: "integer", format: "int32" }, description, extra);

/** A signed integer of 64 bits. */
export const int64 = (description?: string, extra?: With): Int =>
  schemaOf({ type: "integer", format: "int64" }, description, extra);

/** A number with a fraction, a double. */
export const double = (description?: string): Unknown => schemaOf({ type: "number", format: "double" }, description);

/** A value that has one of the schemas by its JSON type: at most one of an object, a list, a boolean and a string. */
export const either = (description: string, ...schemas: readonly TSchema[]): Unknown =>
  schemaOf({ "x-keelson-either": schemas }, description);

/** A date with seconds, RFC 3339 in UTC (META-15, DEC-5). */
export const time = (description?: string): Text => schemaOf({ type: "string", format: "date-time" }, description);

/** A date with six digits of fraction, RFC 3339 in UTC (META-14, DEC-5). */
export const microTime = (description?: string): Text =>
  schemaOf({ type: "string", format: "micro-time" }, description);

/** Bytes, base64 in JSON. */
export const bytes = (description?: string): Text => schemaOf({ type: "string", format: "byte" }, description);

/** A quantity such as `1Gi` or `500m`; numbers are accepted too (DEC-9). */
export const quantity = (description?: string): Text => schemaOf({ type: "string", format: "quantity" }, description);

/** An integer or a string, whichever was sent. */
export const intOrString = (description?: string): Of<number | string> =>
  schemaOf({ type: "string", "x-kubernetes-int-or-string": true, format: "int-or-string" }, description);

/** Any JSON value without a schema; each of its members has owners of its own. */
export const anything = (description?: string): Unknown => schemaOf({}, description);

/** A JSON value of any type, which has one owner and is kept as it was sent. */
export const anyJson = (description?: string): Unknown =>
  schemaOf({ type: "object", "x-keelson-any-json": true }, description);

/** A struct with its members; `atomic` ones have one owner (MARK-13). */
export const struct = <P extends Record<string, TSchema>>(
  description: string,
  members: P,
  marks: { readonly atomic?: boolean } = {},
): Struct<P> => {
  const demanded = Object.keys(members).filter((name) => !(OPTIONAL in members[name]!));
  return schemaOf(
    { type: "object", ...(demanded.length > 0 ? { required: demanded } : {}), properties: members },
    description,
    marks.atomic ? { "x-kubernetes-map-type": "atomic" } : {},
  );
};

/** A schema that OpenAPI documents define once, under this name, and refer to elsewhere. */
export const named = <T extends TSchema>(component: string, schema: T): T =>
  ({ ...schema, "x-keelson-component": component }) as T;

/** A map from any key to one type; granular unless `atomic` (MARK-10..12). */
export const map = <T extends TSchema>(
  item: T,
  description?: string,
  marks: { readonly atomic?: boolean } = {},
): MapOf<T> =>
  schemaOf(
    { type: "object", additionalProperties: item },
    description,
    marks.atomic ? { "x-kubernetes-map-type": "atomic" } : {},
  );

const array = <T extends TSchema>(item: T, description: string | undefined, extra: With): List<T> =>
  schemaOf({ type: "array", items: item }, description, extra);

/** A list that is replaced as a whole and has one owner (MARK-2). */
export const atomicList = <T extends TSchema>(item: T, description?: string): List<T> =>
  array(item, description, { "x-kubernetes-list-type": "atomic" });

/** A list of unique scalars, each with owners of its own (MARK-3). */
export const setList = <T extends TSchema>(item: T, description?: string, extra: With = {}): List<T> =>
  array(item, description, { "x-kubernetes-list-type": "set", ...extra });

/** A list of structs with unique `keys`, each with owners of its own (MARK-4, MARK-6); the first key is the merge key of a strategic merge patch. */
export const keyedList = <T extends TSchema>(
  item: T,
  keys: readonly [string, ...string[]],
  description?: string,
  extra: With = {},
): List<T> =>
  array(item, description, {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    "x-kubernetes-patch-strategy": "merge",
    "x-kubernetes-patch-merge-key": keys[0],
    ...extra,
  });

/** A list that an apply merges as a {@link keyedList}, and a strategic merge patch replaces as a whole. */
export const replacedList = <T extends TSchema>(
  item: T,
  keys: readonly [string, ...string[]],
  description?: string,
): List<T> => array(item, description, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });
