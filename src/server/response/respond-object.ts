/**
 * One object in the form that the client requests: itself, a table of one row, or its metadata.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import type { ServerContext } from "../request/context.ts";
import { respondWithPieces } from "./respond.ts";
import { respondWithBytes } from "./encode.ts";
import { type BodyPieces, LINE_END, contentType, isJson, jsonInForm } from "./in-form.ts";
import { partialBytes } from "./metadata-bytes.ts";
import { type Format, OBJECT, type Offer, negotiate } from "./negotiate.ts";
import type { ResourceRequest } from "../request/request.ts";
import { WHOLE } from "./stream-writer.ts";
import { includeObject, rowBytes, tableHeader, tableOfRow } from "./table.ts";

/** The form of a response with one object; read before a write, so that nothing is stored if no form is acceptable. */
export function objectFormat(request: ResourceRequest, offer: Offer = OBJECT): Format {
  const format = negotiate(request.incoming, offer, request);
  if (format.shape === "Table") includeObject(request.incoming.query);
  return format;
}

/** Responds with an object; `object` parses it, which only a table needs. */
export function respondWithObject(
  server: ServerContext,
  request: ResourceRequest,
  code: number,
  bytes: Uint8Array,
  object: () => ApiObject,
  format: Format,
): void | Promise<void> {
  const { response } = request;
  const shaped =
    format.shape === ""
      ? bytes
      : format.shape === "Table"
        ? tableOf(server, request, bytes, object(), format)
        : partialBytes(bytes, format.version);
  response.recorder?.response?.bytes(shaped);
  if (isJson(format) && shaped.length <= WHOLE) {
    return respondWithBytes(response, code, [shaped, LINE_END], contentType(format));
  }
  const send = (pieces: BodyPieces): void | Promise<void> =>
    respondWithPieces(response, code, pieces, contentType(format));
  const pieces = jsonInForm(response.server, shaped, format);
  return pieces instanceof Promise ? pieces.then(send) : send(pieces);
}

function tableOf(
  server: ServerContext,
  { incoming, definition }: ResourceRequest,
  bytes: Uint8Array,
  object: ApiObject,
  format: Format,
): Buffer {
  const { resourceVersion } = object.metadata;
  const meta = JSON.stringify(resourceVersion === undefined ? {} : { resourceVersion });
  const style = {
    include: includeObject(incoming.query),
    version: format.version,
    now: server.objectTime(),
    log: server.log,
  };
  const header = tableHeader(definition, format.version, meta, true);
  return tableOfRow(header, rowBytes(definition, object, bytes, style));
}
