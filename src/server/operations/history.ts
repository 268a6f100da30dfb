/**
 * `GET /keelson/v1/history`: the past of one object. See docs/guides/storage.md.
 *
 *     ?group=&version=v1&resource=configmaps&namespace=default&name=web     the object
 *     &limit=20&objects=true                                                how many versions, and whether with objects
 *     &at=1234                                                              the one version that it had at a revision
 *
 * @module
 */
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import type { HistoryOptions, Resource, Target } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { answerValue } from "../answer/answer-value.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { DOCUMENT } from "../answer/negotiate.ts";
import { permit } from "../request/permission.ts";
import type { ServerRequest } from "../request/request.ts";

const LIMIT = 20;
const MOST = 500;

/** Answers with the past of an object: whoever may get it may see that. */
export async function answerHistory(server: ServerContext, request: ServerRequest): Promise<void> {
  const format = request.format(DOCUMENT);
  const { query } = request;
  const [group, version, plural] = [query.text("group"), query.text("version"), query.text("resource")];
  const resource = server.registry.find(group, version, plural);
  if (!resource) {
    const asked = shown(apiVersionOf(group, version));
    throw badRequest(`expected group, version and resource of what is served, got ${shown(plural)} of ${asked}`);
  }
  const target = targetOf(request, resource);
  const options = optionsOf(request);
  await permit(server, request, infoOf(request.info!.path, resource, target));
  await answerValue(server, request, 200, await resource.history(target, options), format);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

function targetOf({ query }: ServerRequest, { definition: { scope, plural } }: Resource): Target {
  const [namespace, name] = [query.text("namespace"), query.text("name")];
  const namespaced = scope === "Namespaced";
  if (name === "" || (namespace !== "") !== namespaced) {
    throw badRequest(`expected a name and ${namespaced ? "a" : "no"} namespace for ${plural}`);
  }
  // As in the path of an object: what cannot be a segment of it cannot be a name.
  for (const segment of [namespace, name]) {
    if (segment === "." || segment === ".." || /[/%]/.test(segment)) {
      throw badRequest(`expected a name and a namespace that can be segments of a path, got ${shown(segment)}`);
    }
  }
  return { namespace, name, subresource: "" };
}

function optionsOf(request: ServerRequest): HistoryOptions {
  const { query } = request;
  const at = query.has("at") ? numberOf(request, "at", Number.MAX_SAFE_INTEGER) : undefined;
  const limit = query.has("limit") ? numberOf(request, "limit", MOST) : LIMIT;
  return { limit, objects: query.flag("objects"), ...(at === undefined ? {} : { at }) };
}

function numberOf({ query }: ServerRequest, name: string, most: number): number {
  const text = query.text(name);
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= 1 && number <= most) return number;
  throw badRequest(`expected ${name} to be a number from 1 to ${most}, got ${shown(text)}`);
}

/** The request as it would be for the object itself. */
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
