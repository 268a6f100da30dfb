/**
 * Requests that lead on to a program behind an object: its log, its ports, a shell (KIND-Pod-22). What is wrong with the request and
 * with the object is told as if every program were reached; few are (`ServerContext.programs`).
 *
 * @module
 */
import { apiVersionOf } from "../../meta/versions.ts";
import { badRequest, notFound } from "../../meta/status.ts";
import type { Resource } from "../../registry/contract.ts";
import type { ApiObject, ResourceDefinition, Way } from "../../schema/definition.ts";
import type { ServerContext } from "../request/context.ts";
import { ownerOf } from "../shared/ongoing.ts";
import type { ServerRequest } from "../request/request.ts";
import { perform } from "./perform.ts";

/** Answers a request for a way of an object: what the program says, 204 where there is nothing, else why it leads nowhere. */
export async function reachBeyond(server: ServerContext, request: ServerRequest, resource: Resource): Promise<void> {
  const { definition } = resource;
  const { name: segment, subresource } = request.info!;
  const way = definition.ways![subresource]!;
  const name = way.nameIn ? way.nameIn(segment) : segment;
  if (name === undefined) throw badRequest(`expected the name of an object in ${JSON.stringify(segment)}`);
  const over = new AbortController();
  const pieces = await perform(request, async () => {
    if (way.options) await resource.connect(request.target, optionsOf(way, request, definition), request.caller);
    const object = await read(resource, request.namespace, name);
    const needed = way.needs?.(object);
    if (needed) await read(find(server, ...needed.resource), request.namespace, needed.name);
    const query = (parameter: string): string | undefined => request.query.first(parameter);
    const ask = (asked: ApiObject) => server.programs(subresource, asked, query, over.signal);
    return way.reach(object, { segment, query, ask });
  });
  // Whoever reads for it ends with it, also where nothing could be sent.
  if (pieces) return send(server, request, pieces, over).finally(() => over.abort());
  const { "content-type": _, ...headers } = request.headers("");
  request.respond(204, headers);
}

/** The options of a connection, as a request says them. */
const optionsOf = (way: Way, { query, info }: ServerRequest, { group, version }: ResourceDefinition): ApiObject =>
  ({ kind: way.kind, apiVersion: apiVersionOf(group, version), ...way.options!(query, info!.rest) }) as ApiObject;

/** A reader that takes nothing for so long is given up. */
const STALLED_MS = 60_000;

/** Sends what a program says, until it or the reader ends. */
async function send(
  server: ServerContext,
  request: ServerRequest,
  pieces: AsyncIterable<Uint8Array>,
  over: AbortController,
): Promise<void> {
  request.code = 200;
  request.longRunning = true;
  const { connection } = request.exchange;
  const out = request.exchange.stream(200, request.headers("text/plain"));
  const ongoing = { owner: ownerOf(request), connection, revoke: () => out.destroy() };
  server.ongoing.add(ongoing);
  out.onClose = () => over.abort();
  if (out.closed) over.abort();
  try {
    for await (const piece of pieces) {
      if (out.closed) return;
      request.bytesOut += piece.length;
      if (out.write(piece)) continue;
      const stalled = server.clock.after(STALLED_MS, () => out.destroy(), { owner: "reader of a log" });
      await out.drained();
      stalled.cancel();
    }
    out.end();
  } catch {
    // The reader must not take what it has for all of it.
    out.destroy();
  } finally {
    server.ongoing.delete(ongoing);
  }
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
