/**
 * How an object becomes bytes, once, and how entries of the cache show them.
 * Stored bytes are the JSON text of the object in the version in which it was written, beginning with
 * `{"kind":K,"apiVersion":V,"metadata":{` and without resourceVersion: the revision is known only after the write. That version is read
 * from the head of each record, since a prefix may have records of several versions. When a record enters the cache its revision is
 * inserted right after that head. From then on `get`, `list` and `watch` send these bytes to clients that request that version. For a
 * ConfigMap `c` written at revision 7:
 *
 *     stored  {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"k":"v"}}
 *     served  {"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7","name":"c"},"data":{"k":"v"}}
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { CacheResource, Entry } from "../../cache/index.ts";
import { storageUnreadable } from "../../meta/status.ts";
import type { Bytes } from "../../storage/contract.ts";
import { exactText, parseExactText } from "../../value/exact-text.ts";
import { memberRange } from "../../value/json-member.ts";

const decoder = new TextDecoder();

/** The bytes before the members of `metadata` for one kind and version. */
export const headOf = (kind: string, apiVersion: string): string =>
  `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`;

/** The JSON text of an object in the order of {@link headOf}, without its resourceVersion. */
export function textOf(object: ApiObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  // Stringify omits `undefined` members, so the version need not be deleted from the object.
  return exactText({ kind, apiVersion, metadata: { ...metadata, resourceVersion: undefined }, ...rest });
}

/** The bytes that are stored for an object. */
export const encodeObject = (object: ApiObject): Buffer => keptBytes(textOf(object));

/**
 * The bytes of a text that are kept for longer than a request, in memory of their own: small Buffers share a block, and one that is kept
 * keeps the block alive.
 */
export function keptBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function ownBytes(bytes: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** The head of a record: the version in which it was written, and where the members of its metadata begin. */
interface Head {
  readonly apiVersion: string;
  readonly bytes: Buffer;
}

const METADATA = Buffer.from('"metadata":{', "latin1");
/** Heads by their text: there are as many as kinds and versions, but definitions may be added and removed. */
const heads = new Map<string, Head>();
const MOST_HEADS = 4096;
/** Names of kinds and versions are shorter. */
const LONGEST_HEAD = 1024;

/**
 * The head of a record, which this program wrote and which is short. A record without one was not written by this program, or was encrypted
 * with a missing key (CRYPT-9): undefined.
 */
function headOfRecord(record: Bytes): Head | undefined {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  const length = endOfHead(bytes);
  if (length === undefined) return undefined;
  const text = bytes.toString("latin1", 0, length);
  let head = heads.get(text);
  if (!head) {
    const apiVersion = apiVersionIn(bytes.toString("utf8", 0, length));
    if (apiVersion === undefined) return undefined;
    head = { apiVersion, bytes: ownBytes(bytes.subarray(0, length)) };
    if (length > LONGEST_HEAD) return head;
    if (heads.size >= MOST_HEADS) heads.clear();
    heads.set(text, head);
  }
  return head;
}

function apiVersionIn(head: string): string | undefined {
  try {
    const { apiVersion } = JSON.parse(`${head}}}`) as { apiVersion?: unknown };
    return typeof apiVersion === "string" ? apiVersion : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a record has this head: a head ends where the members of its metadata begin, so none is a prefix of another. */
function hasHead(record: Bytes, { bytes }: Head): boolean {
  for (let i = 0; i < bytes.length; i++) if (record[i] !== bytes[i]) return false;
  return true;
}

function endOfHead(bytes: Buffer): number | undefined {
  if (!hasBeginning(bytes)) return undefined;
  for (let i = bytes.indexOf(0x6d); i > 0; i = bytes.indexOf(0x6d, i + 1)) {
    if (bytes.compare(METADATA, 1, METADATA.length, i, i + METADATA.length - 1) === 0) return i + METADATA.length - 1;
  }
  return undefined;
}

const BEGINNING = Buffer.from('{"kind":"', "latin1");
const hasBeginning = (bytes: Buffer): boolean =>
  bytes.compare(BEGINNING, 0, BEGINNING.length, 0, BEGINNING.length) === 0;

/** The bytes on the wire: `stored` with the version inserted at `head` bytes. */
function withVersion(stored: Bytes, head: number, revision: number): Buffer {
  const member = `"resourceVersion":"${revision}",`;
  const bytes = Buffer.allocUnsafeSlow(stored.length + member.length);
  bytes.set(stored.subarray(0, head), 0);
  bytes.write(member, head, "latin1");
  bytes.set(stored.subarray(head), head + member.length);
  return bytes;
}

/** Parses bytes of this program; they were checked when they were written. */
export const decodeObject = (bytes: Uint8Array): ApiObject =>
  parseExactText(decoder.decode(bytes)) as unknown as ApiObject;

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});
const LABELS = Buffer.from('"labels"', "latin1");

/** A version of an object in the cache; parsed on the first use of a label, a field or a view. */
export class ObjectEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
  readonly #head: Head;
  #labels: Readonly<Record<string, string>> | undefined;

  private constructor(key: string, revision: number, bytes: Buffer, head: Head) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
    this.#head = head;
  }

  /** The entry of a record: its bytes, with the version put in. */
  static of(key: string, record: Bytes, revision: number, head: Head): ObjectEntry {
    return new ObjectEntry(key, revision, withVersion(record, head.bytes.length, revision), head);
  }

  /** The version in which the object was written. */
  get apiVersion(): string {
    return this.#head.apiVersion;
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= this.#readLabels());
  }

  /** A selector by label reads the labels of every object; the rest of them is not parsed for that. */
  #readLabels(): Readonly<Record<string, string>> {
    const place = memberRange(this.bytes, this.#head.bytes.length, LABELS);
    if (!place) return NO_LABELS;
    const labels = parseExactText(this.bytes.toString("utf8", place.from, place.to));
    return (labels as Readonly<Record<string, string>> | null) ?? NO_LABELS;
  }

  /** The same state under a later revision: only the version in the bytes changes. */
  restamp(revision: number): ObjectEntry {
    const { length } = this.#head.bytes;
    const old = `"resourceVersion":"${this.revision}",`.length;
    const record = Buffer.concat([this.bytes.subarray(0, length), this.bytes.subarray(length + old)]);
    return new ObjectEntry(this.key, revision, withVersion(record, length, revision), this.#head);
  }
}

