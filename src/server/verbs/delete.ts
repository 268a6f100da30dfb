/**
 * DELETE of an object (DEC-26): 200 with the object or a Status, 202 while the deletion waits.
 *
 * @module
 */
import type { DeleteOptions, DeleteResult } from "../../registry/contract.ts";
import type { Value } from "../../value/value.ts";
import { respondWithObject, objectFormat } from "../response/respond-object.ts";
import { respondWithStatus } from "../response/respond.ts";
import { deleteBody } from "../body/decode-body.ts";
import type { ServerContext } from "../request/context.ts";
import { deleter } from "../request/permission.ts";
import type { ResourceRequest } from "../request/request.ts";
import { respondWithExplanation } from "./explain.ts";
import { deleteOptionsOfBody, deleteOptionsOfQuery } from "./options.ts";
import { write } from "./perform.ts";

/** Responds to a delete. */
export async function deleteObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, target, response } = request;
  const format = objectFormat(request);
  const [options, body] = await readDelete(server, request);
  const caller = options.unread ? deleter(server, request) : request.caller;
  const run = (): Promise<DeleteResult> =>
    write(request, body, options, () => resource.delete(target, options, caller));
  if (request.trace) return respondWithExplanation(request, request.trace, options, run);
  const result = await run();
  if ("status" in result) return respondWithStatus(response, result.code, result.status, format);
  return respondWithObject(server, request, result.code, result.bytes, () => result.object, format);
}

/** DeleteOptions of the body, or of the query when there is no body (DEC-26); and the body. */
export async function readDelete(
  server: ServerContext,
  { incoming, response }: ResourceRequest,
): Promise<readonly [options: DeleteOptions, body: Value | undefined]> {
  const body = await deleteBody(server, response);
  return [body ? deleteOptionsOfBody(body.value) : deleteOptionsOfQuery(incoming.query), body?.value];
}
