/**
 * The messages of etcd's API (`etcdserverpb/rpc.proto`, `mvccpb/kv.proto`), each with the fields that this backend uses.
 * Requests are encoded as gRPC frames.
 *
 * @module
 */
import { WireReader } from "../../wire/encoding/wire-reader.ts";
import { WireWriter } from "../../wire/encoding/wire-writer.ts";
import { frameOf } from "../../grpc/messages.ts";

/** Paths of the gRPC methods. */
export const CALLS = {
  range: "/etcdserverpb.KV/Range",
  put: "/etcdserverpb.KV/Put",
  txn: "/etcdserverpb.KV/Txn",
  compact: "/etcdserverpb.KV/Compact",
  watch: "/etcdserverpb.Watch/Watch",
  status: "/etcdserverpb.Maintenance/Status",
} as const;

/** Bytes for the tags, lengths and numbers of a message, besides keys and values. */
const EXTRA_BYTES = 192;

/** `KeyValue`. */
export interface KeyValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
}

/** `ResponseHeader`. */
export interface Header {
  readonly cluster: bigint;
  readonly revision: number;
}

/** The fields of a `RangeRequest`. */
export interface RangeQuery {
  readonly key: Uint8Array;
  /** The first key after the range; one key alone without it. */
  readonly end?: Uint8Array;
  readonly limit?: number;
  /** The newest by default. */
  readonly revision?: number;
  /** Read from the member alone, without consensus. */
  readonly serializable?: boolean;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

const NOTHING = new Uint8Array(0);

/** `RangeRequest`. */
export function rangeRequest(query: RangeQuery): Buffer {
  const writer = new WireWriter(EXTRA_BYTES + query.key.length + (query.end?.length ?? 0));
  writeRange(writer, query);
  return frameOf(writer);
}

function writeRange(writer: WireWriter, query: RangeQuery): void {
  const { key, end, limit = 0, revision = 0 } = query;
  if (query.countOnly === true) writer.integerField(9, 1);
  if (query.keysOnly === true) writer.integerField(8, 1);
  if (query.serializable === true) writer.integerField(7, 1);
  if (revision > 0) writer.integerField(4, revision);
  if (limit > 0) writer.integerField(3, limit);
  if (end !== undefined) writer.bytesField(2, end);
  writer.bytesField(1, key);
}

/** `PutRequest`. */
export function putRequest(key: Uint8Array, value: Uint8Array): Buffer {
  const writer = new WireWriter(EXTRA_BYTES + key.length + value.length);
  writePut(writer, key, value);
  return frameOf(writer);
}

function writePut(writer: WireWriter, key: Uint8Array, value: Uint8Array): void {
  writer.bytesField(2, value);
  writer.bytesField(1, key);
}

/** A change that is applied only when `key` has the revision `expected` (0: the key does not exist). */
export interface ConditionalChange {
  readonly key: Uint8Array;
  /** undefined: a condition that never holds. */
  readonly expected: number | undefined;
  /** The new value; undefined deletes the key. */
  readonly value: Uint8Array | undefined;
  /** Another key that is written at the same revision. */
  readonly extra?: { readonly key: Uint8Array; readonly value: Uint8Array };
}

const TARGET_VERSION = 0;
const TARGET_MOD = 2;
const RESULT_LESS = 2;

/** `TxnRequest`: applies the changes in order when all conditions hold; otherwise reads the revision of each key. */
export function changeRequest(changes: readonly ConditionalChange[]): Buffer {
  const writer = new WireWriter(changes.reduce((sum, change) => sum + sizeOf(change), 0));
  // The writer writes from the end to the start.
  const backwards = changes.toReversed();
  for (const { key } of backwards) operation(writer, 3, 1, () => writeRange(writer, { key, keysOnly: true }));
  for (const change of backwards) writeChange(writer, change);
  for (const change of backwards) writeCondition(writer, change);
  return frameOf(writer);
}

const sizeOf = ({ key, value, extra }: ConditionalChange): number =>
  EXTRA_BYTES +
  3 * key.length +
  (value?.length ?? 0) +
  (extra === undefined ? 0 : extra.key.length + extra.value.length);

function writeChange(writer: WireWriter, { key, value, extra }: ConditionalChange): void {
  if (extra !== undefined) operation(writer, 2, 2, () => writePut(writer, extra.key, extra.value));
  if (value === undefined) operation(writer, 2, 3, () => writer.bytesField(1, key));
  else operation(writer, 2, 2, () => writePut(writer, key, value));
}

function writeCondition(writer: WireWriter, { key, expected }: ConditionalChange): void {
  const before = writer.length;
  if (expected === undefined) {
    // No key has a version below 0.
    writer.integerField(4, 0);
    writer.bytesField(3, key);
    writer.integerField(2, TARGET_VERSION);
    writer.integerField(1, RESULT_LESS);
  } else {
    writer.integerField(6, expected);
    writer.bytesField(3, key);
    writer.integerField(2, TARGET_MOD);
  }
  writer.endMessage(1, before);
}

/** Writes a `RequestOp` of a `kind` to the list `field` of a transaction. */
function operation(writer: WireWriter, field: number, kind: number, write: () => void): void {
  const before = writer.length;
  write();
  writer.endMessage(kind, before);
  writer.endMessage(field, before);
}

/** `CompactionRequest`. */
export function compactRequest(revision: number): Buffer {
  const writer = new WireWriter(EXTRA_BYTES);
  writer.integerField(1, revision);
  return frameOf(writer);
}

/** `StatusRequest`. */
export const statusRequest = (): Buffer => frameOf(new WireWriter(EXTRA_BYTES));

/** `WatchRequest` for a range of keys, with previous values, and with fragments of large responses. */
export function watchRequest(key: Uint8Array, end: Uint8Array, startRevision: number): Buffer {
  const writer = new WireWriter(EXTRA_BYTES + key.length + end.length);
  writer.integerField(8, 1);
  writer.integerField(6, 1);
  writer.integerField(4, 1);
  writer.integerField(3, startRevision);
  writer.bytesField(2, end);
  writer.bytesField(1, key);
  writer.endMessage(1, 0);
  return frameOf(writer);
}

/** `WatchRequest` for the progress of the watches of a stream. */
export function progressRequest(): Buffer {
  const writer = new WireWriter(EXTRA_BYTES);
  writer.endMessage(3, 0);
  return frameOf(writer);
}

/** `RangeResponse`. */
export interface RangeResponse {
  readonly header: Header;
  readonly records: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

/** Reads a `RangeResponse`. */
export const readRange = (bytes: Uint8Array): RangeResponse => rangeResponse(new WireReader(bytes));

function rangeResponse(reader: WireReader): RangeResponse {
  let header = NO_HEADER;
  const records: KeyValue[] = [];
  let more = false;
  let count = 0;
  while (reader.more) {
    const field = reader.field();
    if (field === 1) header = reader.message(readHeader);
    else if (field === 2) records.push(reader.message(readKeyValue));
    else if (field === 3) more = reader.bool();
    else if (field === 4) count = reader.int64();
    else reader.skip();
  }
  return { header, records, more, count };
}

/** The outcome of {@link ConditionalChange}s in one transaction. */
export interface ChangeResponse {
  readonly succeeded: boolean;
  /** The revision of the changes, or the newest one when they were not applied. */
  readonly revision: number;
  /** When they were not applied the revision of each key, 0 for a key that does not exist. */
  readonly found: readonly number[];
}

/** Reads the `TxnResponse` to a {@link changeRequest}. */
export function readChange(bytes: Uint8Array): ChangeResponse {
  const reader = new WireReader(bytes);
  let header = NO_HEADER;
  let succeeded = false;
  const found: number[] = [];
  while (reader.more) {
    const field = reader.field();
    if (field === 1) header = reader.message(readHeader);
    else if (field === 2) succeeded = reader.bool();
    else if (field === 3 && !succeeded) found.push(reader.message(revisionIn));
    else reader.skip();
  }
  return { succeeded, revision: header.revision, found };
}

/** The revision of the key in a `ResponseOp`, 0 without a key. */
function revisionIn(reader: WireReader): number {
  while (reader.more) {
    const field = reader.field();
    if (field === 1) return reader.message(rangeResponse).records[0]?.modRevision ?? 0;
    reader.skip();
  }
  return 0;
}

/** `StatusResponse`. */
export interface StatusResponse {
  readonly header: Header;
  /** `3.5.13`. */
  readonly version: string;
  readonly bytes: number;
  readonly hasLeader: boolean;
}

/** Reads a `StatusResponse`. */
export function readStatus(response: Uint8Array): StatusResponse {
  const reader = new WireReader(response);
  let header = NO_HEADER;
  let version = "";
  let bytes = 0;
  let hasLeader = false;
  while (reader.more) {
    const field = reader.field();
    if (field === 1) header = reader.message(readHeader);
    else if (field === 2) version = reader.text();
    else if (field === 3) bytes = reader.int64();
    else if (field === 4) hasLeader = reader.bool();
    else reader.skip();
  }
  return { header, version, bytes, hasLeader };
}

/** One change in a `WatchResponse`. */
export interface WatchChange {
  readonly deleted: boolean;
  /** A delete has only key and modRevision. */
  readonly now: KeyValue;
  readonly before: KeyValue | undefined;
}

/** `WatchResponse`. */
export interface WatchResponse {
  readonly header: Header;
  readonly created: boolean;
  readonly canceled: boolean;
  /** The first revision of the history where the watch was cancelled because of it; else 0. */
  readonly compactRevision: number;
  readonly reason: string;
  /** More of the same revision follows. */
  readonly fragment: boolean;
  readonly changes: readonly WatchChange[];
}

/** Reads a `WatchResponse`; leaves the changes out where none is newer than the revision `known` (0 reads all). */
export function readWatch(bytes: Uint8Array, known: number): WatchResponse {
  const reader = new WireReader(bytes);
  const response = {
    header: NO_HEADER,
    created: false,
    canceled: false,
    compactRevision: 0,
    reason: "",
    fragment: false,
    changes: [] as WatchChange[],
  };
  while (reader.more) {
    const field = reader.field();
    if (field === 1) response.header = reader.message(readHeader);
    else if (field === 3) response.created = reader.bool();
    else if (field === 4) response.canceled = reader.bool();
    else if (field === 5) response.compactRevision = reader.int64();
    else if (field === 6) response.reason = reader.text();
    else if (field === 7) response.fragment = reader.bool();
    else if (field === 11 && !isKnown(response.header, known)) response.changes.push(reader.message(readWatchChange));
    else reader.skip();
  }
  return response;
}

/** Whether no change of a response is newer than `known`: the header comes first, and no change is newer than it. */
const isKnown = (header: Header, known: number): boolean => header !== NO_HEADER && header.revision <= known;

function readWatchChange(reader: WireReader): WatchChange {
  let deleted = false;
  let now = NO_KEY_VALUE;
  let before: KeyValue | undefined;
  while (reader.more) {
    const field = reader.field();
    if (field === 1) deleted = reader.bool();
    else if (field === 2) now = reader.message(readKeyValue);
    else if (field === 3) before = reader.message(readKeyValue);
    else reader.skip();
  }
  return { deleted, now, before };
}

const NO_HEADER: Header = { cluster: 0n, revision: 0 };
const NO_KEY_VALUE: KeyValue = { key: NOTHING, value: NOTHING, createRevision: 0, modRevision: 0 };

function readHeader(reader: WireReader): Header {
  let cluster = 0n;
  let revision = 0;
  while (reader.more) {
    const field = reader.field();
    if (field === 1) cluster = reader.uint64();
    else if (field === 3) revision = reader.int64();
    else reader.skip();
  }
  return { cluster, revision };
}

function readKeyValue(reader: WireReader): KeyValue {
  let key: Uint8Array = NOTHING;
  let value: Uint8Array = NOTHING;
  let createRevision = 0;
  let modRevision = 0;
  while (reader.more) {
    const field = reader.field();
    if (field === 1) key = reader.bytes();
    else if (field === 2) createRevision = reader.int64();
    else if (field === 3) modRevision = reader.int64();
    else if (field === 5) value = reader.bytes();
    else reader.skip();
  }
  return { key, value, createRevision, modRevision };
}
