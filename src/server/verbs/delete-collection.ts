/**
 * DELETE of a collection (EP-21): what the list options select, each as a single delete would.
 *
 * @module
 */
import type { Resource } from "../../registry/contract.ts";
import type { ServerContext } from "../context.ts";
import { deleteOptions } from "./delete.ts";
import { answerBytes } from "../answer/encode.ts";
import { contentType, jsonInForm } from "../answer/in-form.ts";
import { DELETED } from "../answer/negotiate.ts";
import { listOptions } from "./options.ts";
import { perform } from "./perform.ts";
import type { ServerRequest } from "../request.ts";

/** Answers a delete of a collection. */
export async function deleteCollection(
  server: ServerContext,
  request: ServerRequest,
  resource: Resource,
): Promise<void> {
  const format = request.format(DELETED);
  const list = listOptions(request.query);
  const options = await deleteOptions(server, request, false);
  const { namespace, caller } = request;
  const result = await perform(request, () => resource.deleteCollection(namespace, list, options, caller));
  request.warn(result.warnings);
  await answerBytes(server, request, 200, jsonInForm(result.bytes, format), contentType(format));
}
