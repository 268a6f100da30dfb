/**
 * The paths that are served and are no resources, in the order in which they are tried. Filters, the refusals of unknown
 * paths and methods, and the list at `/` read this table; a server may have more.
 *
 * @module
 */
import { HISTORY_PATH } from "../../meta/history-report.ts";
import { EXPOSITION_TYPE, OPEN_METRICS_TYPE, acceptsOpenMetrics } from "../../util/exposition.ts";
import { respondWithValue } from "../response/respond.ts";
import { respondWithBytes } from "../response/encode.ts";
import { type Format, JSON_ONLY, negotiate } from "../response/negotiate.ts";
import { discoveryRoutes } from "../documents/discovery-endpoint.ts";
import { openApiRoutes } from "../documents/openapi-endpoint.ts";
import { OpenApi } from "../documents/openapi.ts";
import { versionInfo } from "../documents/version.ts";
import { DUMPS } from "../operations/dumps.ts";
import { type HealthCheck, healthRoutes } from "../operations/health.ts";
import { respondWithHistory } from "../operations/history.ts";
import type { ServerContext, ServerParts, Route } from "../request/context.ts";

const GET = ["GET"];

/** JSON for people, whatever the client accepts. */
const INDENTED: Format = { media: "json", shape: "", version: "", pretty: true };

/** The parts that the routes of a server need. */
export interface RouteParts extends Pick<ServerParts, "registry" | "clock"> {
  /** The version of the program, for `/version`. */
  readonly version: string;
  /** Checks of `/livez` and `/readyz` beside the server's own; none by default. */
  readonly health?: readonly HealthCheck[];
}

/** The routes of every server. */
export const routesOf = ({ registry, clock: { loop }, version, health = [] }: RouteParts): readonly Route[] => [
  {
    path: "/",
    methods: GET,
    listed: () => [],
    handle: (server, { response }) => respondWithValue(response, 200, { paths: listedPaths(server) }, INDENTED),
  },
  ...discoveryRoutes(registry, loop),
  ...healthRoutes(health),
  { path: HISTORY_PATH, methods: GET, handle: respondWithHistory },
  {
    path: "/metrics",
    methods: GET,
    handle: async (server, { incoming, response }) => {
      const isOpen = acceptsOpenMetrics(incoming.sent.header("accept"));
      const text = await server.metrics.text(isOpen ? "open" : "plain");
      return respondWithBytes(response, 200, Buffer.from(text), isOpen ? OPEN_METRICS_TYPE : EXPOSITION_TYPE);
    },
  },
  ...DUMPS,
  ...openApiRoutes(new OpenApi(registry, loop, version)),
  versionRoute(version),
];

function versionRoute(version: string): Route {
  const info = versionInfo(version);
  return {
    path: "/version",
    slash: true,
    public: true,
    methods: GET,
    handle: (_server, { response }) =>
      respondWithValue(response, 200, info, { ...negotiate(response.incoming, JSON_ONLY), pretty: true }),
  };
}

/** The paths that `/` lists, in order. */
const listedPaths = (server: ServerContext): string[] =>
  server.routes.all
    .flatMap((route) => route.listed?.(server) ?? (route.path.includes("{") ? [] : [route.path]))
    .toSorted();
