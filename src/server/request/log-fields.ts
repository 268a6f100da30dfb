import type { RequestInfo } from "../../meta/request-info.ts";
import type { ServerRequest } from "./request.ts";

/** A request as the log has it: no part is longer than a few hundred bytes, and names of objects are left out. */
export interface LogFields {
  /** The address at the other end of the connection; empty in process. */
  readonly client: string;
  readonly user: string;
  /** `other` for one that HTTP does not have. */
  readonly method: string;
  /** The path as a template, `/api/v1/namespaces/{namespace}/pods/{name}`. */
  readonly route: string;
}

const MAX_USER_LENGTH = 200;
/** Over HTTP/2 a method may be any word. */
const METHODS: ReadonlySet<string> = new Set("GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE".split(" "));

/** See {@link LogFields}. */
export function logFields(request: ServerRequest): LogFields {
  const { method, connection } = request.incoming.sent;
  return {
    client: connection.address,
    user: request.identity.user.slice(0, MAX_USER_LENGTH),
    method: METHODS.has(method) ? method : "other",
    route: routeOf(request),
  };
}

/** The path of a request as a template, `/api/v1/namespaces/{namespace}/pods/{name}/status`; `other` for an unknown path. */
function routeOf({ route, resource, info }: ServerRequest): string {
  if (!resource) return route ?? "other";
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
