/**
 * PUT of an object (EP-16): 200, or 201 where it created one (DEC-32).
 *
 * @module
 */
import type { Resource } from "../../registry/contract.ts";
import { answerObject, objectFormat } from "../answer/answer-object.ts";
import type { ServerContext } from "../request/context.ts";
import { objectBody } from "../body/decode-body.ts";
import { updateOptions } from "./options.ts";
import { perform } from "./perform.ts";
import { writer } from "../request/permission.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers an update of an object or of one of its subresources. */
export async function updateObject(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = objectFormat(request);
  const options = updateOptions(request.query);
  request.options = options;
  const body = await objectBody(server, request, resource.definition.kind);
  request.body = body.value;
  const caller = writer(server, request);
  const result = await perform(request, () => resource.update(request.target, body, options, caller));
  request.warn(result.warnings);
  return answerObject(server, request, result.code, result.bytes, () => result.object, format);
}
