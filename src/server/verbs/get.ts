/**
 * GET of one object: the bytes of the cache as they are (EP-10).
 *
 * @module
 */
import type { Resource } from "../../registry/contract.ts";
import { answerObject, objectFormat } from "../answer/answer-object.ts";
import type { ServerContext } from "../request/context.ts";
import { answerValue } from "../answer/answer-value.ts";
import { READ_OBJECT } from "../answer/negotiate.ts";
import { getVersion } from "./options.ts";
import { perform } from "./perform.ts";
import type { ServerRequest } from "../request/request.ts";

/** Answers a GET of an object or of one of its subresources. */
export function getObject(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const format = objectFormat(request, READ_OBJECT);
  const resourceVersion = getVersion(request.query);
  return perform(request, () => resource.get(request.target, { resourceVersion })).then((entry) =>
    format.shape === "Blame"
      ? answerValue(server, request, 200, resource.blame(entry), format)
      : answerObject(server, request, 200, resource.view(entry), () => resource.object(entry), format),
  );
}
