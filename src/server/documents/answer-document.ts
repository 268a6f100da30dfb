/**
 * Documents that change rarely: they have a hash of their bytes, and a client that has them gets 304.
 *
 * @module
 */
import type { ServerContext } from "../request/context.ts";
import { answerPieces } from "../answer/answer-pieces.ts";
import type { HashedDocument } from "./document.ts";
import type { HttpResponse } from "../request/response.ts";

/** Answers with a document, or with 304 when the client has it. `more` are further headers. */
export function answerDocument(
  server: ServerContext,
  response: HttpResponse,
  document: HashedDocument | Promise<HashedDocument>,
  type: string,
  more: Readonly<Record<string, string>> = {},
): void | Promise<void> {
  if (document instanceof Promise) return document.then((made) => answerDocument(server, response, made, type, more));
  const etag = `"${document.hash}"`;
  const sent = response.incoming.sent.header("if-none-match");
  if (sent !== "" && sent.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)) {
    response.respond(304, { ...response.headers(""), ...more, etag, vary: "Accept" });
    return;
  }
  return answerPieces(server, response, 200, document.pieces(), type, { ...more, etag, vary: "Accept" });
}