/** A record that cannot be read as an object; its bytes are kept, so that it can be removed. */
class UnreadableEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Uint8Array = NO_BYTES;
  readonly labels: Readonly<Record<string, string>> = NO_LABELS;
  readonly unreadable = true;
  readonly stored: Bytes;

  constructor(key: string, revision: number, stored: Bytes) {
    this.key = key;
    this.revision = revision;
    this.stored = stored;
  }
}

const NO_BYTES = new Uint8Array();

const entryWith = (key: string, record: Bytes, revision: number, head: Head | undefined): Entry =>
  head ? ObjectEntry.of(key, record, revision, head) : new UnreadableEntry(key, revision, record);

/** The entry of a record. */
export const entryOf = (key: string, record: Bytes, revision: number): Entry =>
  entryWith(key, record, revision, headOfRecord(record));

/** The version in which the object of an entry was written. @throws ApiError where it cannot be read */
export function versionOf(entry: Entry): string {
  if (entry.unreadable) throw storageUnreadable(entry.key);
  return (entry as ObjectEntry).apiVersion;
}

/** The stored bytes of an unreadable entry. */
export const storedBytes = (entry: Entry): Bytes | undefined =>
  entry instanceof UnreadableEntry ? entry.stored : undefined;

/** How the cache keeps the records of any resource under a prefix: the records themselves contain what differs between kinds. */
export function cacheResource(prefix: string): CacheResource {
  // Most records of a resource have the same head.
  let last: Head | undefined;
  return {
    prefix,
    factory(key, record, revision) {
      if (last && hasHead(record, last)) return ObjectEntry.of(key, record, revision, last);
      const head = headOfRecord(record);
      if (head) last = head;
      return entryWith(key, record, revision, head);
    },
    restamp: (entry, revision) => (entry as ObjectEntry).restamp(revision),
  };
}
