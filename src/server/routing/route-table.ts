/**
 * The table of routes: which route serves a path, and the response to a path without one.
 *
 * @module
 */
import { otherDialectHint } from "../../meta/dialect.ts";
import { ApiError, unknownPath } from "../../meta/status.ts";
import type { ServerContext, Route, RouteResult, RouteParams, Routes } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";

/** A route whose path is a template. */
interface Template {
  readonly route: Route;
  readonly segments: readonly Segment[];
}

/** A segment of a path: a literal, or the name of a parameter, which at the end may stand for all the rest. */
type Segment = { readonly text: string } | { readonly name: string; readonly isRest: boolean };

/** Routes by path. Those whose path is no template are found at once, the others are tried in order. */
export class RouteTable implements Routes {
  readonly all: readonly Route[];
  readonly #exact = new Map<string, Route>();
  readonly #templates: Template[] = [];

  /** Throws where two routes have the same path. */
  constructor(routes: readonly Route[]) {
    this.all = routes;
    const paths = new Set<string>();
    for (const route of routes) {
      if (paths.has(route.path)) throw new Error(`Expected one route for ${route.path}, got two`);
      paths.add(route.path);
      if (route.path.includes("{")) this.#templates.push({ route, segments: route.path.split("/").map(segmentOf) });
      else for (const path of route.slash ? [route.path, `${route.path}/`] : [route.path]) this.#exact.set(path, route);
    }
  }

  find(path: string): { readonly route: Route; readonly params: RouteParams } | undefined {
    const exact = this.#exact.get(path);
    if (exact) return { route: exact, params: NO_PARAMS };
    const parts = path.split("/");
    for (const template of this.#templates) {
      const params = paramsOf(template, parts);
      if (params) return { route: template.route, params };
    }
    return undefined;
  }
}

const NO_PARAMS: RouteParams = {};

function segmentOf(text: string): Segment {
  const [, name, rest] = /^\{(\w+)(\.\.\.)?\}$/.exec(text) ?? [];
  return name === undefined ? { text } : { name, isRest: rest !== undefined };
}

/** The values of a template's parameters in a path; undefined where the path does not match. */
function paramsOf({ route, segments }: Template, parts: readonly string[]): RouteParams | undefined {
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const part = parts[i];
    if (part === undefined || ("text" in segment && segment.text !== part)) return undefined;
    if ("text" in segment) continue;
    const value = segment.isRest ? parts.slice(i).join("/") : part;
    if (value === "") return undefined;
    params[segment.name] = value;
    if (segment.isRest) return params;
  }
  const isWhole = parts.length === segments.length;
  const endsInSlash = route.slash === true && parts.length === segments.length + 1 && parts.at(-1) === "";
  return isWhole || endsInSlash ? params : undefined;
}

/** Finds the route of a path that is no resource. */
export function findRoute(server: ServerContext, request: ServerRequest): void {
  const match = server.routes.find(request.info.path);
  if (!match) return;
  const { route, params } = match;
  request.isPublic = route.public === true;
  request.isOpen = route.open === true;
  request.hidesQuery = route.hidesQuery === true;
  request.route = route.path;
  request.handle = () => respondForRoute(server, request, route, params);
}

function respondForRoute(
  server: ServerContext,
  request: ServerRequest,
  route: Route,
  params: RouteParams,
): void | Promise<void> {
  const { method } = request.incoming.sent;
  if (route.methods && !route.methods.includes(method)) {
    const message = `${method} is not supported on this path: expected ${route.methods.join(" or ")}`;
    throw new ApiError("MethodNotAllowed", message, { details: {} });
  }
  const finish = (found: RouteResult): void => {
    if (found === false) notServed(server, request);
  };
  const result = route.handle(server, request, params);
  return result instanceof Promise ? result.then(finish) : finish(result);
}

/** The group that a path is about, also of a document about it. */
const groupIn = (path: string): string => /(?:^|\/)apis\/([^/]+)/.exec(path)?.[1] ?? "";

/** 404 for an unknown path: plain text where the dialect follows the reference, a Status otherwise (CONV-1). */
export function notServed({ dialect }: ServerContext, { incoming, response }: ServerRequest): void {
  const hint = otherDialectHint(groupIn(incoming.rawPath), dialect);
  if (!dialect.rules.unknownGroupPlainText) throw unknownPath(hint);
  const headers = response.headers("text/plain; charset=utf-8");
  headers["x-content-type-options"] = "nosniff";
  response.respond(404, headers, Buffer.from(`404 page not found${hint}\n`));
}
