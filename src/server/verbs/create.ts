/**
 * POST to a collection (EP-15): 201 with the new object.
 *
 * @module
 */
import { respondWithObject, objectFormat } from "../response/respond-object.ts";
import { respondWithStatus } from "../response/respond.ts";
import { objectBody } from "../body/decode-body.ts";
import type { AskResult } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import type { ResourceRequest } from "../request/request.ts";
import { respondWithExplanation } from "./explain.ts";
import { writeOptions } from "./options.ts";
import { write } from "./perform.ts";

/** Responds to a create, also of a kind that is not stored (a review, a token, an eviction). */
export async function createObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, target, caller } = request;
  const format = objectFormat(request);
  const options = writeOptions(request.incoming.query, "CreateOptions");
  const body = await objectBody(server, request, request.definition.kind);
  const isAsked = resource.definition.asked || target.subresource !== "";
  const run = (): Promise<AskResult> =>
    write(request, body.value, options, () =>
      isAsked ? resource.ask(target, body, options, caller) : resource.create(target, body, options, caller),
    );
  if (request.trace) return respondWithExplanation(request, request.trace, options, run);
  const result = await run();
  if ("status" in result) return respondWithStatus(request.response, result.code, result.status, format);
  return respondWithObject(server, request, result.code, result.bytes, () => result.object, format);
}
