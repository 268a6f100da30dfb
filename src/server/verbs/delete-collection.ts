/**
 * DELETE of a collection (EP-21): deletes the objects that the list options select, each as a single delete does.
 *
 * @module
 */
import { badRequest } from "../../meta/status.ts";
import { respondWithStatus } from "../response/respond.ts";
import type { ServerContext } from "../request/context.ts";
import type { ResourceRequest } from "../request/request.ts";
import { readDelete } from "./delete.ts";
import { respondWithList, listFormat } from "./list.ts";
import { listOptions } from "./options.ts";
import { write } from "./perform.ts";

/** Responds to a delete of a collection, with the list of the objects or with a Status. */
export async function deleteCollection(server: ServerContext, request: ResourceRequest): Promise<void> {
  if (request.trace) throw badRequest("expected explain with a write of one object, got it with a collection");
  const { resource, namespace } = request;
  const format = listFormat(request);
  const list = listOptions(request.incoming.query);
  const [options, body] = await readDelete(server, request);
  const { caller } = request;
  const result = await write(request, body, options, () => resource.deleteCollection(namespace, list, options, caller));
  if ("list" in result) return respondWithList(server, request, result.list, format);
  await respondWithStatus(request.response, 200, result.status, format);
}
