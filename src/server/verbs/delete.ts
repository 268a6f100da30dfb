/**
 * DELETE of an object (DEC-26): 200 with the object or a Status, 202 while something is waited for.
 *
 * @module
 */
import type { DeleteOptions, Resource } from "../../registry/contract.ts";
import { answerObject, objectFormat } from "../answer/answer-object.ts";
import type { ServerContext } from "../request/context.ts";
import { deleteBody } from "../body/decode-body.ts";
import { answerStatus } from "../answer/answer-value.ts";
import { deleter } from "../request/permission.ts";
import { deleteOptionsOfBody, deleteOptionsOfQuery } from "./options.ts";
import { perform } from "./perform.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers a delete. */
export async function deleteObject(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = objectFormat(request);
  const options = await deleteOptions(server, request);
  const caller = options.unread ? deleter(server, request) : request.caller;
  const result = await perform(request, () => resource.delete(request.target, options, caller));
  request.warn(result.warnings);
  if ("status" in result) {
    return answerStatus(server, request, result.code, result.status, format);
  }
  return answerObject(server, request, result.code, result.bytes, () => result.object, format);
}

/** DeleteOptions of the body, or of the query when there is no body (DEC-26). */
export async function deleteOptions(server: ServerContext, request: ServerRequest): Promise<DeleteOptions> {
  const body = await deleteBody(server, request);
  request.body = body?.value;
  const options = body ? deleteOptionsOfBody(body.value) : deleteOptionsOfQuery(request.query);
  request.options = options;
  return options;
}
