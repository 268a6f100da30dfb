/**
 * GET of one object: the bytes of the cache, unchanged (EP-10).
 *
 * @module
 */
import { respondWithObject, objectFormat } from "../response/respond-object.ts";
import { respondWithValue } from "../response/respond.ts";
import { READ_OBJECT } from "../response/negotiate.ts";
import type { ServerContext } from "../request/context.ts";
import type { ResourceRequest } from "../request/request.ts";
import { getVersion } from "./options.ts";
import { read } from "./perform.ts";

/** Responds to a GET of an object or of one of its subresources. */
export function getObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, response } = request;
  const format = objectFormat(request, READ_OBJECT);
  const resourceVersion = getVersion(request.incoming.query);
  return read(request, () => resource.get(request.target, { resourceVersion })).then((entry) =>
    format.shape === "Blame"
      ? respondWithValue(response, 200, resource.blame(entry), format)
      : respondWithObject(server, request, 200, resource.view(entry), () => resource.object(entry), format),
  );
}
