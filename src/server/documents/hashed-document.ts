import { createHash } from "node:crypto";

/** Bytes and their hash. */
export interface HashedDocument {
  readonly bytes: Buffer;
  /** SHA-512 in upper-case hexadecimal, as clients of kube-apiserver see it. */
  readonly hash: string;
}

/** Hashes a document. */
export const hashed = (bytes: Buffer): HashedDocument => ({
  bytes,
  hash: createHash("sha512").update(bytes).digest("hex").toUpperCase(),
});
