/**
 * Types of expressions from structural schemas, with the greatest sizes that a request can bring (CEL-30..35, CEL-52).
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

/** A structural schema, as far as expressions are concerned. */
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

/** A rule as a definition says it. */
export interface RuleSource {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** What expressions know of the values of a schema. */
export interface Declaration {
  readonly schema: Schema;
  readonly type: Type;
  /** The greatest size of a value: bytes, elements, members; 0 where it has none. */
  readonly most: number;
  /** The least bytes of a value in JSON. */
  readonly least: number;
  readonly item?: Declaration;
  /** By the names under which expressions see them. */
  readonly fields?: ReadonlyMap<string, Field>;
}

/** A member of an object. */
export interface Field {
  readonly name: string;
  readonly declaration: Declaration;
}

const MOST_BYTES = 3 * 1024 * 1024;
const DATE_BYTES = 12;
const TIME_BYTES = 32;
const LEAST_TIME_BYTES = 21;
const LEAST_DURATION_BYTES = 3;

/** What every object has that says which it is. */
const HEAD: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

/** A schema with what every object has: of metadata the name alone is seen (CEL-34). */
export function withHead(schema: Schema): Schema {
  const properties: Record<string, Schema> = { ...schema.properties };
  for (const name of ["apiVersion", "kind"]) properties[name] = HEAD[name]!;
  properties["metadata"] = HEAD["metadata"]!;
  return { ...schema, type: "object", properties };
}

/** What expressions know of a schema; undefined for values of which nothing is known: they do not exist (CEL-30). */
export function declare(schema: Schema, isObject: boolean, name = "selfType"): Declaration | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    return {
      schema,
      type: DYN,
      most: schema.maxLength === undefined ? MOST_BYTES - 2 : count(schema.maxLength) * 4,
      least: 1,
    };
  }
  const whole = isObject ? withHead(schema) : schema;
  switch (whole.type) {
    case "array":
      return declareList(whole, name);
    case "object":
      return declareObject(whole, name);
    case "string":
      return declareText(whole);
    case "boolean":
      return { schema, type: BOOL, most: 0, least: 4 };
    case "number":
      return { schema, type: DOUBLE, most: 0, least: 1 };
    case "integer":
      return { schema, type: INT, most: 0, least: 1 };
    default:
      return undefined;
  }
}

const count = (value: number): number => Math.max(0, value);
const isEmbedded = (schema: Schema): boolean => schema["x-kubernetes-embedded-resource"] === true;

function declareList(schema: Schema, name: string): Declaration | undefined {
  const item = schema.items && declare(schema.items, isEmbedded(schema.items), `${name}.@idx`);
  if (!item) return undefined;
  const most = schema.maxItems === undefined ? Math.floor((MOST_BYTES - 2) / (item.least + 1)) : count(schema.maxItems);
  return { schema, type: listOf(item.type), most, least: 2, item };
}

function declareObject(schema: Schema, name: string): Declaration | undefined {
  const values = schema.additionalProperties;
  if (typeof values === "object") {
    const item = declare(values, isEmbedded(values), `${name}.@elem`);
    if (!item) return undefined;
    const most =
      schema.maxProperties === undefined
        ? Math.floor((MOST_BYTES - 2) / (item.least + 6))
        : count(schema.maxProperties);
    return { schema, type: mapOf(STRING, item.type), most, least: 2, item };
  }
  const needed = new Set(schema.required);
  const fields = new Map<string, Field>();
  const types = new Map<string, Type>();
  let least = 2;
  for (const [property, member] of Object.entries(schema.properties ?? {})) {
    const seen = escapeName(property);
    const declaration = declare(member, isEmbedded(member), `${name}.${seen ?? property}`);
    if (!declaration) continue;
    if (seen !== undefined) {
      fields.set(seen, { name: property, declaration });
      types.set(seen, declaration.type);
    }
    if (needed.has(property) && (member.default ?? undefined) === undefined) {
      least += Buffer.byteLength(property) + declaration.least + 4;
    }
  }
  // `namespace` needs no escape where a member is looked into.
  const reserved = [...fields].filter(([seen]) => /^__[a-z]+__$/.test(seen));
  for (const [seen] of reserved) {
    const plain = seen.slice(2, -2);
    if (plain === "namespace" && !types.has(plain)) types.set(plain, types.get(seen)!);
  }
  return { schema, type: structOf(name, types), most: 0, least, fields };
}

function declareText(schema: Schema): Declaration {
  const { format, maxLength, enum: allowed } = schema;
  switch (format) {
    case "byte":
      return { schema, type: BYTES, most: maxLength === undefined ? MOST_BYTES - 2 : count(maxLength), least: 2 };
    case "duration":
      return { schema, type: DURATION, most: TIME_BYTES, least: LEAST_DURATION_BYTES };
    case "date":
      return { schema, type: TIMESTAMP, most: DATE_BYTES, least: DATE_BYTES };
    case "date-time":
      return { schema, type: TIMESTAMP, most: TIME_BYTES, least: LEAST_TIME_BYTES };
    default:
  }
  if (maxLength !== undefined) return { schema, type: STRING, most: count(maxLength) * 4, least: 2 };
  const most = allowed?.length
    ? Math.max(0, ...allowed.map((one) => (typeof one === "string" ? Buffer.byteLength(one) : 0)))
    : MOST_BYTES - 2;
  return { schema, type: STRING, most, least: 2 };
}

/** The size of what is at a path below `self` or `oldSelf`; undefined where nothing is known. */
export function sizeBelow(root: Declaration, path: readonly string[]): Range | undefined {
  let at: Declaration | undefined = root;
  for (const step of path.slice(1)) {
    if (step === "@items" || step === "@values") at = at.item;
    else if (step === "@keys" || step === "@indices") {
      at = step === "@keys" && at.type.kind === "map" ? KEYS : undefined;
    } else at = at.fields?.get(step)?.declaration;
    if (!at) return undefined;
  }
  return { min: 0n, max: BigInt(at.most) };
}

/** Keys of maps: texts without a bound of their own. */
const KEYS: Declaration = { schema: {}, type: STRING, most: 0, least: 2 };
