/**
 * How an object becomes bytes, once, and how entries of the cache show them.
 *
 * Stored bytes are the JSON text of the object in its stored version, beginning with
 * `{"kind":K,"apiVersion":V,"metadata":{` and without resourceVersion: the revision is known only after the write. When a record
 * enters the cache its version is put in right after that head, and from then on the bytes are what `get`, `list` and
 * `watch` send. For a ConfigMap `c` written at revision 7:
 *
 *     stored  {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},"data":{"k":"v"}}
 *     served  {"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7","name":"c"},"data":{"k":"v"}}
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Entry } from "../cache/index.ts";
import type { Bytes } from "../storage/contract.ts";

const decoder = new TextDecoder();

/** The members that selectors may name, by name. */
export type FieldReaders = Readonly<Record<string, (object: ApiObject) => string>>;

/** The bytes before the members of `metadata` for one kind and version. */
export const headOf = (kind: string, apiVersion: string): string =>
  `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`;

/** The JSON text of an object in the order of {@link headOf}, without its resourceVersion. */
export function textOf(object: ApiObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  // `undefined` members are left out by stringify, so the version need not be deleted from the object.
  return JSON.stringify({ kind, apiVersion, metadata: { ...metadata, resourceVersion: undefined }, ...rest });
}

/** The bytes that are stored for an object. */
export const encodeObject = (object: ApiObject): Buffer => Buffer.from(textOf(object), "utf8");

/** The bytes on the wire: `stored` with the version put in at `head` bytes. */
export function withVersion(stored: Bytes, head: number, revision: number): Buffer {
  const member = `"resourceVersion":"${revision}",`;
  const bytes = Buffer.allocUnsafeSlow(stored.length + member.length);
  bytes.set(stored.subarray(0, head), 0);
  bytes.write(member, head, "latin1");
  bytes.set(stored.subarray(head), head + member.length);
  return bytes;
}

/** Parses bytes of ours; they were checked when they were written. */
export const decodeObject = (bytes: Uint8Array): ApiObject => JSON.parse(decoder.decode(bytes)) as ApiObject;

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

/** A version of an object in the cache. The object is parsed when a label, a field or a view is first asked for. */
export class ObjectEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer;
  readonly #fields: FieldReaders;
  #labels: Readonly<Record<string, string>> | undefined;
  #values: Record<string, string> | undefined;
  #memo: Map<unknown, unknown> | undefined;

  constructor(key: string, revision: number, bytes: Buffer, fields: FieldReaders, object?: ApiObject) {
    this.key = key;
    this.revision = revision;
    this.bytes = bytes;
    this.#fields = fields;
    if (object) this.#labels = object.metadata.labels ?? NO_LABELS;
  }

  get labels(): Readonly<Record<string, string>> {
    return (this.#labels ??= decodeObject(this.bytes).metadata.labels ?? NO_LABELS);
  }

  get memo(): Map<unknown, unknown> {
    return (this.#memo ??= new Map());
  }

  field(name: string): string {
    this.#values ??= this.#read();
    return this.#values[name] ?? "";
  }

  #read(): Record<string, string> {
    const object = decodeObject(this.bytes);
    const values: Record<string, string> = {
      "metadata.name": object.metadata.name ?? "",
      "metadata.namespace": object.metadata.namespace ?? "",
    };
    for (const name of Object.keys(this.#fields)) values[name] = this.#fields[name]!(object);
    return values;
  }
}

/** The same state under a later revision: only the version in the bytes changes. */
export function restamp(entry: Entry, head: number, revision: number, fields: FieldReaders): ObjectEntry {
  const old = `"resourceVersion":"${entry.revision}",`.length;
  const { bytes } = entry;
  const stored = Buffer.concat([bytes.subarray(0, head), bytes.subarray(head + old)]);
  return new ObjectEntry(entry.key, revision, withVersion(stored, head, revision), fields);
}
