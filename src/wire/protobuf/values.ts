/**
 * The codecs of values: numbers, texts, bytes, and messages that are one value in JSON, such as times.
 *
 * @module
 */
import { asJsonNumber } from "../../value/value.ts";
import type { ScalarType } from "../../apply/schema/schema.ts";
import { formatMicroTime, formatTime, parseTime } from "../../meta/time.ts";
import { DecodeError } from "../../value/decode-error.ts";
import { decodeJson } from "../../value/json.ts";
import type { Value } from "../../value/value.ts";
import { ProtobufError } from "../encoding/protobuf-error.ts";
import { BYTES, FIXED64, VARINT, type WireReader } from "../encoding/wire-reader.ts";
import type { WireWriter } from "../encoding/wire-writer.ts";

/** Reads and writes the value of a field, without its tag. */
export interface ValueCodec {
  readonly wire: typeof VARINT | typeof FIXED64 | typeof BYTES;
  /** The value of a map entry without a value. */
  readonly zero: Value;
  /** Reads a value; `before` is that of an earlier occurrence of the field, for messages to be merged. */
  read(reader: WireReader, before: Value | undefined): Value;
  write(writer: WireWriter, value: Value): void;
}

/** The codec of a scalar. */
export function scalarCodec(type: ScalarType): ValueCodec {
  switch (type.scalar) {
    case "boolean":
      return bool;
    case "integer":
      return type.format === "int32" ? int32 : int64;
    case "intOrString":
      return intOrString;
    case "json":
      return jsonCodec;
    case "string":
      return texts[type.format ?? ""] ?? text;
    case "number":
      return double;
  }
}

const bool: ValueCodec = {
  wire: VARINT,
  zero: false,
  read: (reader) => reader.bool(),
  write: (writer, value) => writer.unsigned(value === true ? 1 : 0),
};

const int32: ValueCodec = {
  wire: VARINT,
  zero: 0,
  read: (reader) => reader.int32(),
  write: (writer, value) => writer.integer(value as number),
};

const int64: ValueCodec = {
  ...int32,
  read: (reader) => reader.exactInt64() as Value,
  write(writer, value) {
    const long = asJsonNumber(value)?.integer;
    if (long === undefined) writer.integer(value as number);
    else writer.longInteger(long);
  },
};

const double: ValueCodec = {
  wire: FIXED64,
  zero: 0,
  read(reader) {
    const value = reader.double();
    if (!Number.isFinite(value)) throw new ProtobufError("malformed", `expected a number that is finite, got ${value}`);
    return value;
  },
  write: (writer, value) => writer.double(asJsonNumber(value)?.value ?? (value as number)),
};

const text: ValueCodec = {
  wire: BYTES,
  zero: "",
  read: (reader) => reader.text(),
  write: (writer, value) => writer.text(value as string),
};

const bytes: ValueCodec = {
  wire: BYTES,
  zero: "",
  read: (reader) => reader.bytes().toString("base64"),
  write(writer, value) {
    const raw = Buffer.from(value as string, "base64");
    writer.raw(raw);
    writer.unsigned(raw.length);
  },
};

/** Reads the fields of a small message; `field` reads the value of a number and returns whether it knows it. */
function readSmall(reader: WireReader, field: (number: number, wire: number) => boolean): void {
  const outer = reader.enter();
  while (reader.more) {
    const tag = reader.tag();
    if (field(tag >>> 3, tag & 7)) continue;
    if (!reader.skip()) {
      throw new ProtobufError("malformed", `expected known fields of the right type only, got field ${tag >>> 3}`);
    }
  }
  reader.leave(outer);
}

/** Seconds and nanoseconds; undefined for a message without fields. */
function readTimestamp(reader: WireReader): { seconds: number; nanos: number } | undefined {
  let seconds = 0;
  let nanos = 0;
  let any = false;
  readSmall(reader, (number, wire) => {
    any = true;
    if (wire !== VARINT) return false;
    if (number === 1) seconds = reader.int64();
    else if (number === 2) nanos = reader.int32();
    return number <= 2;
  });
  if (!any) return undefined;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos > 999_999_999) {
    const got = `${seconds} seconds and ${nanos} nanoseconds`;
    throw new ProtobufError("malformed", `expected a time in the years 1 to 9999, got ${got}`);
  }
  return { seconds, nanos };
}

