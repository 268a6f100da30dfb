/**
 * PUT of an object (EP-16): 200, or 201 where it created one (DEC-32).
 *
 * @module
 */
import { respondWithObject, objectFormat } from "../response/respond-object.ts";
import { objectBody } from "../body/decode-body.ts";
import type { WriteResult } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { writer } from "../request/permission.ts";
import type { ResourceRequest } from "../request/request.ts";
import { respondWithExplanation } from "./explain.ts";
import { writeOptions } from "./options.ts";
import { write } from "./perform.ts";

/** Responds to an update of an object or of one of its subresources. */
export async function updateObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, target } = request;
  const format = objectFormat(request);
  const options = writeOptions(request.incoming.query, "UpdateOptions");
  const body = await objectBody(server, request, resource.definition.kind);
  const caller = writer(server, request);
  const run = (): Promise<WriteResult> =>
    write(request, body.value, options, () => resource.update(target, body, options, caller));
  if (request.trace) return respondWithExplanation(request, request.trace, options, run);
  const result = await run();
  return respondWithObject(server, request, result.code, result.bytes, () => result.object, format);
}
