/**
 * The messages of Protobuf that expressions can make: `google.protobuf.Struct{fields: {'a': 1}}`. They become values (CEL-6): JSON,
 * a timestamp, a duration, the value of a wrapper, or the message in an `Any`. Only `Empty` stays a message.
 *
 * @module
 */
import { unpacked } from "./any.ts";
import type { Fields, Message } from "./message.ts";
import { durationText, timestampText } from "./times.ts";
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
  listOf,
  mapOf,
  structOf,
  wrapperOf,
} from "./types.ts";
import {
  EmptyMessage,
  Dict,
  Duration,
  Entries,
  Failure,
  List,
  Timestamp,
  Uint,
  type Value,
  Values,
  typeNameOf,
} from "./values.ts";

/** The failure of a field with a value of another type. */
export function conversionFailure({ name, fields, goType }: Message, field: string, value: Value): Failure {
  const to = goType ?? GO_TYPES[fields.get(field)!.kind] ?? fields.get(field)!.name;
  const why =
    typeof value === "string"
      ? `unsupported native conversion from string to '${to}'`
      : `unsupported type conversion from '${typeNameOf(value)}' to ${to}`;
  return new Failure(`field type conversion error for ${name}.${field} value type: ${why}`);
}

const GO_TYPES: Readonly<Record<string, string>> = {
  bytes: "[]uint8",
  double: "float64",
  int: "int64",
  uint: "uint64",
};

const MAX_SAFE_INTEGER = 2n ** 53n - 1n;
const isSafe = (value: bigint): boolean => value <= MAX_SAFE_INTEGER && value >= -MAX_SAFE_INTEGER;

/** A value as JSON: every number is a double, values without a JSON type are texts. */
function jsonOf(value: Value): Value {
  if (typeof value === "bigint") return isSafe(value) ? Number(value) : String(value);
  if (value instanceof Uint) return jsonOf(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof List) {
    const values = [...value].map(jsonOf);
    return values.find((one) => one instanceof Failure) ?? new Values(values);
  }
  if (value instanceof Dict) return jsonObjectOf(value);
  if (value instanceof EmptyMessage) return new Entries();
  if (typeof value === "object" && value !== null && !(value instanceof Failure)) return noJson(value);
  return value;
}

function jsonObjectOf(value: Dict): Value {
  const entries: [Value, Value][] = [];
  for (const key of value.keys()) {
    const member = typeof key === "string" ? jsonOf(value.get(key)!) : noJson(key);
    if (member instanceof Failure) return member;
    entries.push([key, member]);
  }
  return new Entries(entries);
}

const noJson = (value: Value): Failure =>
  new Failure(`type conversion error from '${typeNameOf(value)}' to 'google.protobuf.Value'`);

const json = (field: string, otherwise: Value): Message["make"] => {
  return (fields) => jsonOf(fields.get(field) ?? otherwise);
};

/** The last field that was set counts. */
function valueMessage(fields: Fields): Value {
  const [name, value] = [...fields].at(-1) ?? [];
  return name === undefined || name === "null_value" ? null : jsonOf(value!);
}

const SECOND = 1_000_000_000n;
const nanosOf = (fields: Fields): bigint =>
  ((fields.get("seconds") as bigint | undefined) ?? 0n) * SECOND + ((fields.get("nanos") as bigint | undefined) ?? 0n);

const MAX_DURATION_NANOS = 2n ** 63n;

/** A too long duration becomes the longest one. */
function durationMessage(fields: Fields): Value {
  const nanos = nanosOf(fields);
  if (nanos >= MAX_DURATION_NANOS) return new Duration(MAX_DURATION_NANOS - 1n);
  return new Duration(nanos < -MAX_DURATION_NANOS ? -MAX_DURATION_NANOS : nanos);
}

