import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import type { Bytes } from "../storage/contract.ts";
import type { RandomBytes } from "./random.ts";
import { CipherError, type Transformer, wrongKey } from "./transformer.ts";

const NONCE = 24;
const TAG = 16;

/** The provider secretbox with one key: a random nonce of 24 bytes, then the text in XSalsa20 and Poly1305 (CRYPT-5). */
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
      if (stored.length < start + TAG) throw new CipherError("expected a nonce and a tag, got a truncated value");
      try {
        return xsalsa20poly1305(secret, stored.subarray(head.length, start)).decrypt(stored.subarray(start));
      } catch {
        throw wrongKey();
      }
    },
  };
}
