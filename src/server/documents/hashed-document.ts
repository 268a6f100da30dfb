import { createHash } from "node:crypto";

/** Bytes, and a hash that is another one when they are. */
export interface HashedDocument {
  readonly bytes: Buffer | readonly Buffer[];
  /** Of SHA-512, in upper-case hexadecimal, as clients of kube-apiserver see it. */
  readonly hash: string;
}

/** Hashes a document. */
export const hashed = (bytes: Buffer): HashedDocument & { readonly bytes: Buffer } => ({
  bytes,
  hash: createHash("sha512").update(bytes).digest("hex").toUpperCase(),
});
