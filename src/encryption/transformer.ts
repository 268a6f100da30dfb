/**
 * Encryption at rest: what a stored value looks like, and who can write and read it.
 *
 * A value that is encrypted begins with a prefix that names the provider, its version and its key, `k8s:enc:aesgcm:v1:key1:`; a
 * value that is not begins with whatever an object begins with. The forms are those of kube-apiserver, byte for byte
 * (CRYPT-4). This room knows bytes and keys of the store; it knows no objects, opens no file and no socket.
 *
 * @module
 */
import type { Bytes } from "../storage/contract.ts";

/** What every value that is encrypted begins with (CRYPT-4). */
export const ENCRYPTED = "k8s:enc:";

const ENCRYPTED_BYTES = Buffer.from(ENCRYPTED);

/** Whether a stored value says of itself that it is encrypted. */
export const isEncrypted = (value: Bytes): boolean => startsWith(value, ENCRYPTED_BYTES);

/** Whether bytes begin with others. */
export function startsWith(value: Bytes, beginning: Bytes): boolean {
  if (value.length < beginning.length) return false;
  for (let i = 0; i < beginning.length; i++) if (value[i] !== beginning[i]) return false;
  return true;
}

/** Writes and reads the values of one key of one provider. */
export interface Transformer {
  /** What its values begin with; empty for plain ones. */
  readonly prefix: Buffer;
  /** The part of the prefix that names provider and version, as metrics tell it: `k8s:enc:aesgcm:v1:`. */
  readonly provider: string;
  /** Set where a damaged value may be decrypted to another text: it is looked whether that can be an object. */
  readonly unproven?: true;
  /**
   * The stored form of a value, prefix included.
   *
   * @param key where it is stored; some providers bind the text to it (CRYPT-6)
   * @throws CipherError when it cannot be written now
   */
  encrypt(plain: Bytes, key: string): Buffer;
  /**
   * The value of a stored form that begins with {@link Transformer.prefix}; a promise where somebody else must be asked.
   *
   * @throws CipherError (or rejects with it) when it cannot be read
   */
  decrypt(stored: Bytes, key: string): Bytes | Promise<Bytes>;
  /** Whether a stored form that begins with the prefix would be written with other means today; without it none would. */
  isOutdated?(stored: Bytes): boolean;
}

/** Why a value cannot be written or read; the message names providers and keys, never their secrets or the text (CRYPT-9). */
export class CipherError extends Error {
  override readonly name = "CipherError";
}
