/**
 * Routes and their URLs.
 *
 * @module
 */

/** The kind of a route. */
interface RouteKind {
  /** Empty for the core group, which is `core` in URLs. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** What a list lets through, and its order. */
export interface ListFilter {
  /** All namespaces if absent. */
  readonly namespace?: string;
  /** A label selector. */
  readonly labels?: string;
  /** A field selector. */
  readonly fields?: string;
  /** A part of the name. */
  readonly name?: string;
  /** A part of any cell. */
  readonly text?: string;
  /** The column by which rows are sorted. */
  readonly sort?: string;
  readonly desc?: boolean;
}

/** The list of a kind. */
export interface ListRoute extends RouteKind, ListFilter {
  readonly view: "list";
}

/** A tab of the view of an object. */
export type ObjectTab = "yaml" | "history" | "events" | "graph" | "why" | "logs";

/** An object. */
export interface ObjectRoute extends RouteKind {
  readonly view: "object";
  /** Absent for objects of the cluster. */
  readonly namespace?: string;
  readonly name: string;
  /** `yaml` if absent. */
  readonly tab?: ObjectTab;
}

/** Returns the route of an object of a kind; an empty namespace counts as none. */
export const objectRoute = (
  { group, version, resource }: RouteKind,
  namespace: string | undefined,
  name: string,
): ObjectRoute => ({ view: "object", group, version, resource, ...(namespace ? { namespace } : {}), name });

/** A new object, of this kind (`apps/v1/deployments`, `core/v1/pods`) if one is chosen. */
export interface NewRoute {
  readonly view: "new";
  readonly kind?: string;
  readonly namespace?: string;
}

/** Views that have a path of their own; what else they have in the URL they read from `query`. */
export interface PlainRoute {
  readonly view: "home" | "storage" | "workloads" | "server" | "explore" | "plan" | "sign-in";
  readonly query?: Readonly<Record<string, string>>;
}

/** The parameters of a view after a change; what is undefined or empty is left out. */
export function changedQuery(
  query: NonNullable<PlainRoute["query"]>,
  change: Readonly<Record<string, string | undefined>>,
): NonNullable<PlainRoute["query"]> {
  const entries = Object.entries({ ...query, ...change }).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(entries) as Record<string, string>;
}

/** A path that is none of the console. */
interface UnknownRoute {
  readonly view: "unknown";
  readonly path: string;
}

/** What the page shows. */
export type Route = ListRoute | ObjectRoute | NewRoute | PlainRoute | UnknownRoute;

const ROOT = "/console/";
const PLAIN: ReadonlySet<string> = new Set(["storage", "workloads", "server", "explore", "plan", "sign-in"]);
const TABS: ReadonlySet<string> = new Set(["yaml", "history", "events", "graph", "why", "logs"]);
const TEXTS = ["namespace", "labels", "fields", "name", "text", "sort"] as const;

/** The route of a path and the text after it, `?namespace=default`. */
export function parseRoute(pathname: string, search: string): Route {
  const unknown: Route = { view: "unknown", path: pathname };
  if (pathname !== "/console" && !pathname.startsWith(ROOT)) return unknown;
  const parameters = new URLSearchParams(search);
  const members = pathname.slice(ROOT.length).replace(/\/$/, "").split("/").map(decoded);
  const [view = "", group = "", version = "", resource = "", namespace = "", name = ""] = members;
  const kind = { group: group === "core" ? "" : group, version, resource };
  if (view === "" && members.length === 1) return { view: "home" };
  if (PLAIN.has(view) && members.length === 1) {
    parameters.delete("at");
    const query = Object.fromEntries(parameters);
    return { view: view as PlainRoute["view"], ...(Object.keys(query).length > 0 ? { query } : {}) };
  }
  if (view === "new" && members.length === 1) {
    const [of, inside] = [parameters.get("kind"), parameters.get("namespace")];
    return { view, ...(of ? { kind: of } : {}), ...(inside ? { namespace: inside } : {}) };
  }
  if (view === "list" && members.length === 4 && resource !== "") {
    const texts = TEXTS.flatMap((member) => {
      const value = parameters.get(member);
      return value ? [[member, value]] : [];
    });
    return { view, ...kind, ...Object.fromEntries(texts), ...(parameters.has("desc") ? { desc: true } : {}) };
  }
  if (view === "object" && members.length === 6 && name !== "") {
    const tab = parameters.get("tab") ?? "";
    return {
      view,
      ...kind,
      ...(namespace === "-" ? {} : { namespace }),
      name,
      ...(TABS.has(tab) ? { tab: tab as ObjectTab } : {}),
    };
  }
  return unknown;
}

/** The path of a route. */
export function routePath(to: Route): string {
  const path = (...members: string[]): string => ROOT + members.map(encodeURIComponent).join("/");
  switch (to.view) {
    case "home":
      return ROOT;
    case "unknown":
      return to.path;
    case "list":
      return path("list", to.group || "core", to.version, to.resource);
    case "object":
      return path("object", to.group || "core", to.version, to.resource, to.namespace ?? "-", to.name);
    default:
      return path(to.view);
  }
}

/** The parameters of a route. */
export function routeSearch(to: Route): URLSearchParams {
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | undefined): void => {
    if (value) parameters.set(name, value);
  };
  switch (to.view) {
    case "list":
      for (const member of TEXTS) set(member, to[member]);
      if (to.desc) parameters.set("desc", "1");
      break;
    case "object":
      set("tab", to.tab === "yaml" ? undefined : to.tab);
      break;
    case "new":
      set("kind", to.kind);
      set("namespace", to.namespace);
      break;
    case "unknown":
      break;
    default:
      for (const [name, value] of Object.entries(to.query ?? {})) set(name, value);
  }
  return parameters;
}

/** A member of a path; one that is not well encoded stands for itself. */
function decoded(member: string): string {
  try {
    return decodeURIComponent(member);
  } catch {
    return member;
  }
}
