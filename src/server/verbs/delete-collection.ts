/**
 * DELETE of a collection (EP-21): what the list options select, each as a single delete would.
 *
 * @module
 */
import type { Resource } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { deleteOptions } from "./delete.ts";
import { answerStatus } from "../answer/answer-value.ts";
import { answerList, listFormat } from "./list.ts";
import { listOptions } from "./options.ts";
import { perform } from "./perform.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers a delete of a collection, as a list would have been answered or with a Status. */
export async function deleteCollection(
  server: ServerContext,
  request: ServerRequest,
  resource: Resource,
): Promise<void> {
  const format = listFormat(request);
  const list = listOptions(request.query);
  const options = await deleteOptions(server, request);
  const { namespace, caller } = request;
  const result = await perform(request, () => resource.deleteCollection(namespace, list, options, caller));
  request.warn(result.warnings);
  if ("list" in result) return answerList(server, request, resource, result.list, format);
  await answerStatus(server, request, 200, result.status, format);
}
