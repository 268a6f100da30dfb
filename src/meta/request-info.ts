/**
 * What a path asks for: the grammar of API paths, read without knowing which resources exist.
 *
 *     /api/v1/namespaces/NS/secrets/NAME/SUBRESOURCE     the core group
 *     /apis/GROUP/VERSION/storageclasses/NAME            all others
 *     /api/v1/watch/namespaces/NS/secrets                the deprecated form of `?watch=true`
 *     /healthz, /apis, /openapi/v3 ...                   not a resource
 *
 * Authorisation looks at the result before anybody asks whether the resource exists, so it must be complete also for
 * resources that do not (DEC-36, RBAC-2). A segment that is empty stays where it is: no resource is served there.
 *
 * @module
 */
import type { AskedSelector } from "./asked-selectors.ts";
import { badRequest } from "./status.ts";

/** Subresources whose requests last as long as both sides want. */
const ENDLESS_SUBRESOURCES: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/** A request in the words of authorisation. Members that do not apply are empty. */
export interface RequestInfo {
  /** The path without its escapes; that of a resource also without slashes at its end. */
  readonly path: string;
  readonly isResource: boolean;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, and nothing for other methods; what is
   * no resource has the method in lower case (RBAC-1, RBAC-2).
   */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** What follows the subresource: a path of whatever it leads to. */
  readonly rest: string;
  /** The object of the path; of a list or watch the one that its field selector names (RBAC-3). */
  readonly name: string;
  /** Whether the path has a name behind the resource. */
  readonly hasName: boolean;
  /** Whether the path has a namespace segment in front of the resource. */
  readonly namespaced: boolean;
  /** Whether the deprecated `/watch/` form was used. */
  readonly watchPath: boolean;
  /** What a list, watch or deletecollection selects, undefined where it selects nothing. */
  readonly fieldSelector: AskedSelector | undefined;
  readonly labelSelector: AskedSelector | undefined;
}

/** A request for nothing: what a question to an authorizer begins with. */
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

/** Whether the answer may go on for as long as its reader wants: a watch does, and what leads to a program. */
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
 * Removes the escapes of a raw path; 400 when they are malformed. An escaped slash becomes a slash: paths are taken
 * apart after decoding, as the reference does, and no name can contain one.
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
 * Reads a decoded path.
 *
 * @param watch whether the query asks for a watch; it is asked for collections only
 */
export function requestInfo(method: string, path: string, watch: () => boolean): RequestInfo {
  const trimmed = trimEnd(path);
  const parts = trimmed.split("/");
  // parts[0] is what stands before the first slash: nothing.
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
