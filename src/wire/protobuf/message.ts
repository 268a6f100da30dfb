/**
 * Codecs of messages, from the schema of a struct and the numbers of its fields.
 *
 * Decoding returns JSON as of a typed client, zero values included; the walker of the kind converts it to wire form. Encoding expects
 * wire form, leaves unset members out, and writes fields in the order of their numbers, as the generated code of Kubernetes does.
 *
 * @module
 */
import { type Field, type JsonSchema, type StructType, type Type, typeOf } from "../../apply/schema/schema.ts";
import { type Value, type ValueObject, setMember } from "../../value/value.ts";
import { numbersOf, qualified } from "./numbers/index.ts";
import { ProtobufError } from "../encoding/protobuf-error.ts";
import { type ValueCodec, scalarCodec, jsonCodec } from "./values.ts";
import { BYTES, VARINT, type WireReader } from "../encoding/wire-reader.ts";
import type { WireWriter } from "../encoding/wire-writer.ts";

/** Reads and writes one message. */
export interface MessageCodec {
  /** Reads the fields of a message into an object; a field that occurs twice is merged or replaced. */
  read(reader: WireReader, into: ValueObject): void;
  /** Writes the fields of an object, the last one first. */
  write(writer: WireWriter, from: ValueObject): void;
}

/** A field of a message. */
interface FieldCodec {
  readonly name: string;
  readonly number: number;
  /** Reads the value after a tag of this wire type. */
  read(reader: WireReader, wire: number, into: ValueObject): void;
  /** Writes the field with its tag, or nothing when it is unset. */
  write(writer: WireWriter, from: ValueObject): void;
}

const compiled = new WeakMap<StructType, Map<string, MessageCodec>>();

/** The codec of a struct for a message; its fields are compiled at the first use. */
export function messageCodec(type: StructType, message: string): MessageCodec {
  let codecs = compiled.get(type);
  if (!codecs) compiled.set(type, (codecs = new Map()));
  let codec = codecs.get(message);
  if (!codec) codecs.set(message, (codec = structCodec(() => fieldsOf(type, message))));
  return codec;
}

function structCodec(fieldsOfMessage: () => readonly FieldCodec[]): MessageCodec {
  let fields: readonly FieldCodec[] | undefined;
  const byNumber: (FieldCodec | undefined)[] = [];
  const open = (): readonly FieldCodec[] => {
    fields = fieldsOfMessage().toSorted((a, b) => b.number - a.number);
    for (const field of fields) byNumber[field.number] = field;
    return fields;
  };
  return {
    read(reader, into) {
      if (!fields) open();
      while (reader.more) {
        const tag = reader.tag();
        const number = tag >>> 3;
        const field = byNumber[number];
        if (field) readField(reader, field, tag & 7, into);
        else skipField(reader, number);
      }
    },
    write(writer, from) {
      for (const field of fields ?? open()) field.write(writer, from);
    },
  };
}

function readField(reader: WireReader, field: FieldCodec, wire: number, into: ValueObject): void {
  try {
    field.read(reader, wire, into);
  } catch (error) {
    throw error instanceof ProtobufError && !field.name.startsWith(INLINE) ? error.inside(field.name) : error;
  }
}

/** Skips an unknown field. It is an error unless its value is empty: Go programs send empty fields, also of other versions. */
function skipField(reader: WireReader, number: number): void {
  if (!reader.skip()) throw new ProtobufError("malformed", `expected known fields only, got field ${number}`);
}

const INLINE = "...";

/** The fields of both the schema and the message, and the messages whose members are inline in the schema. */
function fieldsOf(type: StructType, message: string): FieldCodec[] {
  const fields: FieldCodec[] = [];
  for (const [name, entry] of Object.entries(numbersOf(message))) {
    const [number, target] = typeof entry === "number" ? [entry, undefined] : entry;
    const inner = target === undefined ? undefined : qualified(target, message);
    if (name.startsWith(INLINE)) {
      fields.push(inlineField(name, number, messageCodec(type, inner!)));
      continue;
    }
    const field = type.fields.get(name);
    if (field) fields.push(fieldCodec(field, number, inner));
  }
  return fields;
}

/** A message whose members are inline in JSON; it is written when it has any. */
const inlineField = (name: string, number: number, codec: MessageCodec): FieldCodec => ({
  name,
  number,
  read(reader, wire, into) {
    expectWire(wire, BYTES);
    const outer = reader.enter();
    codec.read(reader, into);
    reader.leave(outer);
  },
  write(writer, from) {
    const before = writer.length;
    codec.write(writer, from);
    if (writer.length > before) writer.endMessage(number, before);
  },
});

function fieldCodec({ name, type }: Field, number: number, message: string | undefined): FieldCodec {
  if (type.kind === "list") return listField(name, number, valueCodec(type.item, message));
  if (type.kind === "map") return mapField(name, number, valueCodec(type.item, message));
  return singleField(name, number, valueCodec(type, message));
}

function valueCodec(type: Type, message: string | undefined): ValueCodec {
  switch (type.kind) {
    case "scalar":
      return scalarCodec(type);
    case "any":
      return type.schema["x-keelson-either"] ? eitherCodec(type.schema["x-keelson-either"], message) : jsonCodec;
    case "struct":
      if (message === undefined) throw new Error("Expected the numbers of a struct to name its message");
      return nested(messageCodec(type, message));
    case "list":
      return wrapped(listField("items", 1, valueCodec(type.item, message)));
    case "map":
      throw new Error("Expected no map inside a list or map: no message has one");
  }
}

