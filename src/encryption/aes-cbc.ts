import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import type { Bytes } from "../storage/contract.ts";
import type { RandomBytes } from "./random.ts";
import { CipherError, type Transformer } from "./transformer.ts";

const BLOCK = 16;

/**
 * The provider aescbc with one key: a random vector before the text, which is filled up by PKCS#7 (CRYPT-5). Nothing tells that a
 * text was changed or moved; a wrong key mostly shows in how the text ends, else in what it says.
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
      if (stored.length <= start) throw new CipherError("expected a vector and a text, got a value that is cut off");
      const decipher = createDecipheriv(algorithm, key, stored.subarray(head.length, start));
      try {
        return Buffer.concat([decipher.update(stored.subarray(start)), decipher.final()]);
      } catch {
        throw new CipherError("the key does not fit the value, or the value is damaged");
      }
    },
  };
}
