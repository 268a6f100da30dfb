/**
 * The envelope of protobuf bodies, and its content: an object, a list, a Status, an event.
 *
 * A body is four bytes (`k8s` and zero), then a message `Unknown`: the apiVersion and kind of the content, and the bytes of its own
 * message without further encoding.
 *
 *     6b 38 73 00 | typeMeta { apiVersion "v1", kind "ConfigMap" } | raw { metadata { name "c" } data { ... } }
 *
 * An event of a watch is a message `WatchEvent` after its length in four bytes; it contains an object as such a body.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { MAX_CONTAINERS, MAX_MEMBERS } from "../../value/json-scan.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { type ProtobufKind, STATUS, codecOf, listMetaCodec, partialObjectMetadata } from "./kinds.ts";
import { ProtobufError } from "../encoding/protobuf-error.ts";
import { BYTES, type ReadLimits, WireReader } from "../encoding/wire-reader.ts";
import { WireWriter } from "../encoding/wire-writer.ts";

/** The media type of protobuf. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

// The fields of Unknown, and of TypeMeta in it.
const TYPE_META = 1;
const RAW = 2;
const CONTENT_ENCODING = 3;
const CONTENT_TYPE = 4;
const API_VERSION = 1;
const KIND = 2;
// The fields of every list.
const METADATA = 1;
const ITEMS = 2;
// The fields of WatchEvent, and of RawExtension in it.
const EVENT_TYPE = 1;
const EVENT_OBJECT = 2;

/** The limits of a JSON body; an entry of a map has three fields. */
const LIMITS: ReadLimits = { fields: 4 * MAX_MEMBERS, entries: MAX_MEMBERS, elements: MAX_CONTAINERS };

/** Options of decoding. */
export interface ProtobufOptions {
  /** Whether invalid UTF-8 becomes U+FFFD; otherwise it is refused (CM-4). */
  readonly replaceInvalidUtf8?: boolean;
}

/**
 * Decodes the body of a request of a kind: plain JSON as of a typed client, with the apiVersion and kind of the envelope where it
 * has them. The walker of the kind must process it next.
 *
 * @throws ProtobufError for any other body
 */
export function decodeProtobuf(bytes: Uint8Array, kind: ProtobufKind, options: ProtobufOptions = {}): ValueObject {
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new ProtobufError("malformed", "expected a body that begins with the four bytes of Kubernetes protobuf");
  }
  const strictText = options.replaceInvalidUtf8 !== true;
  const reader = new WireReader(bytes, { start: MAGIC.length, strictText, limits: LIMITS });
  const head: ValueObject = {};
  let body: ValueObject | undefined;
  while (reader.more) {
    const tag = reader.tag();
    switch (tag) {
      case TYPE_META * 8 + BYTES:
        readTypeMeta(reader, head);
        checkKind(head["kind"], kind);
        break;
      case RAW * 8 + BYTES: {
        // The last one counts, as in other readers of protobuf.
        const outer = reader.enter();
        codecOf(kind).read(reader, (body = {}));
        reader.leave(outer);
        break;
      }
      case CONTENT_ENCODING * 8 + BYTES:
        expectPlain("content encoding", reader.text(), "");
        break;
      case CONTENT_TYPE * 8 + BYTES:
        expectPlain("content type", reader.text(), PROTOBUF);
        break;
      default:
        throw new ProtobufError("malformed", `expected an envelope of fields 1 to 4, got field ${tag >>> 3}`);
    }
  }
  return { ...head, ...body };
}

function readTypeMeta(reader: WireReader, head: ValueObject): void {
  const outer = reader.enter();
  while (reader.more) {
    const tag = reader.tag();
    if (tag === API_VERSION * 8 + BYTES) head["apiVersion"] = reader.text();
    else if (tag === KIND * 8 + BYTES) head["kind"] = reader.text();
    else throw new ProtobufError("malformed", `expected an apiVersion and a kind, got field ${tag >>> 3}`);
  }
  reader.leave(outer);
}

function checkKind(got: Value | undefined, { kind }: ProtobufKind): void {
  if (got === undefined || got === "" || got === kind) return;
  throw new ProtobufError("malformed", `expected a body of kind "${kind}", got ${JSON.stringify(got)}`);
}

function expectPlain(what: string, got: string, plain: string): void {
  if (got === "" || got === plain) return;
  const shown = JSON.stringify(got.slice(0, 100));
  throw new ProtobufError("malformed", `expected an envelope without ${what}, got ${shown}`);
}

/** Encodes an object, in wire form, of a kind with a protobuf form. */
export function encodeProtobuf(object: object, kind: ProtobufKind): Buffer {
  const writer = new WireWriter();
  codecOf(kind).write(writer, object as ValueObject);
  return withEnvelope(writer, apiVersionOf(kind.group, kind.version), kind.kind);
}

function withEnvelope(writer: WireWriter, apiVersion: string, kind: string): Buffer {
  writer.endMessage(RAW, 0);
  writeTypeMeta(writer, apiVersion, kind);
  return writer.finish();
}

function writeTypeMeta(writer: WireWriter, apiVersion: string, kind: string): void {
  const before = writer.length;
  writer.textField(KIND, kind);
  writer.textField(API_VERSION, apiVersion);
  writer.endMessage(TYPE_META, before);
  writer.raw(MAGIC);
}

/** The memory in which most items are encoded, one after the other. */
const scratch = new WireWriter(65_536);

/** An item of a list, with its tag and length; valid until the next one is encoded. */
export function encodeItem(item: object, kind: ProtobufKind): Buffer {
  scratch.reset();
  codecOf(kind).write(scratch, item as ValueObject);
  scratch.endMessage(ITEMS, 0);
  return scratch.finish();
}

/** A list without its items. */
export interface ListHead {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

/** The bytes before the items of a list; `itemBytes` is the length of all encoded items. */
export function encodeListHead(head: ListHead, itemBytes: number): Buffer {
  const writer = new WireWriter();
  listMetaCodec().write(writer, head.metadata as ValueObject);
  writer.endMessage(METADATA, 0);
  writer.unsigned(writer.length + itemBytes);
  writer.tag(RAW, BYTES);
  writeTypeMeta(writer, head.apiVersion, head.kind);
  return writer.finish();
}

/** Encodes a response: a Status, the metadata of an object or of a list, a list of objects, or an object of the kind. */
export function encodeResponse(response: object, kind: ProtobufKind): Buffer {
  const { kind: name, apiVersion, items } = response as { kind?: string; apiVersion?: string; items?: unknown };
  if (name === STATUS.kind && apiVersion === STATUS.version) return encodeProtobuf(response, STATUS);
  const isPartial = name?.startsWith("PartialObjectMetadata") === true;
  const itemKind = isPartial ? partialObjectMetadata(apiVersion!.slice(apiVersion!.indexOf("/") + 1)) : kind;
  if (name === undefined || !name.endsWith("List")) return encodeProtobuf(response, itemKind);
  const encoded = ((items ?? []) as object[]).map((item) => Buffer.from(encodeItem(item, itemKind)));
  const length = encoded.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([encodeListHead(response as ListHead, length), ...encoded]);
}

/** One event of a watch, after its length; `object` is a body with its envelope. */
export function encodeEvent(type: string, object: Uint8Array): Buffer {
  const writer = new WireWriter(object.length + 64);
  writer.bytesField(RAW_EXTENSION_RAW, object);
  writer.endMessage(EVENT_OBJECT, 0);
  writer.textField(EVENT_TYPE, type);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(writer.length);
  writer.raw(length);
  return writer.finish();
}

const RAW_EXTENSION_RAW = 1;
