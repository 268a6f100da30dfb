/**
 * Documents that change rarely, as they are sent: in pieces, with a hash by which clients know what they have.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** Pieces, and a hash that is another one when what they say is. */
export interface HashedDocument {
  /** Of SHA-512, in upper-case hexadecimal, as clients of kube-apiserver see it. */
  readonly hash: string;
  /** The document in its order; each piece takes a moment to make at most. */
  pieces(): Iterable<Buffer>;
}

/** A document in one piece. */
export const hashed = (bytes: Buffer): HashedDocument => ({
  hash: hashText(createHash("sha512").update(bytes)),
  pieces: () => [bytes],
});

/** A hash as documents carry it. */
export const hashText = (hash: ReturnType<typeof createHash>): string => hash.digest("hex").toUpperCase();
