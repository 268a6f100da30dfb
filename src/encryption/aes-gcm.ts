import { type KeyObject, createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import type { Bytes } from "../storage/contract.ts";
import type { RandomBytes } from "./random.ts";
import { CipherError, type Transformer } from "./transformer.ts";

const NONCE = 12;
const TAG = 16;

/** AES-GCM for the size of a key. */
const algorithmOf = (key: KeyObject): "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" =>
  key.symmetricKeySize === 16 ? "aes-128-gcm" : key.symmetricKeySize === 24 ? "aes-192-gcm" : "aes-256-gcm";

/** Encrypts a text with AES-GCM, bound to its key in the store (CRYPT-6); returns nonce, text and tag. */
export function sealGcm(key: KeyObject, nonce: Bytes, plain: Bytes, storeKey: string): Bytes[] {
  const cipher = createCipheriv(algorithmOf(key), key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(storeKey));
  return [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
}

/**
 * Decrypts the joined parts of {@link sealGcm}.
 *
 * @throws CipherError for another key, another store key or a changed byte
 */
export function openGcm(key: KeyObject, sealed: Bytes, storeKey: string): Buffer {
  if (sealed.length < NONCE + TAG) throw new CipherError("expected a nonce and a tag, got a truncated value");
  const decipher = createDecipheriv(algorithmOf(key), key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(storeKey));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  // `update` returns the whole text in new memory; `final` only checks the tag.
  const plain = decipher.update(sealed.subarray(NONCE, sealed.length - TAG));
  try {
    decipher.final();
  } catch {
    throw new CipherError("the key does not fit the value, or the value is damaged or was moved from another place");
  }
  return plain;
}

/** The provider aesgcm with one key: a random nonce of 12 bytes, then the text (CRYPT-5, CRYPT-6). */
export function aesGcm(prefix: string, provider: string, secret: Bytes, random: RandomBytes): Transformer {
  const key = createSecretKey(secret);
  const head = Buffer.from(prefix);
  return {
    prefix: head,
    provider,
    encrypt: (plain, storeKey) => Buffer.concat([head, ...sealGcm(key, random(NONCE), plain, storeKey)]),
    decrypt: (stored, storeKey) => openGcm(key, stored.subarray(head.length), storeKey),
  };
}
