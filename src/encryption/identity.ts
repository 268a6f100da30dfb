import { CipherError, type Transformer, isEncrypted } from "./transformer.ts";

/** Stores values as they are, and refuses to read encrypted ones (CRYPT-4). */
export const identity: Transformer = {
  prefix: Buffer.alloc(0),
  provider: "",
  encrypt: (plain) => Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength),
  decrypt(stored) {
    if (isEncrypted(stored)) throw new CipherError("expected a value that is not encrypted, got one that is");
    return stored;
  },
};
