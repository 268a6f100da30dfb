/**
 * Documents that change rarely: they carry a hash of their bytes, and a client that has them is told so with 304.
 *
 * @module
 */
import type { ServerContext } from "../request/context.ts";
import { answerPieces } from "../answer/answer-pieces.ts";
import type { HashedDocument } from "./document.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers with a document, or with 304 when the client has it. `more` are further headers. */
export function answerDocument(
  server: ServerContext,
  request: ServerRequest,
  document: HashedDocument | Promise<HashedDocument>,
  type: string,
  more: Readonly<Record<string, string>> = {},
): void | Promise<void> {
  if (document instanceof Promise) return document.then((made) => answerDocument(server, request, made, type, more));
  const etag = `"${document.hash}"`;
  const sent = request.exchange.header("if-none-match");
  if (sent !== "" && sent.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)) {
    const headers = request.headers(type);
    delete headers["content-type"];
    request.respond(304, { ...headers, ...more, etag, vary: "Accept" });
    return;
  }
  return answerPieces(server, request, 200, document.pieces(), type, { ...more, etag, vary: "Accept" });
}
