/**
 * The messages of Protobuf that expressions can make: `google.protobuf.Struct{fields: {'a': 1}}`. What they become is a value like
 * any other (CEL-6): JSON, a moment, a duration, what a wrapper holds, or what is packed in an `Any`. `Empty` alone stays what it is.
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

/** What a field is told of that is given a value of another type. */
export function misfit({ name, fields, holder }: Message, field: string, value: Value): Failure {
  const to = holder ?? HOLDERS[fields.get(field)!.kind] ?? fields.get(field)!.name;
  const why =
    typeof value === "string"
      ? `unsupported native conversion from string to '${to}'`
      : `unsupported type conversion from '${typeNameOf(value)}' to ${to}`;
  return new Failure(`field type conversion error for ${name}.${field} value type: ${why}`);
}

const HOLDERS: Readonly<Record<string, string>> = { bytes: "[]uint8", double: "float64", int: "int64", uint: "uint64" };

const LARGEST_SAFE = 2n ** 53n - 1n;
const isSafe = (value: bigint): boolean => value <= LARGEST_SAFE && value >= -LARGEST_SAFE;

/** A value as JSON has it: every number a double, what has no type there a text. */
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

/** The last field that was set is the one of several that is kept. */
function valueMessage(fields: Fields): Value {
  const [name, value] = [...fields].at(-1) ?? [];
  return name === undefined || name === "null_value" ? null : jsonOf(value!);
}

const SECOND = 1_000_000_000n;
const nanosOf = (fields: Fields): bigint =>
  ((fields.get("seconds") as bigint | undefined) ?? 0n) * SECOND + ((fields.get("nanos") as bigint | undefined) ?? 0n);

const LONGEST_SPAN = 2n ** 63n;

/** What is too long becomes the longest. */
function durationMessage(fields: Fields): Value {
  const nanos = nanosOf(fields);
  if (nanos >= LONGEST_SPAN) return new Duration(LONGEST_SPAN - 1n);
  return new Duration(nanos < -LONGEST_SPAN ? -LONGEST_SPAN : nanos);
}

const wrapper = (
  name: string,
  of: Type,
  none: Value,
  holder?: string,
  fit: (value: Value) => Value = (value) => value,
): Message => ({
  name,
  ...(holder === undefined ? {} : { holder }),
  type: wrapperOf(of),
  fields: new Map([["value", of]]),
  make: (fields) => fit(fields.get("value") ?? none),
});

const HALF = 2n ** 31n;

/** Integers of 32 bits are told that they are, by the name of the field. */
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

/** Whether values have this message as their type, so that its name is a value: of the others only the names of what they become are. */
export const isTypeOfValues = ({ name, type }: Message): boolean => type.name === name && type !== ANY;

/** The constants of enums by their full names. */
export const ENUMS: ReadonlyMap<string, bigint> = new Map([[`${PREFIX}NullValue.NULL_VALUE`, 0n]]);
