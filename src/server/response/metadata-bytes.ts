/**
 * The metadata of an object, cut out of its bytes.
 * Served bytes begin with `{"kind":…,"apiVersion":…,"metadata":{` (see the registry's codec), so an object with metadata only is made
 * without parsing: a different head and the same bytes of metadata.
 *
 * @module
 */
import { endOfValue } from "../../value/json-member.ts";

const KEY = Buffer.from('"metadata":');
const CLOSE = 0x7d;

/** A PartialObjectMetadata with the metadata of an object. */
export function partialBytes(bytes: Uint8Array, version: string): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = headFor(version);
  const start = buffer.indexOf(KEY) + KEY.length;
  const end = endOfValue(buffer, start);
  const partial = Buffer.allocUnsafe(head.length + (end - start) + 1);
  partial.set(head);
  partial.set(buffer.subarray(start, end), head.length);
  partial[partial.length - 1] = CLOSE;
  return partial;
}

const heads = new Map<string, Buffer>();

function headFor(version: string): Buffer {
  let head = heads.get(version);
  if (!head) {
    head = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`);
    heads.set(version, head);
  }
  return head;
}
