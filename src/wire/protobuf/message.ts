/**
 * Messages: the compiled schema of a struct together with the numbers of its fields reads and writes protobuf.
 *
 * What is read is JSON as a typed client would have sent it, zero values included; the walker of the kind makes wire
 * form of it. What is written is wire form; an unset member is not written. Fields are written in the order of their
 * numbers, as the generated code of Kubernetes does.
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
  /** Reads fields to the end of the message into an object; a field that comes twice is merged or replaced. */
  read(reader: WireReader, into: ValueObject): void;
  /** Writes the fields of an object, the last one first. */
  write(writer: WireWriter, from: ValueObject): void;
}

/** A field of a message. */
interface FieldCodec {
  readonly name: string;
  readonly number: number;
  /** Reads the value behind a tag of this wire type. */
  read(reader: WireReader, wire: number, into: ValueObject): void;
  /** Writes the field with its tag, or nothing when it is unset. */
  write(writer: WireWriter, from: ValueObject): void;
}

const compiled = new WeakMap<StructType, Map<string, MessageCodec>>();

/** The codec of a struct that is this message; its fields are compiled when it is first used. */
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

/**
 * A field that the message does not have is an error, but for one that says nothing: Go programs send their fields
 * also where they are empty, so that each one that is newer or older than this server would fail.
 */
function skipField(reader: WireReader, number: number): void {
  if (!reader.skip()) throw new ProtobufError("malformed", `expected known fields only, got field ${number}`);
}

const INLINE = "...";

/** The fields that both the schema and the message have, and the messages whose members the schema has in this place. */
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

/** A message whose members stand beside those of its holder in JSON; it is there when it has any. */
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

/** A message as a value. */
const nested = (codec: MessageCodec): ValueCodec => ({
  wire: BYTES,
  // A Go map has its values in place, so an entry without one has the empty message.
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

/** The JSON type of a value by which a message of several knows it. */
const typeIn = (value: Value): string => (Array.isArray(value) ? "array" : typeof value);

/**
 * A value of one of several types: a message with a field for each. Where one of them is a boolean, Go says it is true
 * beside any other.
 */
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

/** A list as a value of a map: a message with nothing but the list. */
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
