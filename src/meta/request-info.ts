/**
 * The request of a path: the grammar of API paths, parsed without knowing which resources exist.
 *
 *     /api/v1/namespaces/NS/secrets/NAME/SUBRESOURCE     the core group
 *     /apis/GROUP/VERSION/storageclasses/NAME            all others
 *     /api/v1/watch/namespaces/NS/secrets                the deprecated form of `?watch=true`
 *     /healthz, /apis, /openapi/v3 ...                   not a resource
 *
 * Authorization uses the result before the resource is looked up, so it is complete also for resources that do not exist
 * (DEC-36, RBAC-2). An empty segment is kept: no resource is served there.
 *
 * @module
 */
import type { RequestedSelector } from "./requested-selectors.ts";
import { badRequest } from "./status.ts";

/** Subresources with streams that last until one side closes them. */
const ENDLESS_SUBRESOURCES: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** The attributes of a request for authorization. Members that do not apply are empty. */
export interface RequestInfo {
  /** The decoded path; that of a resource has no slashes at its end. */
  readonly path: string;
  readonly isResource: boolean;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, empty for other methods; the method in
   * lower case for a path that is no resource (RBAC-1, RBAC-2).
   */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** The path after the subresource, for example that of a proxied request. */
  readonly rest: string;
  /** The name in the path; of a list or watch the one in its field selector (RBAC-3). */
  readonly name: string;
  /** Whether the path has a name after the resource. */
  readonly hasName: boolean;
  /** Whether the path has a namespace before the resource. */
  readonly namespaced: boolean;
  /** Whether the deprecated `/watch/` form was used. */
  readonly watchPath: boolean;
  /** The selectors of a list, watch or deletecollection; undefined where there is none. */
  readonly fieldSelector: RequestedSelector | undefined;
  readonly labelSelector: RequestedSelector | undefined;
}

/** A request with empty attributes, to build others from. */
export const NO_REQUEST: RequestInfo = {
  path: "",
  isResource: false,
  verb: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  rest: "",
  name: "",
  hasName: false,
  namespaced: false,
  watchPath: false,
  fieldSelector: undefined,
  labelSelector: undefined,
};

/** Whether the response may last until one side closes it: a watch, or a stream of a Pod. */
export const isLongRunning = ({ verb, isResource, subresource }: RequestInfo): boolean =>
  verb === "watch" || (isResource && ENDLESS_SUBRESOURCES.has(subresource));

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
  GET: "get",
  HEAD: "get",
};

/**
 * Decodes a raw path; 400 when its escapes are malformed. An escaped slash becomes a slash: paths are split after decoding,
 * as in the reference, and no name can contain one.
 */
export function decodePath(raw: string): string {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    throw badRequest(`expected the path to have valid percent escapes, got ${JSON.stringify(raw.slice(0, 200))}`);
  }
}

/**
 * Parses a decoded path.
 *
 * @param watch whether the query requests a watch; it is called for collections only
 */
export function requestInfo(method: string, path: string, watch: () => boolean): RequestInfo {
  const trimmed = trimEnd(path);
  const parts = trimmed.split("/");
  // parts[0] is empty: it is before the first slash.
  const core = parts[1] === "api";
  const head = core ? 3 : 4;
  if ((!core && parts[1] !== "apis") || parts.length <= head || parts[0] !== "") return other(method, path);
  const group = core ? "" : parts[2]!;
  const version = parts[head - 1]!;
  const watchPath = parts[head] === "watch";
  const at = watchPath ? head + 1 : head;
  if (parts.length <= at) return other(method, path);
  return resourceInfo(method, trimmed, parts, at, { group, version, watchPath, watch });
}

interface Head {
  readonly group: string;
  readonly version: string;
  readonly watchPath: boolean;
  readonly watch: () => boolean;
}

/** The rest of a path from the segment `at` on: `[namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE[/REST]]]`. */
function resourceInfo(method: string, path: string, parts: readonly string[], at: number, head: Head): RequestInfo {
  let from = at;
  let namespace = "";
  let namespaced = false;
  // `namespaces/NS/status` and `namespaces/NS/finalize` are subresources of the namespace, not resources inside it.
  if (parts[at] === "namespaces" && parts.length > at + 1) {
    namespace = parts[at + 1]!;
    const inside = parts[at + 2];
    if (inside !== undefined && inside !== "status" && inside !== "finalize") {
      from = at + 2;
      namespaced = true;
    }
  }
  const name = parts[from + 1] ?? "";
  return {
    path,
    isResource: true,
    verb: verbOf(method, name !== "", head),
    group: head.group,
    version: head.version,
    namespace,
    resource: parts[from]!,
    subresource: parts[from + 2] ?? "",
    rest: parts.slice(from + 3).join("/"),
    name,
    hasName: name !== "",
    namespaced,
    watchPath: head.watchPath,
    fieldSelector: undefined,
    labelSelector: undefined,
  };
}

function verbOf(method: string, named: boolean, head: Head): string {
  if (head.watchPath) return "watch";
  const verb = Object.hasOwn(VERBS, method) ? VERBS[method]! : "";
  if (named) return verb;
  if (verb === "get") return head.watch() ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

const other = (method: string, path: string): RequestInfo => ({ ...NO_REQUEST, path, verb: method.toLowerCase() });

function trimEnd(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--;
  return end === path.length ? path : path.slice(0, end);
}
