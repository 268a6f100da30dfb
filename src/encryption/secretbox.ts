import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import type { Bytes } from "../storage/contract.ts";
import type { RandomBytes } from "./random.ts";
import { CipherError, type Transformer } from "./transformer.ts";

const NONCE = 24;
const TAG = 16;

/** The provider secretbox with one key: XSalsa20 and Poly1305, a random nonce of 24 bytes before the box (CRYPT-5). */
export function secretbox(prefix: string, provider: string, secret: Bytes, random: RandomBytes): Transformer {
  const head = Buffer.from(prefix);
  return {
    prefix: head,
    provider,
    encrypt(plain) {
      const nonce = random(NONCE);
      return Buffer.concat([head, nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)]);
    },
    decrypt(stored) {
      const start = head.length + NONCE;
      if (stored.length < start + TAG) throw new CipherError("expected a nonce and a tag, got a value that is cut off");
      try {
        return xsalsa20poly1305(secret, stored.subarray(head.length, start)).decrypt(stored.subarray(start));
      } catch {
        throw new CipherError("the key does not fit the value, or the value is damaged");
      }
    },
  };
}
