/**
 * Requests that connect to a program behind an object: its log, its ports, a shell (KIND-Pod-22). Errors of the request and of the object
 * are the same for every program; only few programs can be connected to (`ServerContext.programs`).
 *
 * @module
 */
import { badRequest, notFound, unknownPath } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { Resource } from "../../registry/contract.ts";
import type { ApiObject, Connector } from "../../schema/definition.ts";
import type { Reached, Session } from "../../schema/session.ts";
import { cutText } from "../../util/cut-text.ts";
import { SESSION_PROTOCOLS, respondWithSession } from "../response/respond-session.ts";
import { respondWithStream } from "../response/respond-stream.ts";
import type { ServerContext } from "../request/context.ts";
import { permit } from "../request/permission.ts";
import type { ResourceRequest } from "../request/request.ts";
import { ownerOf } from "../shared/ongoing.ts";
import { read } from "./perform.ts";

/**
 * Handles a request to a connector: the output of the program, 204 where there is none, a session with it, else the error of the
 * connection.
 */
export async function connectObject(server: ServerContext, request: ResourceRequest): Promise<void> {
  const { resource, response, info } = request;
  const connector = resource.definition.connectors?.[info.subresource];
  if (!connector) throw unknownPath();
  const name = connector.nameIn ? connector.nameIn(info.name) : info.name;
  if (name === undefined) throw badRequest(`expected the name of an object in ${JSON.stringify(info.name)}`);
  const over = new AbortController();
  const abort = (): void => over.abort();
  const reached = await read(request, () => connect(server, request, connector, name, over.signal));
  if (!reached) return response.respond(204, response.headers(""));
  if ("run" in reached) return begin(server, request, reached);
  // It needs no seat while it runs. The input of the program ends with the request, also where nothing could be sent.
  void respondWithStream(server, response, ownerOf(request), "text/plain", reached, abort)
    .catch((error: unknown) => server.faults.report("connection", error))
    .finally(abort);
}

/** Begins a session, which needs no seat while it runs. */
async function begin(server: ServerContext, request: ResourceRequest, session: Session): Promise<void> {
  const { incoming, info, identity, response } = request;
  // A WebSocket is opened by GET: the right to read does not include the right to run a program (kube-apiserver from 1.35 on).
  if (info.verb === "get") await permit(server, identity, { ...info, verb: "create" });
  const slot = server.sessionSlots.take(ownerOf(request));
  const { query } = incoming;
  const wishes = {
    stdin: query.flag("stdin"),
    stdout: query.flag("stdout"),
    stderr: query.flag("stderr"),
    tty: query.flag("tty"),
  };
  const messages = response.upgrade(SESSION_PROTOCOLS, response.headers(""));
  if (!messages) {
    slot[Symbol.dispose]();
    if (response.responded) return;
    throw badRequest(
      `Upgrade request required: expected a WebSocket (GET over HTTP/1.1) with one of the protocols ${SESSION_PROTOCOLS.join(", ")}` +
        (incoming.sent.header("upgrade") === "" ? "" : `, got ${JSON.stringify(askedFor(request))}`),
    );
  }
  response.uncount();
  void respondWithSession(server, response, ownerOf(request), messages, session, wishes)
    .catch((error: unknown) => server.faults.report("connection", error))
    .finally(() => slot[Symbol.dispose]());
}

/** The protocols to which a request would upgrade. */
const askedFor = ({ incoming: { sent } }: ResourceRequest): string =>
  cutText([sent.header("upgrade"), sent.header("sec-websocket-protocol")].filter((one) => one !== "").join(" "), 200);

async function connect(
  server: ServerContext,
  request: ResourceRequest,
  connector: Connector,
  name: string,
  signal: AbortSignal,
): Promise<Reached | undefined> {
  const { resource, namespace, info, incoming } = request;
  if (connector.options) await resource.connect(request.target, optionsOf(connector, request), request.caller);
  const object = await objectOf(resource, namespace, name);
  const needed = connector.needs?.(object);
  if (needed) await objectOf(find(server, ...needed.resource), namespace, needed.name);
  const first = (parameter: string): string | undefined => incoming.query.first(parameter);
  const query = Object.assign(first, { all: (parameter: string) => incoming.query.all(parameter) });
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
