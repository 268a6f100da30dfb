/**
 * The discovery endpoints: `/api`, `/apis` and what is below, plain or aggregated, with ETags.
 *
 * @module
 */
import { unknownPath } from "../../meta/status.ts";
import type { Registry } from "../../registry/contract.ts";
import { contentType } from "../response/in-form.ts";
import { type Clause, DOCUMENT, type Format, clausesOf, isPretty, negotiate } from "../response/negotiate.ts";
import type { Loop } from "../../util/loop.ts";
import type { Route, RouteResult } from "../request/context.ts";
import type { HttpResponse } from "../request/response.ts";
import { respondWithDocument } from "./document.ts";
import { Discovery } from "./discovery.ts";

const AGGREGATED_TYPE = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const GET = ["GET"];

const nothing = (): never => {
  throw unknownPath();
};

/** The routes to the documents of a registry. */
export function discoveryRoutes(registry: Registry, loop: Loop): readonly Route[] {
  const discovery = new Discovery(registry, loop);
  const groups = () => registry.groups().filter(({ group }) => group !== "");
  const versions = (core: boolean): string[] =>
    registry
      .groups()
      .filter(({ group }) => (group === "") === core)
      .flatMap((one) =>
        one.versions.map(({ version }) => (core ? `/api/${version}` : `/apis/${one.group}/${version}`)),
      );
  const resources: Route["handle"] = (_server, { response }, { group = "", version = "" }) =>
    respondWithResources(response, discovery, group, version);
  return [
    {
      path: "/api",
      slash: true,
      methods: GET,
      handle: (_server, { response }) => respondWithGroups(response, discovery, true),
    },
    { path: "/api/{version}", slash: true, methods: GET, listed: () => versions(true), handle: resources },
    { path: "/api/{rest...}", handle: nothing },
    // Any method, as the reference does.
    { path: "/apis", slash: true, handle: (_server, { response }) => respondWithGroups(response, discovery, false) },
    {
      path: "/apis/{group}",
      slash: true,
      methods: GET,
      listed: () => groups().map(({ group }) => `/apis/${group}`),
      handle: (_server, { response }, { group = "" }) => respondWithGroup(response, discovery, group),
    },
    { path: "/apis/{group}/{version}", slash: true, methods: GET, listed: () => versions(false), handle: resources },
    { path: "/apis/{rest...}", handle: nothing },
  ];
}

/** `/apis/GROUP`: false when the group is not known. */
function respondWithGroup(
  response: HttpResponse,
  discovery: Discovery,
  name: string,
): RouteResult | Promise<RouteResult> {
  if (!discovery.has(name)) return false;
  const format = negotiate(response.incoming, DOCUMENT);
  const document = discovery.group(name, format);
  return document !== undefined && respondWithDocument(response, document, contentType(format));
}

/** `/apis/GROUP/VERSION`, or `/api/VERSION` of the core group: false when the group is not known. */
function respondWithResources(
  response: HttpResponse,
  discovery: Discovery,
  name: string,
  version: string,
): RouteResult | Promise<RouteResult> {
  if (!discovery.has(name)) return false;
  // An unknown version is reported before the media types of the client are checked.
  if (!discovery.has(name, version)) throw unknownPath();
  const format = negotiate(response.incoming, DOCUMENT);
  const document = discovery.resources(name, version, format);
  return document !== undefined && respondWithDocument(response, document, contentType(format));
}

/** `/api` or `/apis`: aggregated where any clause of the Accept header says so. */
function respondWithGroups(response: HttpResponse, discovery: Discovery, core: boolean): void | Promise<void> {
  const { incoming } = response;
  const clause = clausesOf(incoming.sent.header("accept")).find(isAggregated);
  if (!clause) {
    const format = negotiate(incoming, DOCUMENT);
    return respondWithDocument(response, discovery.root(core, format), contentType(format));
  }
  const media = clause.media === "yaml" ? "yaml" : "json";
  const format: Format = { media, shape: "", version: "", pretty: isPretty(incoming) };
  const document = discovery.aggregated(core, format);
  return respondWithDocument(response, document, `application/${media};${AGGREGATED_TYPE}`);
}

const isAggregated = ({ media, as, group, version }: Clause): boolean =>
  media !== "other" &&
  media !== "protobuf" &&
  as === "APIGroupDiscoveryList" &&
  group === "apidiscovery.k8s.io" &&
  version === "v2";
