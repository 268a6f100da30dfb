import type { RequestInfo } from "../../meta/request-info.ts";
import type { ServerRequest } from "./request.ts";

/** Who asks for what, for the log: no part of it is longer than a few hundred bytes, and names of objects are left out. */
export interface WhoAsks {
  /** The address at the other end of the connection; empty in process. */
  readonly client: string;
  readonly user: string;
  /** `other` for one that HTTP does not have. */
  readonly method: string;
  /** The path as a template, see {@link routeOf}. */
  readonly route: string;
}

const MOST_USER = 200;
/** Over HTTP/2 a method may be any word. */
const METHODS: ReadonlySet<string> = new Set("GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE".split(" "));

/** See {@link WhoAsks}. */
export const whoAsks = (request: ServerRequest): WhoAsks => ({
  client: request.exchange.connection.address,
  user: request.identity.user.slice(0, MOST_USER),
  method: METHODS.has(request.exchange.method) ? request.exchange.method : "other",
  route: routeOf(request),
});

/** The path of a request as a template, `/api/v1/namespaces/{namespace}/pods/{name}/status`; `other` for none of ours. */
export function routeOf({ route, resource, info }: ServerRequest): string {
  if (!resource || !info) return route ?? "other";
  const { group, version, plural } = resource.definition;
  const parts = [group === "" ? `/api/${version}` : `/apis/${group}/${version}`, ...below(info, plural)];
  return parts.join("/");
}

const below = ({ namespaced, hasName, subresource }: RequestInfo, plural: string): string[] => [
  ...(namespaced ? ["namespaces/{namespace}"] : []),
  plural,
  ...(hasName ? ["{name}"] : []),
  ...(subresource === "" ? [] : [subresource]),
];
