/**
 * Encryption at rest: the forms of stored values, and their transformers.
 *
 * An encrypted value begins with a prefix that names the provider, its version and its key: `k8s:enc:aesgcm:v1:key1:`. Other
 * values have no such prefix. The forms are those of kube-apiserver, byte for byte (CRYPT-4). This room knows bytes and store
 * keys; it knows no objects, opens no file and no socket.
 *
 * @module
 */
import type { Bytes } from "../storage/contract.ts";

/** The beginning of every encrypted value (CRYPT-4). */
export const ENCRYPTED = "k8s:enc:";

const ENCRYPTED_BYTES = Buffer.from(ENCRYPTED);

/** Whether a stored value has the prefix of encrypted values. */
export const isEncrypted = (value: Bytes): boolean => startsWith(value, ENCRYPTED_BYTES);

/** Whether bytes begin with others. */
export function startsWith(value: Bytes, beginning: Bytes): boolean {
  if (value.length < beginning.length) return false;
  for (let i = 0; i < beginning.length; i++) if (value[i] !== beginning[i]) return false;
  return true;
}

/** Encrypts and decrypts values with one key of one provider. */
export interface Transformer {
  /** The beginning of its values; empty for plain ones. */
  readonly prefix: Buffer;
  /** The part of the prefix with provider and version, a label of metrics: `k8s:enc:aesgcm:v1:`. */
  readonly provider: string;
  /** Set where there is no authentication; the chain then checks that a decrypted value can be an object. */
  readonly unproven?: true;
  /**
   * Encrypts a value; returns its stored form with the prefix.
   *
   * @param key in the store; some providers bind the text to it (CRYPT-6)
   * @throws CipherError
   */
  encrypt(plain: Bytes, key: string): Buffer;
  /**
   * Decrypts a stored form that begins with {@link Transformer.prefix}; returns a promise where a plugin has to be called.
   *
   * @throws CipherError, or rejects with it
   */
  decrypt(stored: Bytes, key: string): Bytes | Promise<Bytes>;
  /** Whether a stored form with this prefix would be written with another key now; by default none would. */
  isOutdated?(stored: Bytes): boolean;
}

/** Why a value cannot be encrypted or decrypted; the message names providers and keys, never secrets or texts (CRYPT-9). */
export class CipherError extends Error {
  override readonly name = "CipherError";
}

/** The error of a failed authentication. */
export const wrongKey = (): CipherError => new CipherError("the key does not fit the value, or the value is damaged");
