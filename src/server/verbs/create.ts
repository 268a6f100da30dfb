/**
 * POST to a collection (EP-15): 201 with the new object.
 *
 * @module
 */
import type { AskResult, Body, Resource, WriteOptions, WriteResult } from "../../registry/contract.ts";
import { answerObject, objectFormat } from "../answer/answer-object.ts";
import { answerStatus } from "../answer/answer-value.ts";
import type { ServerContext } from "../request/context.ts";
import { objectBody } from "../body/decode-body.ts";
import { createOptions } from "./options.ts";
import { perform } from "./perform.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers a create, also of what is answered and not stored (a review, a token, an eviction). */
export async function createObject(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = objectFormat(request);
  const options = createOptions(request.query);
  request.options = options;
  const body = await objectBody(server, request, (request.taken ?? resource.definition).kind);
  request.body = body.value;
  const result = await perform(request, () => made(request, resource, body, options));
  request.warn(result.warnings);
  if ("status" in result) {
    return answerStatus(server, request, result.code, result.status, format);
  }
  return answerObject(server, request, result.code, result.bytes, () => result.object, format);
}

function made(
  { target, caller }: ServerRequest,
  resource: Resource,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult | AskResult> {
  const isAsked = resource.definition.asked || target.subresource !== "";
  return isAsked ? resource.ask(target, body, options, caller) : resource.create(target, body, options, caller);
}
