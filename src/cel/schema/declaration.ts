/**
 * Derives types of expressions from structural schemas, with the largest sizes that fit into a request (CEL-30..35, CEL-52).
 *
 * @module
 */
import type { Value as Json } from "../../value/value.ts";
import { escapeName } from "../names.ts";
import type { Range } from "../range.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  type Type,
  listOf,
  mapOf,
  structOf,
} from "../types.ts";

/** A structural schema, with the keywords that expressions depend on. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly RuleSource[];
}

/** A rule of a definition. */
export interface RuleSource {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The declaration of the values of a schema. */
export interface Declaration {
  readonly schema: Schema;
  readonly type: Type;
  /** The largest size of a value in bytes, elements or members; 0 where it has none. */
  readonly maxSize: number;
  /** The smallest size of a value in JSON. */
  readonly minBytes: number;
  readonly item?: Declaration;
  /** By the names in expressions. */
  readonly fields?: ReadonlyMap<string, Field>;
}

/** A member of an object. */
export interface Field {
  readonly name: string;
  readonly declaration: Declaration;
}

const MAX_BYTES = 3 * 1024 * 1024;
const DATE_BYTES = 12;
const TIME_BYTES = 32;
const MIN_TIME_BYTES = 21;
const MIN_DURATION_BYTES = 3;

/** The members of every object that expressions may read. */
const OBJECT_MEMBERS: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

/** Adds the members of every object to a schema; of metadata expressions see the name only (CEL-34). */
const withObjectMeta = (schema: Schema): Schema => ({
  ...schema,
  type: "object",
  properties: { ...schema.properties, ...OBJECT_MEMBERS },
});

/** The declaration of a schema; undefined for values without a type, which expressions do not see (CEL-30). */
export function declare(schema: Schema, isObject: boolean, name = "selfType"): Declaration | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    return {
      schema,
      type: DYN,
      maxSize: schema.maxLength === undefined ? MAX_BYTES - 2 : count(schema.maxLength) * 4,
      minBytes: 1,
    };
  }
  const whole = isObject ? withObjectMeta(schema) : schema;
  switch (whole.type) {
    case "array":
      return declareList(whole, name);
    case "object":
      return declareObject(whole, name);
    case "string":
      return declareText(whole);
    case "boolean":
      return { schema, type: BOOL, maxSize: 0, minBytes: 4 };
    case "number":
      return { schema, type: DOUBLE, maxSize: 0, minBytes: 1 };
    case "integer":
      return { schema, type: INT, maxSize: 0, minBytes: 1 };
    default:
      return undefined;
  }
}

const count = (value: number): number => Math.max(0, value);
const isEmbedded = (schema: Schema): boolean => schema["x-kubernetes-embedded-resource"] === true;

function declareList(schema: Schema, name: string): Declaration | undefined {
  const item = schema.items && declare(schema.items, isEmbedded(schema.items), `${name}.@idx`);
  if (!item) return undefined;
  const maxSize =
    schema.maxItems === undefined ? Math.floor((MAX_BYTES - 2) / (item.minBytes + 1)) : count(schema.maxItems);
  return { schema, type: listOf(item.type), maxSize, minBytes: 2, item };
}

function declareObject(schema: Schema, name: string): Declaration | undefined {
  const values = schema.additionalProperties;
  if (typeof values === "object") {
    const item = declare(values, isEmbedded(values), `${name}.@elem`);
    if (!item) return undefined;
    const maxSize =
      schema.maxProperties === undefined
        ? Math.floor((MAX_BYTES - 2) / (item.minBytes + 6))
        : count(schema.maxProperties);
    return { schema, type: mapOf(STRING, item.type), maxSize, minBytes: 2, item };
  }
  const needed = new Set(schema.required);
  const fields = new Map<string, Field>();
  const types = new Map<string, Type>();
  let minBytes = 2;
  for (const [property, member] of Object.entries(schema.properties ?? {})) {
    const seen = escapeName(property);
    const declaration = declare(member, isEmbedded(member), `${name}.${seen ?? property}`);
    if (!declaration) continue;
    if (seen !== undefined) {
      fields.set(seen, { name: property, declaration });
      types.set(seen, declaration.type);
    }
    if (needed.has(property) && (member.default ?? undefined) === undefined) {
      minBytes += Buffer.byteLength(property) + declaration.minBytes + 4;
    }
  }
  // `namespace` needs no escape in a select.
  const reserved = [...fields].filter(([seen]) => /^__[a-z]+__$/.test(seen));
  for (const [seen] of reserved) {
    const plain = seen.slice(2, -2);
    if (plain === "namespace" && !types.has(plain)) types.set(plain, types.get(seen)!);
  }
  return { schema, type: structOf(name, types), maxSize: 0, minBytes, fields };
}

function declareText(schema: Schema): Declaration {
  const { format, maxLength, enum: allowed } = schema;
  switch (format) {
    case "byte":
      return { schema, type: BYTES, maxSize: maxLength === undefined ? MAX_BYTES - 2 : count(maxLength), minBytes: 2 };
    case "duration":
      return { schema, type: DURATION, maxSize: TIME_BYTES, minBytes: MIN_DURATION_BYTES };
    case "date":
      return { schema, type: TIMESTAMP, maxSize: DATE_BYTES, minBytes: DATE_BYTES };
    case "date-time":
      return { schema, type: TIMESTAMP, maxSize: TIME_BYTES, minBytes: MIN_TIME_BYTES };
    default:
  }
  if (maxLength !== undefined) return { schema, type: STRING, maxSize: count(maxLength) * 4, minBytes: 2 };
  const maxSize = allowed?.length
    ? Math.max(0, ...allowed.map((one) => (typeof one === "string" ? Buffer.byteLength(one) : 0)))
    : MAX_BYTES - 2;
  return { schema, type: STRING, maxSize, minBytes: 2 };
}

/** The size of the value at a path below `self` or `oldSelf`; undefined where it is not known. */
export function sizeBelow(root: Declaration, path: readonly string[]): Range | undefined {
  let at: Declaration | undefined = root;
  for (const step of path.slice(1)) {
    if (step === "@items" || step === "@values") at = at.item;
    else if (step === "@keys" || step === "@indices") {
      at = step === "@keys" && at.type.kind === "map" ? KEYS : undefined;
    } else at = at.fields?.get(step)?.declaration;
    if (!at) return undefined;
  }
  return { min: 0n, max: BigInt(at.maxSize) };
}

/** The declaration of keys of maps. */
const KEYS: Declaration = { schema: {}, type: STRING, maxSize: 0, minBytes: 2 };