const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

function writeTimestamp(writer: WireWriter, seconds: number, nanos: number): void {
  const before = writer.length;
  writer.integerField(2, nanos);
  writer.integerField(1, seconds);
  writer.lengthSince(before);
}

/** Time: whole seconds; fractions are ignored. */
const time: ValueCodec = {
  wire: BYTES,
  zero: null,
  read(reader) {
    const found = readTimestamp(reader);
    return found ? formatTime(found.seconds * 1000) : null;
  },
  write: (writer, value) => writeTimestamp(writer, Math.floor(parseTime(value as string)! / 1000), 0),
};

/** MicroTime: whole microseconds. */
const microTime: ValueCodec = {
  wire: BYTES,
  zero: null,
  read(reader) {
    const found = readTimestamp(reader);
    if (!found) return null;
    const micros = Math.floor(found.nanos / 1000);
    return formatMicroTime(found.seconds * 1000 + Math.floor(micros / 1000), micros);
  },
  write(writer, value) {
    const sent = value as string;
    const micros = sent[19] === "." ? Number(sent.slice(20, 26)) : 0;
    writeTimestamp(writer, Math.floor(parseTime(sent)! / 1000), micros * 1000);
  },
};

/** Quantity: a message with a text. */
const quantity: ValueCodec = {
  wire: BYTES,
  zero: "0",
  read(reader) {
    let found = "0";
    readSmall(reader, (number, wire) => {
      if (number !== 1 || wire !== BYTES) return false;
      found = reader.text();
      return true;
    });
    return found;
  },
  write(writer, value) {
    const before = writer.length;
    writer.textField(1, value as string);
    writer.lengthSince(before);
  },
};

const IS_INTEGER = 0;
const IS_TEXT = 1;

/** IntOrString: the type, and both values. */
const intOrString: ValueCodec = {
  wire: BYTES,
  zero: 0,
  read(reader) {
    let type = IS_INTEGER;
    let integer = 0;
    let string = "";
    readSmall(reader, (number, wire) => {
      if (number === 3 && wire === BYTES) string = reader.text();
      else if (number === 1 && wire === VARINT) type = reader.int64();
      else if (number === 2 && wire === VARINT) integer = reader.int32();
      else return false;
      return true;
    });
    if (type !== IS_INTEGER && type !== IS_TEXT) {
      throw new ProtobufError("malformed", `expected the type of an integer (0) or a text (1), got ${type}`);
    }
    return type === IS_INTEGER ? integer : string;
  },
  write(writer, value) {
    const before = writer.length;
    const isText = typeof value === "string";
    writer.textField(3, isText ? value : "");
    writer.integerField(2, isText ? 0 : (value as number));
    writer.integerField(1, isText ? IS_TEXT : IS_INTEGER);
    writer.lengthSince(before);
  },
};

/** FieldsV1, RawExtension and JSON: a message with a JSON text, or without one for null. */
export const jsonCodec: ValueCodec = {
  wire: BYTES,
  zero: null,
  read(reader) {
    let found: Value = null;
    readSmall(reader, (number, wire) => {
      if (number !== 1 || wire !== BYTES) return false;
      found = json(reader.bytes());
      return true;
    });
    return found;
  },
  write(writer, value) {
    const before = writer.length;
    if (value !== null) writer.textField(1, JSON.stringify(value));
    writer.lengthSince(before);
  },
};

function json(source: Uint8Array): Value {
  if (source.length === 0) return null;
  try {
    return decodeJson(source).value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new ProtobufError(error.code === "tooLarge" ? "tooLarge" : "malformed", error.message);
  }
}

const texts: Readonly<Record<string, ValueCodec>> = {
  "date-time": time,
  "micro-time": microTime,
  byte: bytes,
  quantity,
};
