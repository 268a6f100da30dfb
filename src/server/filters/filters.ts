/**
 * What every request passes, in order. See {@link FILTERS}.
 *
 * A filter does its part when a request enters and, some of them, when it has been answered. Filters that have nothing
 * to wait for return nothing, so that a request which finds everything at hand is answered without a turn of the event
 * loop.
 *
 * @module
 */
import { ANONYMOUS, type Identity } from "../../auth/contract.ts";
import { decodePath, requestInfo } from "../../meta/request-info.ts";
import { ApiError, internalError, tooManyRequests, unauthorized } from "../../meta/status.ts";
import type { ServerContext } from "../context.ts";
import { contentType, valueInForm } from "../answer/encode.ts";
import { isHealthPath } from "../operations/health.ts";
import { impersonate } from "./impersonate.ts";
import { explanationFormat, failureFormat } from "../answer/negotiate.ts";
import { permit } from "./permission.ts";
import type { ServerRequest } from "../request.ts";
import { answer, findResource } from "../routes.ts";

/** A step on the way of a request. */
export interface Filter {
  readonly name: string;
  /** Does its part; what it throws ends the way. */
  enter?(server: ServerContext, request: ServerRequest): void | Promise<void>;
  /** Called when the request has been answered, however that came about; the last filter first. */
  leave?(server: ServerContext, request: ServerRequest): void;
}

const auditId: Filter = {
  name: "audit id",
  enter: ({ random }, request) => {
    const sent = request.exchange.header("audit-id");
    request.auditId = /^[\w-]{1,64}$/.test(sent) ? sent : random.uuid();
  },
};

const measure: Filter = {
  name: "measure",
  leave: (server, request) => server.metrics.answered(request, server.clock.steady() - request.startedAt),
};

const readPath: Filter = {
  name: "read path",
  enter: (_server, request) => {
    const { exchange, query } = request;
    request.info = requestInfo(exchange.method, decodePath(request.rawPath), query.flag("watch"));
  },
};

const authenticate: Filter = {
  name: "authenticate",
  enter: (server, request) => {
    if (isPublic(request)) return undefined;
    const { exchange } = request;
    if (exchange.identity) return identify(server, request, exchange.identity);
    const credentials = { header: (name: string) => exchange.header(name), connection: exchange.connection };
    let identity: Identity | undefined | Promise<Identity | undefined>;
    try {
      identity = server.authenticator.authenticate(credentials);
    } catch (error) {
      exchange.closeAfterAnswer();
      throw error;
    }
    if (!(identity instanceof Promise)) return identify(server, request, identity);
    return identity.then(
      (found) => identify(server, request, found),
      (error: unknown) => {
        exchange.closeAfterAnswer();
        throw error;
      },
    );
  },
};

/** Health and version are open: those who ask are load balancers and people in front of a locked door. */
const isPublic = ({ info }: ServerRequest): boolean =>
  !info!.isResource && (info!.path === "/version" || info!.path === "/version/" || isHealthPath(info!.path));

function identify(server: ServerContext, request: ServerRequest, identity: Identity | undefined): void {
  if (identity) {
    request.identity = identity;
    return;
  }
  // Nobody may hold a connection, and what HTTP/2 lets one do with it, without a credential (reliability 2.1).
  request.exchange.closeAfterAnswer();
  if (server.dialect.rules.anonymousUnauthorized) throw unauthorized();
  request.identity = ANONYMOUS;
}

const limit: Filter = {
  name: "limit",
  enter: (server, request) => {
    const { exchange } = request;
    const seat = exchange.method === "GET" || exchange.method === "HEAD" ? 1 : 2;
    const { running } = server;
    const most = seat === 1 ? server.limits.reads : server.limits.writes;
    if (most > 0 && running[seat] >= most) throw tooManyRequests("the server is busy; try again");
    running[seat]++;
    request.seat = seat;
  },
  leave: (server, request) => {
    if (request.seat !== 0) server.running[request.seat]--;
  },
};

const authorise: Filter = {
  name: "authorise",
  enter: (server, request) => {
    if (isPublic(request)) return undefined;
    return permit(server, request);
  },
};

const becomeOther: Filter = { name: "impersonate", enter: impersonate };

const find: Filter = { name: "find", enter: findResource };

const warn: Filter = {
  name: "warn",
  enter: (_server, request) => {
    const deprecated = request.resource?.definition.deprecated;
    if (deprecated !== undefined) request.warn([deprecated]);
  },
};

const handle: Filter = { name: "handle", enter: answer };

/** The way of a request, from top to bottom. */
export const FILTERS: readonly Filter[] = [
  auditId, // every answer can be found again in the logs
  measure, // count, time and size
  readPath, // what is asked for
  authenticate, // who asks
  limit, // not more at a time than we can do
  becomeOther, // in whose name
  authorise, // whether they may; before anybody learns what exists
  find, // the resource and the verb, or 404 and 405
  warn, // what every answer of a deprecated version says
  handle, // the answer itself
];

/** Sends a request on its way; resolves when it has been answered (a watch: when it has begun). Never rejects. */
export function run(server: ServerContext, request: ServerRequest): void | Promise<void> {
  try {
    const rest = enter(server, request, 0);
    if (rest) {
      return rest.catch((error: unknown) => recover(server, request, error)).then(() => leave(server, request));
    }
  } catch (error) {
    recover(server, request, error);
  }
  leave(server, request);
}

/** The filters from `from` on; goes on later when one of them has to wait. */
function enter(server: ServerContext, request: ServerRequest, from: number): void | Promise<void> {
  for (let i = from; i < FILTERS.length; i++) {
    const wait = FILTERS[i]!.enter?.(server, request);
    if (wait) return i + 1 < FILTERS.length ? wait.then(() => enter(server, request, i + 1)) : wait;
  }
}

function leave(server: ServerContext, request: ServerRequest): void {
  for (let i = FILTERS.length - 1; i >= 0; i--) FILTERS[i]!.leave?.(server, request);
}

/** Answers with the Status of whatever was thrown; nothing of ours but the audit id is told. */
function recover(server: ServerContext, request: ServerRequest, error: unknown): void {
  const failure = error instanceof ApiError ? error : internalError(error);
  if (failure.reason === "InternalError") logFailure(server, request, failure.cause ?? error);
  const { exchange } = request;
  if (exchange.answered) return;
  request.warn(failure.warnings);
  const { value, format } = failureAnswer(server, request, failure);
  const headers = request.headers(contentType(format));
  const retry = failure.status.details?.retryAfterSeconds;
  if (retry !== undefined) headers["retry-after"] = String(retry);
  if (failure.code === 401) headers["www-authenticate"] = 'Bearer realm="keelson"';
  request.respond(failure.code, headers, valueInForm(value, format));
}

/** The Status of a failure, or the explanation where there is one and the client asks for it. */
function failureAnswer(server: ServerContext, request: ServerRequest, failure: ApiError) {
  const accept = request.exchange.header("accept");
  const format = failure.explain && explanationFormat(accept, request.pretty);
  if (format) {
    try {
      return { value: failure.explain!(), format };
    } catch (error) {
      logFailure(server, request, error);
    }
  }
  return { value: failure.status, format: failureFormat(accept, request.pretty) };
}

function logFailure(server: ServerContext, request: ServerRequest, cause: unknown): void {
  server.log.error("a request has failed", {
    auditId: request.auditId,
    method: request.exchange.method,
    path: request.rawPath.slice(0, 500),
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  });
}