/** The codec of a message as a value. */
const nested = (codec: MessageCodec): ValueCodec => ({
  wire: BYTES,
  // In Go an entry of a map without a value has the empty message.
  get zero() {
    return {};
  },
  read(reader, before) {
    const value = (before ?? {}) as ValueObject;
    const outer = reader.enter();
    codec.read(reader, value);
    reader.leave(outer);
    return value;
  },
  write(writer, value) {
    const before = writer.length;
    codec.write(writer, value as ValueObject);
    writer.lengthSince(before);
  },
});

/** The JSON type of a value, which is the name of its field in a message of several types. */
const typeIn = (value: Value): string => (Array.isArray(value) ? "array" : typeof value);

/** A value of one of several types: a message with a field for each. Next to a value of another type, Go sets the boolean. */
function eitherCodec(schemas: readonly JsonSchema[], message: string | undefined): ValueCodec {
  const codec = nested(structCodec(() => eitherFields(schemas, message!)));
  const all = schemas.map(({ type = "" }) => type);
  const order = ["array", "object", "boolean"].filter((type) => all.includes(type));
  return {
    wire: BYTES,
    zero: null,
    read(reader) {
      const found = codec.read(reader, undefined) as ValueObject;
      const type = order.find((one) => found[one] !== undefined);
      return type === undefined ? (all.includes("boolean") ? false : null) : found[type]!;
    },
    write(writer, value) {
      const type = typeIn(value);
      codec.write(writer, {
        [type]: value,
        ...(all.includes("boolean") && type !== "boolean" ? { boolean: true } : {}),
      });
    },
  };
}

function eitherFields(schemas: readonly JsonSchema[], message: string): FieldCodec[] {
  const numbers = numbersOf(message);
  return schemas.map((schema) => {
    const name = schema.type ?? "";
    const entry = numbers[name];
    if (entry === undefined) throw new Error(`Expected the message ${message} to have a field for ${name}`);
    const [number, target] = typeof entry === "number" ? [entry, undefined] : entry;
    const field = { name, type: typeOf(schema) } as Field;
    return fieldCodec(field, number, target === undefined ? undefined : qualified(target, message));
  });
}

/** The codec of a list as a value of a map: a message with the list as its only field. */
function wrapped(items: FieldCodec): ValueCodec {
  const codec = nested(structCodec(() => [items]));
  return {
    wire: BYTES,
    zero: null,
    read: (reader, before) => {
      const message = codec.read(reader, before === undefined ? undefined : { items: before }) as ValueObject;
      return message["items"] ?? [];
    },
    write: (writer, value) => codec.write(writer, { items: value }),
  };
}

const singleField = (name: string, number: number, codec: ValueCodec): FieldCodec => ({
  name,
  number,
  read(reader, wire, into) {
    expectWire(wire, codec.wire);
    into[name] = codec.read(reader, into[name]);
  },
  write(writer, from) {
    const value = from[name];
    if (value === undefined || value === null) return;
    codec.write(writer, value);
    writer.tag(number, codec.wire);
  },
});

const listField = (name: string, number: number, codec: ValueCodec): FieldCodec => ({
  name,
  number,
  read(reader, wire, into) {
    const list = (into[name] ??= []) as Value[];
    if (wire === BYTES && codec.wire === VARINT) {
      const outer = reader.enter();
      while (reader.more) {
        reader.element();
        list.push(codec.read(reader, undefined));
      }
      reader.leave(outer);
      return;
    }
    expectWire(wire, codec.wire);
    reader.element();
    list.push(codec.read(reader, undefined));
  },
  write(writer, from) {
    const list = (from[name] ?? []) as Value[];
    for (let i = list.length - 1; i >= 0; i--) {
      codec.write(writer, list[i]!);
      writer.tag(number, codec.wire);
    }
  },
});

const KEY = 1;
const VALUE = 2;

const mapField = (name: string, number: number, codec: ValueCodec): FieldCodec => ({
  name,
  number,
  read(reader, wire, into) {
    expectWire(wire, BYTES);
    reader.entry();
    const map = (into[name] ??= {}) as ValueObject;
    const outer = reader.enter();
    let key = "";
    let value: Value | undefined;
    while (reader.more) {
      const tag = reader.tag();
      if (tag === KEY * 8 + BYTES) key = reader.text();
      else if (tag === VALUE * 8 + codec.wire) value = codec.read(reader, value);
      else skipField(reader, tag >>> 3);
    }
    reader.leave(outer);
    setMember(map, key, value ?? codec.zero);
  },
  write(writer, from) {
    const map = (from[name] ?? {}) as ValueObject;
    for (const key of Object.keys(map).toReversed()) {
      const before = writer.length;
      const value = map[key];
      if (value !== null && value !== undefined) {
        codec.write(writer, value);
        writer.tag(VALUE, codec.wire);
      }
      writer.textField(KEY, key);
      writer.endMessage(number, before);
    }
  },
});

function expectWire(got: number, expected: number): void {
  if (got !== expected) throw new ProtobufError("malformed", `expected wire type ${expected}, got ${got}`);
}
