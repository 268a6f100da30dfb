/**
 * The spans of requests, with the names and attributes of kube-apiserver: one for the request, and within it one for each step
 * that may wait. They are added to the filters of a server that traces; other servers do not load them.
 *
 * In kube-apiserver each filter is within the one before it; here they stand side by side, so that each has its own time.
 *
 * Who may decide whether a request is traced is known after authentication. Where that calls a webhook, the trace begins with the call,
 * as for a user who may not decide it.
 *
 * @module
 */
import type { Identity } from "../../auth/contract.ts";
import { baggageOf, remoteSpan } from "../../tracing/trace-context.ts";
import type { Tracer } from "../../tracing/tracer.ts";
import { cutText } from "../../util/cut-text.ts";
import { type Span, type SpanAttributes, inSpan } from "../../util/span.ts";
import type { ServerRequest } from "../request/request.ts";
import type { Filter } from "./contract.ts";

/** The filters that get a span, by their names in kube-apiserver. */
const SPANS: ReadonlyMap<string, string> = new Map([
  ["audit", "audit"],
  ["impersonate", "impersonation"],
  ["fairness", "priorityandfairness"],
  ["authorise", "authorization"],
]);

/** The spans of verbs. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ["get", "Get"],
  ["list", "List"],
  ["create", "Create"],
  ["update", "Update"],
  ["patch", "Patch"],
  ["delete", "Delete"],
  ["deletecollection", "Delete"],
]);

/** Users whose `traceparent` decides whether a request is traced. */
const TRUSTED_GROUPS: ReadonlySet<string> = new Set(["system:masters", "system:monitoring"]);

const MAX_USER_AGENT_BYTES = 256;
const MAX_AUDIT_ID_BYTES = 64;
const UNAUTHORIZED = 401;
const SERVER_ERROR = 500;

/** Returns filters that trace requests. */
export function traced(filters: readonly Filter[], tracer: Tracer): readonly Filter[] {
  const at = filters.findIndex(({ name }) => name === "authenticate");
  return filters
    .map((filter) => (filter.name === "authenticate" ? authenticating(filter, tracer) : spanned(filter)))
    .toSpliced(at + 1, 0, tracing(tracer));
}

/** A filter whose calls begin the span of the request. */
function authenticating(filter: Filter, tracer: Tracer): Filter {
  return {
    ...filter,
    enter: (server, request) => {
      const { incoming, response } = request;
      const holder = {
        get current() {
          response.root ??= begin(tracer, request, false);
          return (response.authentication ??= response.root.start("authentication", {}, { at: incoming.startedAt }));
        },
      };
      return tracer.run(holder, () => filter.enter?.(server, request));
    },
  };
}

/** Begins the span of a request; `isTrusted` says whether its `traceparent` decides. */
function begin(tracer: Tracer, request: ServerRequest, isTrusted: boolean): Span {
  const { incoming } = request;
  const lines = (name: string): readonly string[] => incoming.sent.lines(name);
  return tracer.begin({
    name: () => nameOf(request),
    attributes: () => requestAttributes(request),
    remote: remoteSpan(lines),
    isTrusted,
    baggage: baggageOf(lines),
    at: incoming.startedAt,
  });
}

/** Begins the span of a request when its user is known, and ends it with the response; that of a watch ends with the watch. */
function tracing(tracer: Tracer): Filter {
  return {
    name: "tracing",
    enter: (_server, request) => {
      const { incoming, response } = request;
      const authenticatedAt = incoming.startedAt + request.authenticationMillis;
      if (response.root && decides(request)) {
        // The calls of the authentication stay a trace of their own.
        response.authentication?.end(authenticatedAt);
        response.root.end(authenticatedAt);
        response.root = response.authentication = undefined;
      }
      const root = (response.root ??= begin(tracer, request, isTrusted(request.identity)));
      response.span = root;
      if (!root.isRecorded) return;
      // The time before the user was known; the filters before it do not wait.
      const { authentication = root.start("authentication", {}, { at: incoming.startedAt }) } = response;
      authentication.end(authenticatedAt);
    },
    leave: (_server, request) => {
      const { root, authentication, longRunning, responder, code } = request.response;
      if (!root && code === UNAUTHORIZED) refused(tracer, request);
      if (!root) return;
      if (authentication?.isRecorded) authentication.end();
      if (longRunning) responder.onOver(() => endRequest(request));
      else endRequest(request);
    },
  };
}

/** Whether the `traceparent` of a request decides whether it is traced. */
const decides = ({ incoming, identity }: ServerRequest): boolean =>
  isTrusted(identity) && remoteSpan((name) => incoming.sent.lines(name)) !== undefined;

const isTrusted = ({ groups }: Identity): boolean => groups.some((group) => TRUSTED_GROUPS.has(group));

/** A refused credential has a trace of its own, with no other content. */
function refused(tracer: Tracer, { incoming, response }: ServerRequest): void {
  const span = tracer.begin({
    name: () => "authentication",
    attributes: () => ({ "audit-id": cutAuditId(response.auditId), "http.response.status_code": response.code }),
    remote: undefined,
    isTrusted: false,
    baggage: "",
    at: incoming.startedAt,
  });
  span.end();
}

