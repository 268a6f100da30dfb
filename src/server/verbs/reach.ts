/**
 * Requests that lead on to a program behind an object: its log, its ports, a shell (KIND-Pod-22). No program is reached from
 * here; what is wrong with the request and with the object is told as if one were.
 *
 * @module
 */
import { badRequest, notFound } from "../../meta/status.ts";
import type { Resource } from "../../registry/contract.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { ServerContext } from "../context.ts";
import type { ServerRequest } from "../request.ts";
import { perform } from "./perform.ts";

/** Answers a request for a way of an object: 204 where there is nothing, else why it leads nowhere. */
export async function reachBeyond(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const { definition } = resource;
  const { name: segment, subresource } = request.info!;
  const way = definition.ways![subresource]!;
  const name = way.nameIn ? way.nameIn(segment) : segment;
  if (name === undefined) throw badRequest(`expected the name of an object in ${JSON.stringify(segment)}`);
  await perform(request, async () => {
    const object = await read(resource, request.namespace, name);
    const needed = way.needs?.(object);
    if (needed) await read(find(server, ...needed.resource), request.namespace, needed.name);
    way.reach(object, { segment, query: (parameter) => request.query.first(parameter) });
  });
  const { "content-type": _, ...headers } = request.headers("");
  request.respond(204, headers);
}

async function read(resource: Resource, namespace: string, name: string): Promise<ApiObject> {
  const { scope } = resource.definition;
  const place = { namespace: scope === "Namespaced" ? namespace : "", name, subresource: "" };
  return resource.object(await resource.get(place, { resourceVersion: "" }));
}

/** The newest version of a resource; 404 where it is not served. */
function find({ registry }: ServerContext, group: string, plural: string): Resource {
  for (const { version } of registry.group(group)?.versions ?? []) {
    const found = registry.find(group, version, plural);
    if (found) return found;
  }
  throw notFound({ group, plural, kind: plural }, "");
}
