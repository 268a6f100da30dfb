/**
 * PATCH of an object: JSON, merge, strategic merge or apply, as its media type says (DEC-17).
 *
 * @module
 */
import type { Resource } from "../../registry/contract.ts";
import { answerObject, objectFormat } from "../answer/answer-object.ts";
import type { ServerContext } from "../request/context.ts";
import { patchBody, patchTypeOf } from "../body/decode-body.ts";
import { patchOptions } from "./options.ts";
import { perform } from "./perform.ts";
import { writer } from "../request/permission.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers a patch of an object or of one of its subresources. */
export async function patchObject(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = objectFormat(request);
  const type = patchTypeOf(request, resource);
  const options = patchOptions(request.query, type);
  request.options = options;
  const body = await patchBody(server, request, type);
  request.body = body.value;
  const caller = writer(server, request);
  const result = await perform(request, () => resource.patch(request.target, body, options, caller));
  request.warn(result.warnings);
  return answerObject(server, request, result.code, result.bytes, () => result.object, format);
}
