import { type KeyObject, createHmac, createSecretKey } from "node:crypto";
import type { Bytes } from "../../storage/contract.ts";
import { openGcm, sealGcm } from "../aes-gcm.ts";
import type { RandomBytes } from "../random.ts";
import { CipherError } from "../transformer.ts";
import type { SeedKind } from "./envelope.ts";

/** Bytes of a seed, of what is drawn for each value, and of a derived key. */
export const SEED = 32;
const INFO = 32;
const NONCE = 12;
const FIRST_BLOCK = Buffer.of(1);

/**
 * Encrypts and decrypts with what a plugin has opened. Of a seed a key is derived for each value, by HKDF (RFC 5869, expand
 * alone) of 32 random bytes that stand before the text, so that no key is used twice (CRYPT-11).
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

  /** The text of a value, bound to its place. */
  encrypt(plain: Bytes, place: string, random: RandomBytes): Buffer {
    const info = random(INFO);
    return Buffer.concat([info, ...sealGcm(this.#derived(info), random(NONCE), plain, place)]);
  }

  /** The value of a text. @throws CipherError */
  decrypt(text: Bytes, place: string): Buffer {
    if (this.kind === "key") return openGcm(this.#secret, text, place);
    if (text.length < INFO) throw new CipherError("expected 32 bytes before the text, got a value that is cut off");
    return openGcm(this.#derived(text.subarray(0, INFO)), text.subarray(INFO), place);
  }

  #derived(info: Bytes): KeyObject {
    return createSecretKey(createHmac("sha256", this.#secret).update(info).update(FIRST_BLOCK).digest());
  }
}
