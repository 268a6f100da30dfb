/**
 * From a path to what answers it: a verb of a resource, or one of the documents of the server.
 *
 * @module
 */
import { HISTORY_PATH } from "../meta/history-report.ts";
import { ApiError, unknownPath } from "../meta/status.ts";
import type { ServerContext } from "./context.ts";
import { answerDiscovery, isDiscoveryPath } from "./documents/discovery-endpoint.ts";
import { answerBytes, answerValue } from "./answer/encode.ts";
import { EXPOSITION_TYPE } from "./operations/exposition.ts";
import { answerHealth, isHealthPath } from "./operations/health.ts";
import { answerHistory } from "./operations/history.ts";
import { DOCUMENT, JSON_ONLY } from "./answer/negotiate.ts";
import { V2, answerOpenApi, answerOpenApiV2, isOpenApiPath } from "./documents/openapi-endpoint.ts";
import type { ServerRequest } from "./request.ts";
import { resolve } from "./resolve.ts";

/** Finds the resource of a request, as {@link answer} will need it. */
export function findResource(server: ServerContext, request: ServerRequest): void {
  const info = request.info!;
  if (!info.isResource) return;
  const found = resolve(server.registry, info, request.exchange.method);
  if (!found) return;
  request.resource = found.resource;
  request.handler = found.handler;
}

/** Answers a request. */
export function answer(server: ServerContext, request: ServerRequest): void | Promise<void> {
  if (request.handler) return request.handler(server, request, request.resource!);
  const { path, isResource } = request.info!;
  if (isResource) return notServed(server, request);
  if (isHealthPath(path)) return answerHealth(server, request, path) ? undefined : notServed(server, request);
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (isDiscoveryPath(trimmed)) return discovery(server, request, trimmed);
  if (trimmed === "/version") {
    onlyGet(request);
    return answerValue(server, request, 200, server.version, { ...request.format(JSON_ONLY), pretty: true });
  }
  const endpoint = server.endpoints.get(path);
  if (endpoint) {
    onlyGet(request);
    return endpoint(request);
  }
  if (path === "/metrics") return answerMetrics(server, request);
  if (path === HISTORY_PATH) {
    onlyGet(request);
    return answerHistory(server, request);
  }
  if (path === V2) return answerOpenApiV2(server, request);
  if (isOpenApiPath(path)) return answerOpenApi(server, request, path);
  if (path === "/") onlyGet(request);
  if (path === "/") return answerValue(server, request, 200, { paths: pathsOf(server) }, request.format(DOCUMENT));
  if (path.startsWith("/api/") || path.startsWith("/apis/")) throw unknownPath();
  return notServed(server, request);
}

async function answerMetrics(server: ServerContext, request: ServerRequest): Promise<void> {
  onlyGet(request);
  const { metrics } = server;
  await answerBytes(server, request, 200, Buffer.from(await metrics.text()), EXPOSITION_TYPE);
}

/** `/apis` takes any method, as the reference does; the others are read only. */
function discovery(server: ServerContext, request: ServerRequest, path: string): void | Promise<void> {
  if (path !== "/apis") onlyGet(request);
  const found = answerDiscovery(server, request, path);
  if (found instanceof Promise) return found.then(() => undefined);
  if (!found) notServed(server, request);
}

function onlyGet({ exchange }: ServerRequest): void {
  if (exchange.method === "GET") return;
  const message = `${exchange.method} is not supported on this path: expected GET`;
  throw new ApiError("MethodNotAllowed", message, { details: {} });
}

const NOT_FOUND = Buffer.from("404 page not found\n");

/** 404 for a path of nobody's: plain text where the dialect follows the reference, a Status otherwise (CONV-1). */
function notServed(server: ServerContext, request: ServerRequest): void {
  if (!server.dialect.rules.unknownGroupPlainText) throw unknownPath();
  const headers = request.headers("text/plain; charset=utf-8");
  headers["x-content-type-options"] = "nosniff";
  request.respond(404, headers, NOT_FOUND);
}

function pathsOf({ discovery: { groups } }: ServerContext): string[] {
  const named = groups.filter(({ name }) => name !== "");
  return [
    "/api",
    ...groups.filter(({ name }) => name === "").flatMap(({ versions }) => versions.map((v) => `/api/${v.version}`)),
    "/apis",
    ...named.flatMap(({ name, versions }) => [`/apis/${name}`, ...versions.map((v) => `/apis/${name}/${v.version}`)]),
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ];
}
