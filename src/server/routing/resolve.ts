/**
 * Finds the resource and the verb of a request: which paths exist, and which methods they have.
 *
 * A path exists when any verb of the resource is served on it; then an unknown method is 405, else 404 (DEC-18). Objects
 * of the cluster have no path below a namespace and the other way round (CVE-2019-11247).
 *
 * @module
 */
import type { ResourceDefinition, Verb, Connector } from "../../schema/definition.ts";
import { ALL_VERBS } from "../../schema/definition.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { badRequest, methodNotAllowed, unknownPath } from "../../meta/status.ts";
import type { Registry, Resource } from "../../registry/contract.ts";
import type { ServerContext } from "../request/context.ts";
import { createObject } from "../verbs/create.ts";
import { deleteCollection } from "../verbs/delete-collection.ts";
import { deleteObject } from "../verbs/delete.ts";
import { getObject } from "../verbs/get.ts";
import { listObjects } from "../verbs/list.ts";
import { patchObject } from "../verbs/patch.ts";
import { ResourceRequest, type ServerRequest } from "../request/request.ts";
import { connectObject } from "../verbs/connect.ts";
import { updateObject } from "../verbs/update.ts";
import { watchObjects } from "../watch/watch.ts";

/** Responds to a request on a resource. */
type VerbHandler = (server: ServerContext, request: ResourceRequest) => void | Promise<void>;

const HANDLERS: Readonly<Record<Verb, VerbHandler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

/** Verbs on a path of an object, of a collection, and of the objects of all namespaces. */
const ITEM: readonly string[] = ["get", "update", "patch", "delete"];
const COLLECTION: readonly string[] = ["list", "watch", "create", "deletecollection"];
const EVERYWHERE: readonly string[] = ["list", "watch"];

/** Finds the resource and the verb of a request; throws 400, 404 or 405. Finds nothing for an unknown group. */
export function findResource(server: ServerContext, request: ServerRequest): void {
  const found = resolve(server.registry, request.info, request.incoming.sent.method);
  if (!found) return;
  const { resource, handler } = found;
  request.resource = resource;
  request.handle = () => handler(server, new ResourceRequest(request, resource));
}

function resolve(
  registry: Registry,
  info: RequestInfo,
  method: string,
): { resource: Resource; handler: VerbHandler } | undefined {
  // An empty segment names nothing.
  if (info.path.includes("//")) throw unknownPath();
  const resource = registry.find(info.group, info.version, info.resource);
  if (!resource) {
    if (registry.hasGroup(info.group) && !isCustomGroup(registry, info.group)) throw unknownPath();
    return undefined;
  }
  const { definition } = resource;
  if (!hasScopeOf(definition, info)) {
    if (definition.untyped) return undefined;
    throw unknownPath();
  }
  checkSegments(info);
  const connector = connectorOf(definition, info.subresource);
  if (info.rest !== "" && !connector?.isDeep) throw unknownPath();
  const { possible, served } = verbsAt(definition, info);
  if (!possible.some((verb) => served.includes(verb))) throw unknownPath();
  if (!possible.includes(info.verb) || !served.includes(info.verb) || !isMethodOf(info.verb, method)) {
    throw methodNotAllowed({ group: definition.group, plural: definition.plural, kind: definition.kind }, method);
  }
  return { resource, handler: connector ? connectObject : HANDLERS[info.verb as Verb] };
}

/** Whether a method is that of its verb: HEAD is authorized as `get`, every method below `/watch/` as `watch` (RBAC-1). */
const isMethodOf = (verb: string, method: string): boolean => method === "GET" || !READS.has(verb);

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

/** Whether all resources of a group are custom: an unknown resource then gets the same response as an unknown group (CRD-11). */
const isCustomGroup = (registry: Registry, group: string): boolean =>
  registry.group(group)?.versions.every(({ resources }) => resources.every(({ definition }) => definition.untyped)) ===
  true;

/** Whether the path is one that the scope of the resource has (CVE-2019-11247). */
const hasScopeOf = ({ scope }: ResourceDefinition, { namespaced, hasName }: RequestInfo): boolean =>
  scope === "Cluster" ? !namespaced : namespaced || !hasName;

/** The segments of a path are possible names (DEC-2). */
function checkSegments(info: RequestInfo): void {
  for (const segment of [info.namespace, info.name]) {
    if (segment === "." || segment === ".." || segment.includes("%")) {
      throw badRequest(`expected a path without the segment ${JSON.stringify(segment.slice(0, 200))}`);
    }
  }
}

interface PathVerbs {
  /** What a path of this form can select. */
  readonly possible: readonly string[];
  /** What the resource supports. */
  readonly served: readonly string[];
}

const WATCH_ONLY: readonly string[] = ["watch"];
const NONE: readonly string[] = [];
const SUBRESOURCE: readonly string[] = ["get", "update", "patch", "create"];

const connectorOf = ({ connectors }: ResourceDefinition, subresource: string): Connector | undefined =>
  connectors && Object.hasOwn(connectors, subresource) ? connectors[subresource] : undefined;

function verbsAt(definition: ResourceDefinition, info: RequestInfo): PathVerbs {
  const served: readonly string[] = definition.verbs ?? ALL_VERBS;
  if (info.watchPath) return { possible: info.subresource === "" ? WATCH_ONLY : NONE, served };
  if (info.subresource !== "") {
    const connector = connectorOf(definition, info.subresource);
    if (connector) return { possible: ALL_VERBS, served: connector.verbs };
    const { subresources } = definition;
    const rules = subresources && Object.hasOwn(subresources, info.subresource) && subresources[info.subresource];
    return { possible: SUBRESOURCE, served: rules ? rules.verbs : NONE };
  }
  if (info.hasName) return { possible: ITEM, served };
  const everywhere = definition.scope === "Namespaced" && !info.namespaced;
  return { possible: everywhere ? EVERYWHERE : COLLECTION, served };
}
