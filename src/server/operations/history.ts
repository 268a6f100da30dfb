/**
 * `GET /keelson/v1/history`: the history of one object. See docs/guides/storage.md.
 *
 *     ?group=&version=v1&resource=configmaps&namespace=default&name=web     the object
 *     &limit=20&objects=true                                                how many versions, and whether with objects
 *     &at=1234                                                              the one version that it had at a revision
 *
 * @module
 */
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { REPORT_LIMIT } from "../../meta/report-limit.ts";
import { badRequest } from "../../meta/status.ts";
import type { HistoryOptions, Resource, Target } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { respondWithValue } from "../response/respond.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { DOCUMENT, negotiate } from "../response/negotiate.ts";
import { permit } from "../request/permission.ts";
import type { Query } from "../request/query.ts";
import type { ServerRequest } from "../request/request.ts";

/** Responds with the history of an object: a user who may get the object may see its history. */
export async function respondWithHistory(server: ServerContext, request: ServerRequest): Promise<void> {
  const { incoming, response, identity, info } = request;
  const format = negotiate(incoming, DOCUMENT);
  const { query } = incoming;
  const [group, version, plural] = [query.text("group"), query.text("version"), query.text("resource")];
  const resource = server.registry.find(group, version, plural);
  if (!resource) {
    const found = `${shown(plural)} of ${shown(apiVersionOf(group, version))}`;
    throw badRequest(`expected group, version and resource of what is served, got ${found}`);
  }
  const target = targetOf(query, resource);
  const options = optionsOf(query);
  await permit(server, identity, infoOf(info.path, resource, target));
  await respondWithValue(response, 200, await resource.history(target, options), format);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

function targetOf(query: Query, { definition: { scope, plural } }: Resource): Target {
  const [namespace, name] = [query.text("namespace"), query.text("name")];
  const namespaced = scope === "Namespaced";
  if (name === "" || (namespace !== "") !== namespaced) {
    throw badRequest(`expected a name and ${namespaced ? "a" : "no"} namespace for ${plural}`);
  }
  // As in the path of an object: a text that cannot be a segment of a path cannot be a name.
  for (const segment of [namespace, name]) {
    if (segment === "." || segment === ".." || /[/%]/.test(segment)) {
      throw badRequest(`expected a name and a namespace that can be segments of a path, got ${shown(segment)}`);
    }
  }
  return { namespace, name, subresource: "" };
}

function optionsOf(query: Query): HistoryOptions {
  const at = query.has("at") ? query.number("at", { most: Number.MAX_SAFE_INTEGER }) : undefined;
  const limit = query.number("limit", REPORT_LIMIT);
  return { limit, objects: query.flag("objects"), ...(at === undefined ? {} : { at }) };
}

/** The request for the object itself. */
const infoOf = (path: string, { definition }: Resource, { namespace, name }: Target): RequestInfo => ({
  ...NO_REQUEST,
  path,
  isResource: true,
  verb: "get",
  group: definition.group,
  version: definition.version,
  namespace,
  resource: definition.plural,
  name,
  hasName: true,
  namespaced: namespace !== "",
});
