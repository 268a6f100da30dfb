/**
 * `GET /keelson/v1/history`: the past of one object. See docs/storage.md.
 *
 *     ?group=&version=v1&resource=configmaps&namespace=default&name=web     the object
 *     &limit=20&objects=true                                                how many versions, and whether with objects
 *     &at=1234                                                              the one version that it had at a revision
 *
 * @module
 */
import type { RequestInfo } from "../meta/request-info.ts";
import { badRequest } from "../meta/status.ts";
import { answerValue } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import { JSON_ONLY } from "./negotiate.ts";
import { permit } from "./permission.ts";
import type { ServerRequest } from "./request.ts";

const LIMIT = 20;
const MOST = 500;

/** The endpoint: whoever may get the object may see its past. */
export const historyEndpoint: Endpoint = async (server, request) => {
  const { query } = request;
  const [group, version, plural] = [query.text("group"), query.text("version"), query.text("resource")];
  const [namespace, name] = [query.text("namespace"), query.text("name")];
  const resource = server.registry.find(group, version, plural);
  if (!resource) {
    throw badRequest(
      `expected group, version and resource to name what is served, got "${plural}" of "${group}/${version}"`,
    );
  }
  const namespaced = resource.definition.scope === "Namespaced";
  if (name === "" || (namespace !== "") !== namespaced) {
    throw badRequest(`expected name ${namespaced ? "and namespace" : "and no namespace"} for ${plural}`);
  }
  const info: RequestInfo = {
    ...{ path: request.info!.path, isResource: true, verb: "get", subresource: "", watchPath: false },
    ...{ group, version, namespace, resource: plural, name, namespaced },
  };
  await permit(server, request, info);
  const at = query.has("at") ? numberOf(request, "at", Number.MAX_SAFE_INTEGER) : undefined;
  const limit = query.has("limit") ? numberOf(request, "limit", MOST) : LIMIT;
  const report = await resource.history(
    { namespace, name, subresource: "" },
    { limit, objects: query.flag("objects"), ...(at === undefined ? {} : { at }) },
  );
  await answerValue(server, request, 200, report, request.format(JSON_ONLY));
};

function numberOf({ query }: ServerRequest, name: string, most: number): number {
  const text = query.text(name);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw badRequest(`expected ${name} to be a number from 1 to ${most}, got ${JSON.stringify(text.slice(0, 100))}`);
}
