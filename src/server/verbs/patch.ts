/**
 * PATCH of an object: JSON, merge, strategic merge or apply, as its media type says (DEC-17).
 *
 * @module
 */
import { respondWithObject, objectFormat } from "../response/respond-object.ts";
import { patchBody, patchTypeOf } from "../body/decode-body.ts";
import type { WriteResult } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { writer } from "../request/permission.ts";
import type { ResourceRequest } from "../request/request.ts";
import { respondWithExplanation } from "./explain.ts";
import { patchOptions } from "./options.ts";
import { write } from "./perform.ts";

/** Responds to a patch of an object or of one of its subresources. */
export async function patchObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, target } = request;
  const format = objectFormat(request);
  const type = patchTypeOf(request);
  const options = patchOptions(request.incoming.query, type);
  const body = await patchBody(server, request.response, type);
  const caller = writer(server, request);
  const run = (): Promise<WriteResult> =>
    write(request, body.value, options, () => resource.patch(target, body, options, caller));
  if (request.trace) return respondWithExplanation(request, request.trace, options, run);
  const result = await run();
  return respondWithObject(server, request, result.code, result.bytes, () => result.object, format);
}