const wrapper = (
  name: string,
  of: Type,
  none: Value,
  goType?: string,
  fit: (value: Value) => Value = (value) => value,
): Message => ({
  name,
  ...(goType === undefined ? {} : { goType }),
  type: wrapperOf(of),
  fields: new Map([["value", of]]),
  make: (fields) => fit(fields.get("value") ?? none),
});

const HALF = 2n ** 31n;

/** Checks the range of integers of 32 bits. */
const within =
  (name: string, fits: (value: bigint) => boolean, why: string) =>
  (value: Value): Value =>
    fits(value instanceof Uint ? value.value : (value as bigint))
      ? value
      : new Failure(`field type conversion error for ${name}.value value type: ${why}`);

const isSigned = (value: bigint): boolean => value < HALF && value >= -HALF;
const isUnsigned = (value: bigint): boolean => value < 2n * HALF;

const PREFIX = "google.protobuf.";

const ALL: readonly Message[] = [
  {
    name: "Value",
    type: DYN,
    fields: new Map([
      ["null_value", INT],
      ["number_value", DOUBLE],
      ["string_value", STRING],
      ["bool_value", BOOL],
      ["struct_value", mapOf(STRING, DYN)],
      ["list_value", listOf(DYN)],
    ]),
    make: valueMessage,
  },
  {
    name: "Struct",
    type: mapOf(STRING, DYN),
    fields: new Map([["fields", mapOf(STRING, DYN)]]),
    make: json("fields", new Entries()),
  },
  {
    name: "ListValue",
    type: listOf(DYN),
    fields: new Map([["values", listOf(DYN)]]),
    make: json("values", new Values([])),
  },
  {
    name: "Timestamp",
    type: TIMESTAMP,
    fields: new Map([
      ["seconds", INT],
      ["nanos", INT],
    ]),
    make: (fields) => new Timestamp(nanosOf(fields)),
  },
  {
    name: "Duration",
    type: DURATION,
    fields: new Map([
      ["seconds", INT],
      ["nanos", INT],
    ]),
    make: durationMessage,
  },
  {
    name: "Any",
    type: ANY,
    fields: new Map([
      ["type_url", STRING],
      ["value", BYTES],
    ]),
    make: (fields) =>
      unpacked(
        (fields.get("type_url") as string | undefined) ?? "",
        (fields.get("value") as Uint8Array | undefined) ?? new Uint8Array(),
        (name) => MESSAGES.get(name),
      ),
  },
  {
    name: "Empty",
    type: structOf(`${PREFIX}Empty`, new Map()),
    fields: new Map(),
    make: (_fields, unknown = new Uint8Array()) => new EmptyMessage(`${PREFIX}Empty`, unknown),
  },
  wrapper("BoolValue", BOOL, false),
  wrapper("BytesValue", BYTES, new Uint8Array()),
  wrapper("StringValue", STRING, ""),
  wrapper("DoubleValue", DOUBLE, 0),
  wrapper("FloatValue", DOUBLE, 0, "float32", (value) => Math.fround(value as number)),
  wrapper("Int64Value", INT, 0n),
  wrapper("Int32Value", INT, 0n, "int32", within(`${PREFIX}Int32Value`, isSigned, "integer overflow")),
  wrapper("UInt64Value", UINT, new Uint(0n)),
  wrapper(
    "UInt32Value",
    UINT,
    new Uint(0n),
    "uint32",
    within(`${PREFIX}UInt32Value`, isUnsigned, "unsigned integer overflow"),
  ),
];

/** The messages by their full names. */
export const MESSAGES: ReadonlyMap<string, Message> = new Map(
  ALL.map((message) => [PREFIX + message.name, { ...message, name: PREFIX + message.name }]),
);

/** Whether the name of a message is a type value: only where values have this type. */
export const isTypeOfValues = ({ name, type }: Message): boolean => type.name === name && type !== ANY;

/** The constants of enums by their full names. */
export const ENUMS: ReadonlyMap<string, bigint> = new Map([[`${PREFIX}NullValue.NULL_VALUE`, 0n]]);
