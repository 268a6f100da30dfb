/**
 * Requests that lead on to a program behind an object: its log, its ports, a shell (KIND-Pod-22). Errors of the request and of the
 * object are the same for every program; few can be connected to (`ServerContext.programs`).
 *
 * @module
 */
import { badRequest, notFound, unknownPath } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Resource } from "../../registry/contract.ts";
import type { ApiObject, Connector } from "../../schema/definition.ts";
import { answerStream } from "../answer/answer-stream.ts";
import type { ServerContext } from "../request/context.ts";
import type { ResourceRequest } from "../request/request.ts";
import { ownerOf } from "../shared/ongoing.ts";
import { read } from "./perform.ts";

/** Handles a request to a connector: the output of the program, 204 where there is none, else the error of the connection. */
export async function connectObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, response, info } = request;
  const connector = resource.definition.connectors?.[info.subresource];
  if (!connector) throw unknownPath();
  const name = connector.nameIn ? connector.nameIn(info.name) : info.name;
  if (name === undefined) throw badRequest(`expected the name of an object in ${JSON.stringify(info.name)}`);
  const over = new AbortController();
  const abort = (): void => over.abort();
  const pieces = await read(request, () => connect(server, request, connector, name, over.signal));
  if (!pieces) return response.respond(204, response.headers(""));
  // What the program reads ends with the request, also where nothing could be sent.
  return answerStream(server, response, ownerOf(request), "text/plain", pieces, abort).finally(abort);
}

async function connect(
  server: ServerContext,
  request: ResourceRequest,
  connector: Connector,
  name: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { resource, namespace, info, incoming } = request;
  if (connector.options) await resource.connect(request.target, optionsOf(connector, request), request.caller);
  const object = await objectOf(resource, namespace, name);
  const needed = connector.needs?.(object);
  if (needed) await objectOf(find(server, ...needed.resource), namespace, needed.name);
  const query = (parameter: string): string | undefined => incoming.query.first(parameter);
  const ask = (target: ApiObject) => server.programs(info.subresource, target, query, signal);
  return (await connector.reach(object, { segment: info.name, query, ask })) ?? undefined;
}

/** The options of a connection, as a request has them. */
function optionsOf(connector: Connector, { incoming, info, resource }: ResourceRequest): ApiObject {
  const { group, version } = resource.definition;
  const options = {
    kind: connector.kind,
    apiVersion: apiVersionOf(group, version),
    ...connector.options?.(incoming.query, info.rest),
  };
  return options as ApiObject;
}

async function objectOf(resource: Resource, namespace: string, name: string): Promise<ApiObject> {
  const { scope } = resource.definition;
  const target = { namespace: scope === "Namespaced" ? namespace : "", name, subresource: "" };
  return resource.object(await resource.get(target, { resourceVersion: "" }));
}

/** The newest version of a resource; 404 where it is not served. */
function find({ registry }: ServerContext, group: string, plural: string): Resource {
  for (const { version } of registry.group(group)?.versions ?? []) {
    const found = registry.find(group, version, plural);
    if (found) return found;
  }
  throw notFound({ group, plural, kind: plural }, "");
}