function endRequest({ response }: ServerRequest): void {
  const { root, watchSpan, code, bytesOut, events, longRunning } = response;
  watchSpan?.end();
  if (!root) return;
  if (code > 0) root.set({ "http.response.status_code": code });
  if (!longRunning && bytesOut > 0) root.set({ "http.response.body.size": bytesOut });
  if (events > 0) root.set({ events });
  if (code >= SERVER_ERROR) root.fail("");
  root.end();
}

/** A filter with a span for the time that it takes. */
function spanned(filter: Filter): Filter {
  const { name } = filter;
  if (!filter.enter) return filter;
  const span = SPANS.get(name);
  if (span !== undefined) {
    return {
      ...filter,
      enter: (server, request) =>
        inSpan(
          request.response.root,
          span,
          () => ({}),
          () => filter.enter?.(server, request),
        ),
    };
  }
  if (name !== "handle") return filter;
  return {
    ...filter,
    enter: (server, request) => {
      const { root } = request.response;
      const work = (): void | Promise<void> => filter.enter?.(server, request);
      if (!root) return work();
      if (!root.isRecorded || !request.resource) return root.run(work);
      return request.info.verb === "watch" ? watched(request, work) : handled(request, work);
    },
  };
}

/** Runs a verb with its span, whose events record its progress. */
function handled(request: ServerRequest, work: () => void | Promise<void>): void | Promise<void> {
  const { response, info } = request;
  const span = response.root!.start(VERBS.get(info.verb) ?? "Connect", verbAttributes(request));
  response.span = span;
  const ended = (): void => {
    const { readAt, respondedAt } = response;
    if (readAt > 0 && info.verb !== "get" && info.verb !== "list") span.event("limitedReadBody succeeded", {}, readAt);
    if (respondedAt > 0) span.event("About to write a response", {}, respondedAt);
    span.event("Writing http response done");
    response.serialization?.end();
    response.span = response.root;
    span.end();
  };
  const failed = (error: unknown): never => {
    span.error(error);
    ended();
    throw error;
  };
  try {
    const wait = span.run(work);
    if (wait) return wait.then(ended, failed);
  } catch (error) {
    return failed(error);
  }
  ended();
}

/** Begins a watch with its span, which ends with the watch. */
function watched(request: ServerRequest, work: () => void | Promise<void>): void | Promise<void> {
  const { incoming, response } = request;
  const { auditId } = response;
  const attributes = { "audit-id": cutAuditId(auditId), method: incoming.sent.method, url: incoming.rawPath };
  const span = response.root!.start("WatchServer.HandleHTTP", attributes);
  response.watchSpan = response.span = span;
  return span.run(work);
}

/** The name of the span of a request: method and path, with placeholders in place of names. */
function nameOf({ info, incoming: { sent } }: ServerRequest): string {
  if (!info.isResource) return sent.method;
  const { group, version, namespace, resource, name, subresource } = info;
  const parts = [
    group === "" ? "api" : `apis/${group}`,
    version,
    ...(namespace === "" ? [] : ["namespaces/{:namespace}"]),
    resource,
    ...(name === "" ? [] : ["{:name}"]),
    ...(subresource === "" ? [] : [subresource]),
  ];
  return `${sent.method} /${parts.join("/")}`;
}

const cutAuditId = (id: string): string => cutText(id, MAX_AUDIT_ID_BYTES);

/** The attributes of HTTP by the semantic conventions of OpenTelemetry, and those that kube-apiserver adds. */
function requestAttributes({ incoming, response, hidesQuery }: ServerRequest): SpanAttributes {
  const { sent, rawPath, userAgent } = incoming;
  const { address, encrypted } = sent.connection;
  const host = URL.parse(`http://${sent.header(":authority") || sent.header("host")}`);
  const client = sent.header("x-forwarded-for").split(",", 1)[0]!.trim() || address;
  return {
    ...(host ? { "server.address": host.hostname } : {}),
    ...(host && host.port !== "" ? { "server.port": Number(host.port) } : {}),
    "http.request.method": sent.method,
    "url.scheme": encrypted ? "https" : "http",
    ...(address === "" ? {} : { "network.peer.address": address }),
    ...(userAgent === "" ? {} : { "user_agent.original": userAgent }),
    ...(client === "" ? {} : { "client.address": client }),
    "url.path": rawPath,
    "http.target": hidesQuery ? rawPath : sent.url,
    "audit-id": cutAuditId(response.auditId),
  };
}

/** The attributes of the span of a verb. */
function verbAttributes(request: ServerRequest): SpanAttributes {
  const { info, incoming, response } = request;
  const { sent } = incoming;
  return {
    accept: sent.header("accept"),
    "audit-id": cutAuditId(response.auditId),
    client: sent.connection.address,
    "api-group": info.group,
    "api-version": info.version,
    name: info.name,
    subresource: info.subresource,
    namespace: info.namespace,
    resource: info.resource,
    scope: info.name === "" ? (info.namespaced ? "namespace" : "cluster") : "resource",
    url: incoming.rawPath,
    "user-agent": cutText(incoming.userAgent, MAX_USER_AGENT_BYTES),
    verb: info.verb,
  };
}
