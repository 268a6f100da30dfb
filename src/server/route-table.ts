/**
 * The table of routes: which of them has a path, and what becomes of a path that none has.
 *
 * @module
 */
import { otherDialectHint } from "../meta/dialect.ts";
import { ApiError, unknownPath } from "../meta/status.ts";
import type { Route, RouteAnswer, RouteParams, Routes, ServerContext } from "./context.ts";
import type { ServerRequest } from "./request.ts";

interface Row {
  readonly route: Route;
  readonly pattern: RegExp;
}

/** Routes by path. Those whose path is no template are found at once, the others are tried in order. */
export class RouteTable implements Routes {
  readonly all: readonly Route[];
  readonly #exact = new Map<string, Route>();
  readonly #templates: Row[] = [];

  /** Throws where two routes have the same path. */
  constructor(routes: readonly Route[]) {
    this.all = routes;
    const paths = new Set<string>();
    for (const route of routes) {
      if (paths.has(route.path)) throw new Error(`Expected one route for ${route.path}, got two`);
      paths.add(route.path);
      if (route.path.includes("{")) this.#templates.push({ route, pattern: patternOf(route) });
      else for (const path of route.slash ? [route.path, `${route.path}/`] : [route.path]) this.#exact.set(path, route);
    }
  }

  find(path: string): { readonly route: Route; readonly params: RouteParams } | undefined {
    const exact = this.#exact.get(path);
    if (exact) return { route: exact, params: NO_PARAMS };
    for (const { route, pattern } of this.#templates) {
      const match = pattern.exec(path);
      if (match) return { route, params: match.groups ?? NO_PARAMS };
    }
    return undefined;
  }
}

const NO_PARAMS: RouteParams = {};

/** `/apis/{group}/{rest...}` as an expression. */
function patternOf({ path, slash = false }: Route): RegExp {
  const source = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\{(\w+)\\\.\\\.\\\.\}/g, "(?<$1>.+)")
    .replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return new RegExp(`^${source}${slash ? "/?" : ""}$`, "s");
}

/** Finds what answers a path that is no resource. */
export function findRoute(server: ServerContext, request: ServerRequest): void {
  const match = server.routes.find(request.info!.path);
  if (!match) return;
  const { route, params } = match;
  request.isPublic = route.public === true;
  request.route = route.path;
  request.answer = () => answerRoute(server, request, route, params);
}

function answerRoute(
  server: ServerContext,
  request: ServerRequest,
  route: Route,
  params: RouteParams,
): void | Promise<void> {
  const { method } = request.exchange;
  if (route.methods && !route.methods.includes(method)) {
    const message = `${method} is not supported on this path: expected ${route.methods.join(" or ")}`;
    throw new ApiError("MethodNotAllowed", message, { details: {} });
  }
  const finish = (found: RouteAnswer): void => {
    if (found === false) notServed(server, request);
  };
  const answered = route.answer(server, request, params);
  return answered instanceof Promise ? answered.then(finish) : finish(answered);
}

/** The group that a path is about, also of a document about it. */
const groupIn = (path: string): string => /(?:^|\/)apis\/([^/]+)/.exec(path)?.[1] ?? "";

/** 404 for a path of nobody's: plain text where the dialect follows the reference, a Status otherwise (CONV-1). */
export function notServed(server: ServerContext, request: ServerRequest): void {
  const hint = otherDialectHint(groupIn(request.rawPath), server.dialect);
  if (!server.dialect.rules.unknownGroupPlainText) throw unknownPath(hint);
  const headers = request.headers("text/plain; charset=utf-8");
  headers["x-content-type-options"] = "nosniff";
  request.respond(404, headers, Buffer.from(`404 page not found${hint}\n`));
}
