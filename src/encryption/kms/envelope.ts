/**
 * The stored form of a value whose key a plugin holds: the encrypted text, and the encrypted seed of its key. It is the protobuf
 * message of kube-apiserver (CRYPT-11):
 *
 *     1 text   2 key id   3 sealed seed   4 annotations (map of bytes)   5 kind of seed (0 key, 1 seed)
 *
 * @module
 */
import type { Bytes } from "../../storage/contract.ts";
import { WireReader } from "../../wire/encoding/wire-reader.ts";
import { WireWriter } from "../../wire/encoding/wire-writer.ts";
import { CipherError } from "../transformer.ts";
import type { SealedSeed } from "./plugin.ts";

/** What a seed is: an AES-GCM key, or the input from which a key for each value is derived. */
export type SeedKind = "key" | "seed";

/** A decoded stored value. */
export interface Envelope {
  readonly text: Bytes;
  readonly seed: SealedSeed;
  readonly kind: SeedKind;
}

const MAX_KEY_ID_BYTES = 1024;
const MAX_SEED_BYTES = 1024;
const MAX_ANNOTATION_BYTES = 32 * 1024;
const MAX_DOMAIN_LENGTH = 253;
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** The error of a sealed seed (CRYPT-12); undefined for a valid one. */
export function wrongSeed({ keyId, ciphertext, annotations }: SealedSeed): string | undefined {
  const wrong = wrongKeyId(keyId);
  if (wrong !== undefined) return wrong;
  if (ciphertext.length === 0 || ciphertext.length > MAX_SEED_BYTES) {
    return `expected a sealed seed of 1 to ${MAX_SEED_BYTES} bytes, got ${ciphertext.length}`;
  }
  let size = 0;
  for (const [name, value] of annotations) {
    if (name.length > MAX_DOMAIN_LENGTH || !DOMAIN.test(name))
      return `expected names of annotations to be domain names, got ${JSON.stringify(name.slice(0, 100))}`;
    size += Buffer.byteLength(name) + value.length;
  }
  return size > MAX_ANNOTATION_BYTES
    ? `expected annotations of at most ${MAX_ANNOTATION_BYTES} bytes, got ${size}`
    : undefined;
}

/** The error of a key id; undefined for a valid one. */
export function wrongKeyId(keyId: string): string | undefined {
  const size = Buffer.byteLength(keyId);
  return size === 0 || size > MAX_KEY_ID_BYTES
    ? `expected a key id of 1 to ${MAX_KEY_ID_BYTES} bytes, got ${size}`
    : undefined;
}

/** Encodes an envelope. */
export function encodeEnvelope({ text, seed, kind }: Envelope): Buffer {
  const writer = new WireWriter(text.length + seed.ciphertext.length + seed.keyId.length + 64);
  if (kind === "seed") writer.integerField(5, 1);
  writeAnnotations(writer, 4, seed.annotations);
  writer.bytesField(3, seed.ciphertext);
  writer.textField(2, seed.keyId);
  writer.bytesField(1, text);
  return writer.finish();
}

/** Decodes an envelope. @throws CipherError */
export function decodeEnvelope(bytes: Bytes): Envelope {
  let text: Bytes = Buffer.alloc(0);
  let ciphertext: Bytes = Buffer.alloc(0);
  let keyId = "";
  let kind = 0;
  const annotations = new Map<string, Bytes>();
  try {
    const reader = new WireReader(bytes);
    while (reader.more) {
      const field = reader.field();
      if (field === 1) text = reader.bytes();
      else if (field === 2) keyId = reader.text();
      else if (field === 3) ciphertext = reader.bytes();
      else if (field === 4) reader.message((entry) => readAnnotation(entry, annotations));
      else if (field === 5) kind = reader.int32();
      else reader.skip();
    }
  } catch {
    throw new CipherError("expected the envelope of a plugin, got a value that is damaged");
  }
  const seed = { keyId, ciphertext, annotations };
  const wrong = text.length === 0 ? "expected a text" : wrongSeed(seed);
  if (wrong !== undefined || kind < 0 || kind > 1) {
    throw new CipherError(`the envelope is damaged: ${wrong ?? "it has an unknown kind of seed"}`);
  }
  return { text, seed, kind: kind === 1 ? "seed" : "key" };
}

/** Writes annotations as a protobuf map, in the order of their names. */
export function writeAnnotations(writer: WireWriter, field: number, annotations: ReadonlyMap<string, Bytes>): void {
  for (const [name, value] of [...annotations].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
    const before = writer.length;
    writer.bytesField(2, value);
    writer.textField(1, name);
    writer.endMessage(field, before);
  }
}

/** Reads one entry of a protobuf map of annotations; the size of the message bounds their number. */
export function readAnnotation(reader: WireReader, into: Map<string, Bytes>): void {
  let name = "";
  let value: Bytes = Buffer.alloc(0);
  while (reader.more) {
    const field = reader.field();
    if (field === 1) name = reader.text();
    else if (field === 2) value = Buffer.from(reader.bytes());
    else reader.skip();
  }
  into.set(name, value);
}
