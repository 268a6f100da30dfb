/**
 * One object in the form that the client wants: itself, a table of one row, or its metadata.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { Resource } from "../../registry/contract.ts";
import type { ServerContext } from "../context.ts";
import { answerPieces } from "./answer-pieces.ts";
import { answerBytes } from "./encode.ts";
import { type AnswerPieces, LINE_END, contentType, isJson, jsonInForm } from "./in-form.ts";
import { partialBytes } from "./metadata-bytes.ts";
import { type Format, OBJECT, type Offer } from "./negotiate.ts";
import type { ServerRequest } from "../request.ts";
import { WHOLE } from "./stream-writer.ts";
import { includeObject, rowBytes, tableHeader, tableOfRow } from "./table.ts";

/** The form of an answer with one object; checked before a write, so that nothing is stored for an answer we cannot give. */
export function objectFormat(request: ServerRequest, offer: Offer = OBJECT): Format {
  const format = request.format(offer);
  if (format.shape === "Table") includeObject(request.query);
  return format;
}

/** Answers with an object; `object` parses it, which only a table needs. */
export function answerObject(
  server: ServerContext,
  request: ServerRequest,
  code: number,
  bytes: Uint8Array,
  object: () => ApiObject,
  format: Format,
): void | Promise<void> {
  const shaped =
    format.shape === ""
      ? bytes
      : format.shape === "Table"
        ? tableOf(server, request, request.resource!, bytes, object(), format)
        : partialBytes(bytes, format.version);
  request.witness?.answer?.bytes(shaped);
  if (isJson(format) && shaped.length <= WHOLE) {
    return answerBytes(server, request, code, [shaped, LINE_END], contentType(format));
  }
  const answer = (pieces: AnswerPieces): void | Promise<void> =>
    answerPieces(server, request, code, pieces, contentType(format));
  const pieces = jsonInForm(server, shaped, format);
  return pieces instanceof Promise ? pieces.then(answer) : answer(pieces);
}

function tableOf(
  server: ServerContext,
  request: ServerRequest,
  resource: Resource,
  bytes: Uint8Array,
  object: ApiObject,
  format: Format,
): Buffer {
  const { resourceVersion } = object.metadata;
  const meta = JSON.stringify(resourceVersion === undefined ? {} : { resourceVersion });
  const style = {
    include: includeObject(request.query),
    version: format.version,
    now: server.clock.now(),
    log: server.log,
  };
  // What a lens shows has the columns of its own kind.
  const definition = request.taken ?? resource.definition;
  const header = tableHeader(definition, format.version, meta, true);
  return tableOfRow(header, rowBytes(definition, object, bytes, style));
}
