import type { ServerContext } from "./context.ts";
import type { ServerRequest } from "./request.ts";

/**
 * A path that is answered and is no resource. The user is authorized, and the method is one of those named; what
 * {@link Route.answer} throws is answered as for any request.
 */
export interface Route {
  /**
   * The path as a template: `{name}` stands for a segment, `{name...}` at the end for all the rest, of a byte or more.
   * The first route that fits a path has it.
   */
  readonly path: string;
  /** Whether the same path with a slash at its end is meant, too; false by default. */
  readonly slash?: boolean;
  /** The methods that are answered, 405 for all others; any by default. */
  readonly methods?: readonly string[];
  /** Whether it is answered without a credential; false by default. */
  readonly public?: boolean;
  /** The paths that `/` lists for it: the path itself by default, or nothing where that is a template. */
  listed?(server: ServerContext): readonly string[];
  /** Answers; false, now or later, where there is nothing of that name: the answer is 404. */
  answer(server: ServerContext, request: ServerRequest, params: RouteParams): RouteAnswer | Promise<RouteAnswer>;
}

/** What stood in a path for the names in its template. */
export type RouteParams = Readonly<Record<string, string>>;

/** False where there is nothing. */
export type RouteAnswer = void | false;

/** The table of routes. */
export interface Routes {
  readonly all: readonly Route[];
  /** The route that has a path, and what stood there for its names. */
  find(path: string): { readonly route: Route; readonly params: RouteParams } | undefined;
}
