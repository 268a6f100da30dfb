import { type KeyObject, createHmac, createSecretKey } from "node:crypto";
import type { Bytes } from "../../storage/contract.ts";
import { openGcm, sealGcm } from "../aes-gcm.ts";
import type { RandomBytes } from "../random.ts";
import { CipherError } from "../transformer.ts";
import type { SeedKind } from "./envelope.ts";

/** Bytes of a seed and of a derived key; of the random input for each value; of a nonce. */
export const SEED = 32;
const INFO = 32;
const NONCE = 12;
const FIRST_BLOCK = Buffer.of(1);

/**
 * Encrypts and decrypts with the secret of a plugin. HKDF (RFC 5869, expand only) derives a key for each value from 32 random
 * bytes before the text, so that no key is used twice (CRYPT-11).
 */
export class SeedKey {
  readonly kind: SeedKind;
  readonly #secret: KeyObject;

  /** @throws CipherError for a secret of a wrong size */
  constructor(kind: SeedKind, secret: Bytes) {
    const fits = kind === "seed" ? secret.length >= SEED : [16, 24, 32].includes(secret.length);
    if (!fits) throw new CipherError(`expected the plugin to open a ${kind}, got ${secret.length} bytes`);
    this.kind = kind;
    this.#secret = createSecretKey(secret);
  }

  /** Encrypts a value, bound to its key in the store. */
  encrypt(plain: Bytes, storeKey: string, random: RandomBytes): Buffer {
    const info = random(INFO);
    return Buffer.concat([info, ...sealGcm(this.#derived(info), random(NONCE), plain, storeKey)]);
  }

  /** Decrypts a text. @throws CipherError */
  decrypt(text: Bytes, storeKey: string): Buffer {
    if (this.kind === "key") return openGcm(this.#secret, text, storeKey);
    if (text.length < INFO) throw new CipherError("expected 32 bytes before the text, got a truncated value");
    return openGcm(this.#derived(text.subarray(0, INFO)), text.subarray(INFO), storeKey);
  }

  #derived(info: Bytes): KeyObject {
    return createSecretKey(createHmac("sha256", this.#secret).update(info).update(FIRST_BLOCK).digest());
  }
}
