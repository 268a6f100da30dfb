/**
 * Documents that change rarely: they are sent in pieces with a hash of their bytes, and a client that has them gets 304.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { respondWithPieces } from "../response/respond.ts";
import type { HttpResponse } from "../request/response.ts";

/** A document in pieces, and a hash that changes with it. */
export interface HashedDocument {
  /** Of SHA-512, in upper-case hexadecimal, as clients of kube-apiserver see it. */
  readonly hash: string;
  /** The document in its order; each piece is made within a slice. */
  pieces(): Iterable<Buffer>;
}

/** A document in one piece. */
export const hashed = (bytes: Buffer): HashedDocument => ({
  hash: hashText(createHash("sha512").update(bytes)),
  pieces: () => [bytes],
});

/** A hash as documents carry it. */
export const hashText = (hash: ReturnType<typeof createHash>): string => hash.digest("hex").toUpperCase();

/** Responds with a document, or with 304 when the client has it. `more` are further headers. */
export function respondWithDocument(
  response: HttpResponse,
  document: HashedDocument | Promise<HashedDocument>,
  type: string,
  more: Readonly<Record<string, string>> = {},
): void | Promise<void> {
  if (document instanceof Promise) return document.then((made) => respondWithDocument(response, made, type, more));
  const etag = `"${document.hash}"`;
  const sent = response.incoming.sent.header("if-none-match");
  if (sent !== "" && sent.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)) {
    response.respond(304, { ...response.headers(""), ...more, etag, vary: "Accept" });
    return;
  }
  return respondWithPieces(response, 200, document.pieces(), type, { ...more, etag, vary: "Accept" });
}
