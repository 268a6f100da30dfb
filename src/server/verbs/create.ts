/**
 * POST to a collection (EP-15): 201 with the new object.
 *
 * @module
 */
import type { Resource } from "../../registry/contract.ts";
import { answerObject, objectFormat } from "../answer/answer-object.ts";
import type { ServerContext } from "../context.ts";
import { objectBody } from "../body/decode-body.ts";
import { createOptions } from "./options.ts";
import { perform } from "./perform.ts";
import type { ServerRequest } from "../request.ts";

/** Answers a create, also of a subresource that is only created (`token`). */
export async function createObject(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = objectFormat(request);
  const options = createOptions(request.query);
  request.options = options;
  const body = await objectBody(server, request, resource.definition.kind);
  request.body = body.value;
  const result = await perform(request, () => resource.create(request.target, body, options, request.caller));
  request.warn(result.warnings);
  return answerObject(server, request, result.code, result.bytes, () => result.object, format);
}
