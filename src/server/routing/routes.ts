/**
 * The paths that are answered and are no resources, in the order in which they are tried. Filters, the refusals of unknown
 * paths and methods, and the list at `/` read this table; who makes a server may add to it.
 *
 * @module
 */
import { HISTORY_PATH } from "../../meta/history-report.ts";
import { unknownPath } from "../../meta/status.ts";
import { answerBytes } from "../answer/encode.ts";
import { answerValue } from "../answer/answer-value.ts";
import { type Format, JSON_ONLY } from "../answer/negotiate.ts";
import type { Route, ServerContext } from "../request/context.ts";
import { answerGroup, answerGroups, answerResources } from "../documents/discovery-endpoint.ts";
import { ROOT, V2, answerOpenApi, answerOpenApiIndex, answerOpenApiV2 } from "../documents/openapi-endpoint.ts";
import { EXPOSITION_TYPE } from "../../util/exposition.ts";
import { DUMPS } from "../operations/dumps.ts";
import { answerHealth } from "../operations/health.ts";
import { answerHistory } from "../operations/history.ts";

const GET = ["GET"];

const WRITTEN_FOR_PEOPLE: Format = { media: "json", shape: "", version: "", pretty: true };

const nothing = (): never => {
  throw unknownPath();
};

/** Health is open to everybody: those who ask are load balancers, and people in front of a locked door. */
const health = (name: "healthz" | "livez" | "readyz"): Route[] => [
  { path: `/${name}`, public: true, answer: (server, request) => answerHealth(server, request, name, "") },
  {
    path: `/${name}/{check...}`,
    public: true,
    answer: (server, request, { check }) => answerHealth(server, request, name, check!),
  },
];

const groupVersions = ({ discovery }: ServerContext, core: boolean): string[] =>
  discovery.groups
    .filter(({ group }) => (group === "") === core)
    .flatMap(({ group, versions }) =>
      versions.map(({ version }) => (core ? `/api/${version}` : `/apis/${group}/${version}`)),
    );

/** The routes of every server. */
export const ROUTES: readonly Route[] = [
  {
    path: "/",
    methods: GET,
    listed: () => [],
    answer: (server, request) =>
      // JSON, whatever the client takes.
      answerValue(server, request, 200, { paths: listedPaths(server) }, WRITTEN_FOR_PEOPLE),
  },
  { path: "/api", slash: true, methods: GET, answer: (server, request) => answerGroups(server, request, true) },
  {
    path: "/api/{version}",
    slash: true,
    methods: GET,
    listed: (server) => groupVersions(server, true),
    answer: (server, request, { version }) => answerResources(server, request, "", version!),
  },
  { path: "/api/{rest...}", answer: nothing },
  // Any method, as the reference does.
  { path: "/apis", slash: true, answer: (server, request) => answerGroups(server, request, false) },
  {
    path: "/apis/{group}",
    slash: true,
    methods: GET,
    listed: ({ discovery }) =>
      discovery.groups.filter(({ group }) => group !== "").map(({ group }) => `/apis/${group}`),
    answer: (server, request, { group }) => answerGroup(server, request, group!),
  },
  {
    path: "/apis/{group}/{version}",
    slash: true,
    methods: GET,
    listed: (server) => groupVersions(server, false),
    answer: (server, request, { group, version }) => answerResources(server, request, group!, version!),
  },
  { path: "/apis/{rest...}", answer: nothing },
  ...health("healthz"),
  ...health("livez"),
  ...health("readyz"),
  { path: HISTORY_PATH, methods: GET, answer: answerHistory },
  {
    path: "/metrics",
    methods: GET,
    answer: async (server, request) =>
      answerBytes(server, request, 200, Buffer.from(await server.metrics.text()), EXPOSITION_TYPE),
  },
  ...DUMPS,
  { path: V2, answer: answerOpenApiV2 },
  { path: ROOT, answer: answerOpenApiIndex },
  { path: `${ROOT}/{name...}`, answer: (server, request, { name }) => answerOpenApi(server, request, name!) },
  {
    path: "/version",
    slash: true,
    public: true,
    methods: GET,
    answer: (server, request) =>
      answerValue(server, request, 200, server.version, { ...request.format(JSON_ONLY), pretty: true }),
  },
];

/** What `/` lists, in order. */
const listedPaths = (server: ServerContext): string[] =>
  server.routes.all
    .flatMap((route) => route.listed?.(server) ?? (route.path.includes("{") ? [] : [route.path]))
    .toSorted();
