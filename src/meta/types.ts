/**
 * The vocabulary in which schemas are written: TypeBox builders with the markers of this field.
 *
 * A schema says three things of each member: its type, how writers share it (list and map types, MARK-1..14) and when
 * it is printed. The last one decides what an object looks like on the wire and which fields a writer owns, and it is
 * chosen by the word that introduces the member:
 *
 * - {@link required}: the schema lists it as required; always printed.
 * - {@link always}: may be left out by a client, is always printed (`spec: {}`, `reportingComponent: ""`).
 * - {@link optional}: printed unless empty (`""`, `0`, `false`, no entries).
 * - {@link pointer}: printed when it was sent, also when empty (`readOnly: false`, `emptyDir: {}`).
 * - {@link nullable}: always printed, null when there is none (`apiGroup: null`).
 *
 * @module
 */
import { Type, type TSchema } from "typebox";

type With = Record<string, unknown>;

const marked = <T extends TSchema>(schema: T, extra: With): T => {
  // TypeBox keeps its own marks as non-enumerable members, so a copy must keep the descriptors.
  const copy = Object.create(Object.getPrototypeOf(schema) as object) as T;
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(schema));
  return Object.assign(copy, extra);
};

/** A member that the published schema requires and that is always printed. */
export const required = <T extends TSchema>(schema: T): T => marked(schema, { "x-keelson-presence": "always" });

/** A member that clients may leave out and that is always printed, as its zero value when unset. */
export const always = <T extends TSchema>(schema: T): ReturnType<typeof Type.Optional<T>> =>
  Type.Optional(marked(schema, { "x-keelson-presence": "always" }));

/** A member that is left out when it is empty. */
export const optional = <T extends TSchema>(schema: T): ReturnType<typeof Type.Optional<T>> =>
  Type.Optional(marked(schema, { "x-keelson-presence": "omitEmpty" }));

/** A member that is printed whenever it was sent, also when it is empty. */
export const pointer = <T extends TSchema>(schema: T): ReturnType<typeof Type.Optional<T>> =>
  Type.Optional(marked(schema, { "x-keelson-presence": "keepZero" }));

/** A member that is always printed, as null when unset. */
export const nullable = <T extends TSchema>(schema: T): ReturnType<typeof Type.Optional<T>> =>
  Type.Optional(marked(schema, { "x-keelson-presence": "alwaysNull" }));

const about = (description: string | undefined, extra: With = {}): With =>
  description === undefined ? extra : { description, ...extra };

/** A string. */
export const text = (description?: string, extra?: With): ReturnType<typeof Type.String> =>
  Type.String(about(description, extra));

/** A boolean. */
export const bool = (description?: string, extra?: With): ReturnType<typeof Type.Boolean> =>
  Type.Boolean(about(description, extra));

/** A signed integer of 32 bits. */
export const int32 = (description?: string, extra?: With): ReturnType<typeof Type.Integer> =>
  Type.Integer(about(description, { format: "int32", ...extra }));

/** A signed integer of 64 bits. */
export const int64 = (description?: string, extra?: With): ReturnType<typeof Type.Integer> =>
  Type.Integer(about(description, { format: "int64", ...extra }));

/** A date with seconds, RFC 3339 in UTC (META-15, DEC-5). */
export const time = (description?: string): ReturnType<typeof Type.String> =>
  Type.String(about(description, { format: "date-time" }));

/** A date with six digits of fraction, RFC 3339 in UTC (META-14, DEC-5). */
export const microTime = (description?: string): ReturnType<typeof Type.String> =>
  Type.String(about(description, { format: "micro-time" }));

/** Bytes, base64 in JSON. */
export const bytes = (description?: string): ReturnType<typeof Type.String> =>
  Type.String(about(description, { format: "byte" }));

/** A quantity such as `1Gi` or `500m`; a number is taken too (DEC-9). */
export const quantity = (description?: string): ReturnType<typeof Type.String> =>
  Type.String(about(description, { format: "quantity" }));

/** An integer or a string, whichever was sent. */
export const intOrString = (description?: string): ReturnType<typeof Type.String> =>
  Type.String(about(description, { "x-kubernetes-int-or-string": true, format: "int-or-string" }));

/** Any JSON value; nothing is known of its members. */
export const anything = (description?: string): ReturnType<typeof Type.Unknown> => Type.Unknown(about(description));

/** A struct with the given members; pass `atomic` for one owner of the whole (MARK-13). */
export const struct = <P extends Record<string, TSchema>>(
  description: string,
  members: P,
  marks: { readonly atomic?: boolean } = {},
): ReturnType<typeof Type.Object<P>> =>
  Type.Object(members, about(description, marks.atomic ? { "x-kubernetes-map-type": "atomic" } : {}));

/** A map from any key to one type; granular unless `atomic` (MARK-10..12). */
export const map = <T extends TSchema>(
  item: T,
  description?: string,
  marks: { readonly atomic?: boolean } = {},
): ReturnType<typeof mapSchema<T>> => mapSchema(item, description, marks.atomic === true);

const mapSchema = <T extends TSchema>(item: T, description: string | undefined, atomic: boolean) =>
  Type.Unsafe<Record<string, Type.Static<T>>>({
    type: "object",
    additionalProperties: item,
    ...about(description),
    ...(atomic ? { "x-kubernetes-map-type": "atomic" } : {}),
  });

const array = <T extends TSchema>(item: T, description: string | undefined, extra: With) =>
  Type.Array(item, about(description, extra));

/** A list that is replaced as a whole and has one owner (MARK-2). */
export const atomicList = <T extends TSchema>(item: T, description?: string): ReturnType<typeof Type.Array<T>> =>
  array(item, description, { "x-kubernetes-list-type": "atomic" });

/** A list of scalars in which each is there once and has owners of its own (MARK-3). */
export const setList = <T extends TSchema>(
  item: T,
  description?: string,
  extra: With = {},
): ReturnType<typeof Type.Array<T>> => array(item, description, { "x-kubernetes-list-type": "set", ...extra });

/** A list of structs told apart by `keys`, each with owners of its own (MARK-4, MARK-6); the first key is the merge key of a strategic merge patch. */
export const keyedList = <T extends TSchema>(
  item: T,
  keys: readonly [string, ...string[]],
  description?: string,
  extra: With = {},
): ReturnType<typeof Type.Array<T>> =>
  array(item, description, {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    "x-kubernetes-patch-strategy": "merge",
    "x-kubernetes-patch-merge-key": keys[0],
    ...extra,
  });

/** The TypeScript type of an object that fits a schema. */
export type Static<T extends TSchema> = Type.Static<T>;

export type { TSchema };
