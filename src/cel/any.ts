/**
 * Unpacks a `google.protobuf.Any` to one of the messages that expressions know, see `messages.ts`.
 *
 * @module
 */
import { ProtobufError } from "../wire/encoding/protobuf-error.ts";
import { BYTES, FIXED32, FIXED64, VARINT, WireReader } from "../wire/encoding/wire-reader.ts";
import { checkWork } from "../util/work-limit.ts";
import { cutText } from "../util/cut-text.ts";
import type { Message } from "./message.ts";
import type { Type } from "./types.ts";
import { Entries, Failure, Uint, type Value, Values } from "./values.ts";

/** Looks up a message by name; undefined for an unknown one. */
export type Lookup = (name: string) => Message | undefined;

const ANY_NAME = "google.protobuf.Any";

/**
 * The value of the packed message, also where it is packed several times. Malformed bytes and unknown messages are failures.
 */
export function unpacked(url: string, bytes: Uint8Array, lookup: Lookup): Value {
  if (bytes.length > WORKER_THRESHOLD_BYTES) checkWork(bytes.length);
  try {
    let inner: Packed = { url, bytes };
    for (;;) {
      const name = inner.url.slice(inner.url.lastIndexOf("/") + 1);
      if (name !== ANY_NAME) {
        const message = lookup(name);
        return message ? messageOf(message, inner.bytes) : unread(url, bytes);
      }
      inner = packedIn(inner.bytes);
    }
  } catch (error) {
    if (error instanceof ProtobufError) return unread(url, bytes);
    throw error;
  }
}

/** Longer messages may have to be read in a worker thread, see `work-limit.ts`. */
const WORKER_THRESHOLD_BYTES = 4096;

interface Packed {
  readonly url: string;
  readonly bytes: Uint8Array;
}

const readerOf = (bytes: Uint8Array): WireReader => new WireReader(bytes, { strictText: true });

function packedIn(bytes: Uint8Array): Packed {
  const reader = readerOf(bytes);
  let url = "";
  let value: Uint8Array = new Uint8Array();
  while (reader.more) {
    const tag = reader.tag();
    if (tag === tagOf(1, BYTES)) url = reader.text();
    else if (tag === tagOf(2, BYTES)) value = reader.bytes();
    else reader.skip();
  }
  return { url, bytes: value };
}

const tagOf = (field: number, wire: number): number => field * 8 + wire;

/** The deepest nesting of messages; a deeper one is malformed. */
const MAX_DEPTH = 100;

function messageOf(message: Message, bytes: Uint8Array): Value {
  const reader = readerOf(bytes);
  const json = JSON_MESSAGES[message.name];
  if (json) return json(reader, 0);
  const names = [...message.fields];
  const fields = new Map<string, Value>();
  const unknown: Uint8Array[] = [];
  while (reader.more) {
    const start = reader.at;
    const tag = reader.tag();
    const [field, type] = names[(tag >>> 3) - 1] ?? [];
    const scalar = type && scalarOf(message, field!, type);
    if (scalar && scalar.wire === (tag & 7)) fields.set(field!, scalar.read(reader));
    else {
      reader.skip();
      unknown.push(bytes.subarray(start, reader.at));
    }
  }
  return message.make(fields, Buffer.concat(unknown));
}

interface Scalar {
  readonly wire: number;
  read(reader: WireReader): Value;
}

const SCALARS: Readonly<Record<string, Scalar>> = {
  bool: { wire: VARINT, read: (reader) => reader.bool() },
  int: { wire: VARINT, read: (reader) => BigInt.asIntN(64, reader.uint64()) },
  int32: { wire: VARINT, read: (reader) => BigInt(reader.int32()) },
  uint: { wire: VARINT, read: (reader) => new Uint(reader.uint64()) },
  uint32: { wire: VARINT, read: (reader) => new Uint(BigInt.asUintN(32, reader.uint64())) },
  double: { wire: FIXED64, read: (reader) => reader.double() },
  float32: { wire: FIXED32, read: (reader) => reader.float() },
  string: { wire: BYTES, read: (reader) => reader.text() },
  bytes: { wire: BYTES, read: (reader) => reader.bytes() },
};

