import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import type { Bytes } from "../storage/contract.ts";
import type { RandomBytes } from "./random.ts";
import { CipherError, type Transformer, wrongKey } from "./transformer.ts";

const BLOCK = 16;

/**
 * The provider aescbc with one key: a random vector, then the text with PKCS#7 padding (CRYPT-5). It has no authentication: a
 * wrong key mostly shows in the padding, otherwise in the text.
 */
export function aesCbc(prefix: string, provider: string, secret: Bytes, random: RandomBytes): Transformer {
  const key = createSecretKey(secret);
  const algorithm = `aes-${secret.length * 8}-cbc`;
  const head = Buffer.from(prefix);
  return {
    prefix: head,
    provider,
    unproven: true,
    encrypt(plain) {
      const vector = random(BLOCK);
      const cipher = createCipheriv(algorithm, key, vector);
      return Buffer.concat([head, vector, cipher.update(plain), cipher.final()]);
    },
    decrypt(stored) {
      const start = head.length + BLOCK;
      if (stored.length <= start) throw new CipherError("expected a vector and a text, got a truncated value");
      const decipher = createDecipheriv(algorithm, key, stored.subarray(head.length, start));
      try {
        return Buffer.concat([decipher.update(stored.subarray(start)), decipher.final()]);
      } catch {
        throw wrongKey();
      }
    },
  };
}
