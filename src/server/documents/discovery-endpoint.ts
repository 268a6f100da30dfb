/**
 * The discovery endpoints: `/api`, `/apis` and what is below, plain or aggregated, with ETags.
 *
 * @module
 */
import { unknownPath } from "../../meta/status.ts";
import { contentType } from "../answer/in-form.ts";
import { answerDocument } from "./answer-document.ts";
import { type Clause, DOCUMENT, type Format, clausesOf } from "../answer/negotiate.ts";
import type { RouteAnswer, ServerContext } from "../request/context.ts";
import type { ServerRequest } from "../request/request.ts";

const AGGREGATED_TYPE = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `/apis/GROUP`: false when the group is not known. */
export function answerGroup(
  server: ServerContext,
  request: ServerRequest,
  name: string,
): RouteAnswer | Promise<RouteAnswer> {
  if (!server.discovery.has(name)) return false;
  const format = request.format(DOCUMENT);
  return answerDocument(server, request, server.discovery.group(name, format)!, contentType(format));
}

/** `/apis/GROUP/VERSION`, or `/api/VERSION` of the core group: false when the group is not known. */
export function answerResources(
  server: ServerContext,
  request: ServerRequest,
  name: string,
  version: string,
): RouteAnswer | Promise<RouteAnswer> {
  if (!server.discovery.has(name)) return false;
  // That there is no such version comes before what the client takes.
  if (!server.discovery.has(name, version)) throw unknownPath();
  const format = request.format(DOCUMENT);
  return answerDocument(server, request, server.discovery.resources(name, version, format)!, contentType(format));
}

/** `/api` or `/apis`: aggregated for whoever asks for it, wherever in the Accept header. */
export function answerGroups(server: ServerContext, request: ServerRequest, core: boolean): void | Promise<void> {
  const { discovery } = server;
  const clause = clausesOf(request.exchange.header("accept")).find(wantsAggregated);
  if (!clause) {
    const format = request.format(DOCUMENT);
    return answerDocument(server, request, discovery.root(core, format), contentType(format));
  }
  const media = clause.media === "yaml" ? "yaml" : "json";
  const format: Format = { media, shape: "", version: "", pretty: request.pretty };
  return answerDocument(server, request, discovery.aggregated(core, format), `application/${media};${AGGREGATED_TYPE}`);
}

const wantsAggregated = ({ media, as, group, version }: Clause): boolean =>
  media !== "other" &&
  media !== "protobuf" &&
  as === "APIGroupDiscoveryList" &&
  group === "apidiscovery.k8s.io" &&
  version === "v2";