const scalarOf = ({ goType }: Message, field: string, { kind }: Type): Scalar | undefined =>
  SCALARS[goType ?? (field === "nanos" ? "int32" : kind)];

type Read = (reader: WireReader, depth: number) => Value;

function within<T>(reader: WireReader, depth: number, read: (reader: WireReader, depth: number) => T): T {
  if (depth >= MAX_DEPTH)
    throw new ProtobufError("malformed", `expected messages of at most ${MAX_DEPTH} levels, found more`);
  return reader.message((inner) => read(inner, depth + 1));
}

function structOf(reader: WireReader, depth: number): Value {
  const entries: (readonly [string, Value])[] = [];
  while (reader.more) {
    if (reader.tag() === tagOf(1, BYTES)) entries.push(within(reader, depth, entryOf));
    else reader.skip();
  }
  return new Entries(entries);
}

function entryOf(reader: WireReader, depth: number): readonly [string, Value] {
  let key = "";
  let value: Value = null;
  while (reader.more) {
    const tag = reader.tag();
    if (tag === tagOf(1, BYTES)) key = reader.text();
    else if (tag === tagOf(2, BYTES)) value = within(reader, depth, valueOf);
    else reader.skip();
  }
  return [key, value];
}

function listOf(reader: WireReader, depth: number): Value {
  const values: Value[] = [];
  while (reader.more) {
    if (reader.tag() === tagOf(1, BYTES)) values.push(within(reader, depth, valueOf));
    else reader.skip();
  }
  return new Values(values);
}

/** The last of several values counts. */
function valueOf(reader: WireReader, depth: number): Value {
  let value: Value = null;
  while (reader.more) {
    const read = KINDS.get(reader.tag());
    if (read) value = read(reader, depth);
    else reader.skip();
  }
  return value;
}

const KINDS: ReadonlyMap<number, Read> = new Map<number, Read>([
  [
    tagOf(1, VARINT),
    (reader) => {
      reader.skip();
      return null;
    },
  ],
  [tagOf(2, FIXED64), (reader) => reader.double()],
  [tagOf(3, BYTES), (reader) => reader.text()],
  [tagOf(4, VARINT), (reader) => reader.bool()],
  [tagOf(5, BYTES), (reader, depth) => within(reader, depth, structOf)],
  [tagOf(6, BYTES), (reader, depth) => within(reader, depth, listOf)],
]);

const JSON_MESSAGES: Readonly<Record<string, Read>> = {
  "google.protobuf.Struct": structOf,
  "google.protobuf.ListValue": listOf,
  "google.protobuf.Value": valueOf,
};

const MAX_SHOWN_BYTES = 1024;

function unread(url: string, bytes: Uint8Array): Failure {
  const shown = [
    ...(url === "" ? [] : [`type_url:"${quoted(Buffer.from(cutText(url, MAX_SHOWN_BYTES)))}"`]),
    ...(bytes.length === 0 ? [] : [`value:"${quoted(bytes.subarray(0, MAX_SHOWN_BYTES))}"`]),
  ];
  return new Failure(`unsupported conversion to ref.Val: (*dynamicpb.Message)${shown.join(" ")}`);
}

const ESCAPED: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Bytes in the text format of Protobuf: bytes that are not text in hexadecimal. */
function quoted(bytes: Uint8Array): string {
  const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`;
  let out = "";
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const char = Buffer.from(bytes.subarray(at, at + length)).toString();
    const isChar = char.length > 0 && !char.startsWith("\ufffd") && Buffer.byteLength(char) === length;
    if (!isChar || first < 0x20 || first === 0x7f) {
      out += ESCAPED[char] ?? hex(first);
      at++;
    } else {
      out += ESCAPED[char] ?? char;
      at += length;
    }
  }
  return out;
}
