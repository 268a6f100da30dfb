import { type KeyObject, createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import type { Bytes } from "../storage/contract.ts";
import type { RandomBytes } from "./random.ts";
import { CipherError, type Transformer } from "./transformer.ts";

const NONCE = 12;
const TAG = 16;

/** AES-GCM by the size of its key; the two that a key can be made of. */
const algorithmOf = (key: KeyObject): "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" =>
  key.symmetricKeySize === 16 ? "aes-128-gcm" : key.symmetricKeySize === 24 ? "aes-192-gcm" : "aes-256-gcm";

/** The pieces of a text sealed by AES-GCM, bound to where it is stored (CRYPT-6): nonce, text, tag. */
export function sealGcm(key: KeyObject, nonce: Bytes, plain: Bytes, place: string): Bytes[] {
  const cipher = createCipheriv(algorithmOf(key), key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(place));
  return [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
}

/**
 * The text of what {@link sealGcm} gave, put together.
 *
 * @throws CipherError for another key, another place or a byte that has changed
 */
export function openGcm(key: KeyObject, sealed: Bytes, place: string): Buffer {
  if (sealed.length < NONCE + TAG) throw new CipherError("expected a nonce and a tag, got a value that is cut off");
  const decipher = createDecipheriv(algorithmOf(key), key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  // The whole text comes from `update`, into memory of its own; the check is what `final` does.
  const plain = decipher.update(sealed.subarray(NONCE, sealed.length - TAG));
  try {
    decipher.final();
  } catch {
    throw new CipherError("the key does not fit the value, or the value is damaged or was moved from another place");
  }
  return plain;
}

/** The provider aesgcm with one key: a random nonce of 12 bytes before the text (CRYPT-5, CRYPT-6). */
export function aesGcm(prefix: string, provider: string, secret: Bytes, random: RandomBytes): Transformer {
  const key = createSecretKey(secret);
  const head = Buffer.from(prefix);
  return {
    prefix: head,
    provider,
    encrypt: (plain, place) => Buffer.concat([head, ...sealGcm(key, random(NONCE), plain, place)]),
    decrypt: (stored, place) => openGcm(key, stored.subarray(head.length), place),
  };
}
